"""Chapter devices: everything stays on the CPU, weight-free and without grad."""

from collections.abc import Mapping
from typing import Any

from packer_schemas.cases import PolicyCase, SetupCase
from packproof.driver import observation
from packproof.reachable import modules_with_weights
from packproof.registry import check
from packproof.stand_in import StandIn, accelerator_stand_in
from packproof.strategies import ROUTES, policies, setups
from packproof.subject import Subject
from packproof.views import BatchView
from packproof.violation import Violation


@check("CPU-1", cases=policies(ROUTES))
def cpu_1(subject: Subject, case: PolicyCase) -> None:
    """Every tensor a packer returns lies on the CPU, also where an accelerator is present."""
    call, tensors, _ = _with_an_accelerator(subject, case)
    away = sorted(name for name, tensor in tensors.items() if tensor.device.type != "cpu")
    if away:
        raise Violation.of(call, expected="tensors on cpu", got=f"{', '.join(away)} on the accelerator")


@check("CPU-2", cases=policies(ROUTES))
def cpu_2(subject: Subject, case: PolicyCase) -> None:
    """No tensor a packer returns requires grad."""
    driver = subject.on(case.model)
    row = driver.policy_input(case.sample)
    batch = driver.collate([row], len(row.ids))
    tensors = BatchView({"policy input": _fields(row.raw), "batch": batch.columns}, batch.call).tensors()
    tracked = sorted(name for name, tensor in tensors.items() if tensor.requires_grad)
    if tracked:
        raise Violation.of(batch.call, expected="tensors without grad", got=f"{', '.join(tracked)} requires grad")


@check("CPU-3", cases=setups)
def cpu_3(subject: Subject, case: SetupCase) -> None:
    """No module with weights can be reached from a packer."""
    found = modules_with_weights(subject.on(case.model).packer)
    if found:
        raise Violation.of(f"a packer set up on {case.model}", expected="no weights", got=", ".join(found))


@check("CPU-4", cases=policies(ROUTES))
def cpu_4(subject: Subject, case: PolicyCase) -> None:
    """No call asks for an accelerator or starts one."""
    call, tensors, seen = _with_an_accelerator(subject, case)
    if seen.requests and all(tensor.device.type == "cpu" for tensor in tensors.values()):  # else CPU-1 speaks
        raise Violation.of(call, expected="no use of an accelerator", got=seen.requests[0])


def _with_an_accelerator(subject: Subject, case: PolicyCase) -> tuple[str, dict[str, Any], StandIn]:
    """The call chain with an accelerator in sight: the collation call, all tensors returned, and what was asked for."""
    driver = subject.on(case.model)
    plain = driver.policy_input(case.sample)
    rolls_out = "RolloutPacker" in subject.capabilities
    with accelerator_stand_in() as seen:
        call = f"{plain.call} and policy_collate_fn(...), with an accelerator present"
        with driver.calling(call):
            own = case.sample.model_copy(deep=True)
            raw = driver.answer(own, own.completion, own.prompt_ids)
            asked = driver.packer.get_rollout_input(observation(case.sample.prompt)) if rolls_out else None
            batch = driver.packer.policy_collate_fn([raw], len(plain.ids))
    answers = {"rollout input": asked, "policy input": _fields(raw), "batch": batch}
    tensors = BatchView(answers, call).tensors()
    return call, tensors, seen


def _fields(raw: Any) -> Any:
    return raw if isinstance(raw, Mapping) else getattr(raw, "__dict__", {})
