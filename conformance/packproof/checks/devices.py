"""Chapter devices: everything stays on the CPU, weight-free and without grad."""

from collections.abc import Iterator
from typing import Any

from packer_schemas.cases import PolicyCase, SetupCase
from packproof.every_call import calls, calls_from_setup
from packproof.reachable import modules_with_weights
from packproof.registry import check
from packproof.stand_in import StandIn, accelerator_stand_in
from packproof.strategies import ROUTES, policies, setups
from packproof.subject import Subject
from packproof.views import tensors_in
from packproof.violation import CallFailed, Violation


@check("CPU-1", cases=policies(ROUTES))
def cpu_1(subject: Subject, case: PolicyCase) -> None:
    """Every tensor a packer returns lies on the CPU, also where an accelerator is present."""
    driver = subject.on(case.model)
    with accelerator_stand_in() as seen:
        for call, answer in _beside_an_accelerator(seen, calls(subject, driver, case.sample)):
            away = _away(answer)
            if away:
                raise Violation.of(call, expected="tensors on cpu", got=f"{', '.join(away)} on the accelerator")


@check("CPU-2", cases=policies(ROUTES))
def cpu_2(subject: Subject, case: PolicyCase) -> None:
    """No tensor a packer returns requires grad."""
    for call, answer in calls(subject, subject.on(case.model), case.sample):
        tracked = sorted(name for name, tensor in tensors_in(answer).items() if tensor.requires_grad)
        if tracked:
            raise Violation.of(call, expected="tensors without grad", got=f"{', '.join(tracked)} requires grad")


@check("CPU-3", cases=setups)
def cpu_3(subject: Subject, case: SetupCase) -> None:
    """No module with weights can be reached from a packer."""
    found = modules_with_weights(subject.on(case.model).packer)
    if found:
        raise Violation.of(f"a packer set up on {case.model}", expected="no weights", got=", ".join(found))


@check("CPU-4", cases=policies(ROUTES), heavy=True)
def cpu_4(subject: Subject, case: PolicyCase) -> None:
    """No call asks for an accelerator or starts one."""
    asked = ""
    with accelerator_stand_in() as seen:
        for call, answer in _beside_an_accelerator(seen, calls_from_setup(subject, case.model, case.sample)):
            if _away(answer) and not asked:
                return  # CPU-1 speaks
            if seen.requests and not asked:
                asked = call
    if asked:
        raise Violation.of(asked, expected="no use of an accelerator", got=seen.requests[0])


def _beside_an_accelerator(seen: StandIn, calls: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The calls with an accelerator in sight. They end with one that fails after the accelerator was asked for.

    Values never go there, so what fails may have wanted them.
    """
    where = "with an accelerator present"
    try:
        for call, answer in calls:
            yield f"{call}, {where}", answer
    except CallFailed as error:
        found = error.counterexample
        if not seen.requests:
            raise error.told(call=f"{found.call}, {where}") from error
        yield f"{found.call}, {where}", None


def _away(answer: Any) -> list[str]:
    return sorted(name for name, tensor in tensors_in(answer).items() if tensor.device.type != "cpu")
