"""Chapter bodies, the record of one generation: its routing."""

from typing import Any

from packer_schemas.rollout_cases import RoutingCase
from packproof.consumers.subject import RolloutSubject
from packproof.driver import short
from packproof.load import describe
from packproof.registry import check
from packproof.rollouts.own_run import routed
from packproof.rollouts.packers import sample_of
from packproof.rollouts.recorded import ROUTED, Recorded
from packproof.rollouts.scene import BROAD, Scene, sampling
from packproof.rollouts.strategies import routed as routing_cases
from packproof.rollouts.tiny_models import EXPERTS, LAYERS, TOP_K
from packproof.violation import CallFailed, OutOfReach, Violation

__all__: list[str] = []

_SURE = 1e-3
"""By how much a router's last choice leads over the next one, where no rounding turns them round."""


@check("BODY-9", cases=lambda *_: routing_cases())
def body_9(subject: RolloutSubject, case: RoutingCase) -> None:
    """With routing replay on, every trajectory of a model with routed experts carries its record of them."""
    architecture = "experts" if case.experts else "rotary"
    scene = Scene.of(subject, case.tokenizer, architecture=architecture, weights=case.weights, spread=BROAD)
    options: dict[str, Any] = {"sampling": sampling(max_tokens=case.max_tokens, n=case.group, seed=1)}
    if case.replay and not case.experts:
        call, wanted = "factory(a model without routed experts, packer=packer, routing_replay=True)", "ValueError"
        scene.refused(call, lambda: scene.raw_body(routing_replay=True, **options), wanted)
        return
    samples = [sample_of(text) for text in case.prompts]
    records = _routed_records(scene, options, samples, case)
    for one in records:
        call = f"{scene.call}, routing_replay={case.replay}; {ROUTED} of {one.where}"
        told = one.info.get(ROUTED)
        if not case.replay and told is not None:
            raise Violation.of(call, expected="nothing", got=short(told))
        if case.replay:
            _expect_routing(scene, call, one, told, len(samples))


def _routed_records(scene: Scene, options: dict[str, Any], samples: list[Any], case: RoutingCase) -> list[Recorded]:
    """The trajectories; `OutOfReach` for a body that says as it should that its engine gives no record."""
    try:
        body = scene.body(routing_replay=case.replay, **options)
        return scene.generate(body, samples, group=case.group)
    except CallFailed as error:
        cause = error.__cause__
        if case.replay and isinstance(cause, ValueError) and any(name in str(cause) for name in (ROUTED, "routing")):
            raise OutOfReach(f"its engine records no routing: {describe(cause)}") from None
        raise


def _expect_routing(scene: Scene, call: str, one: Recorded, told: Any, count: int) -> None:
    import numpy as np
    import torch

    if not isinstance(told, (torch.Tensor, np.ndarray)):
        raise Violation.of(
            call, expected="a tensor or an array of integers", got="no key" if told is None else short(told)
        )
    ids = scene.truth(one, count) + (one.ids("completion_ids") or [])
    wanted = f"integers of shape {[len(ids) - 1, LAYERS, TOP_K]} on the CPU"
    if isinstance(told, torch.Tensor) and told.device.type != "cpu":
        raise Violation.of(call, expected=wanted, got=f"a tensor on {told.device}")
    array = np.asarray(told)
    if array.dtype.kind not in "iu" or array.shape != (len(ids) - 1, LAYERS, TOP_K):
        fault = f"{len(array)} rows for {len(ids)} ids" if array.ndim and len(array) != len(ids) - 1 else ""
        raise Violation.of(call, expected=wanted, got=f"{array.dtype} of shape {list(array.shape)}", fault=fault)
    with scene.watch.away():
        experts, leads = routed(scene.model, ids)
    rows: dict[str, Any] = {"position": [], "input_ids": [], "expected": [], "got": []}
    wrong = False
    for at in range(len(ids) - 1):
        best, got = experts[at].tolist(), array[at].tolist()
        sure = [
            sorted(a) == sorted(b) or leads[at, layer] < _SURE
            for layer, (a, b) in enumerate(zip(best, got, strict=True))
        ]
        unrecorded = set(array[at].flatten().tolist()) == {-1}
        wrong = wrong or not (all(sure) or unrecorded)
        for name, value in (("position", at), ("input_ids", ids[at]), ("expected", _told(best)), ("got", _told(got))):
            rows[name].append(value)
    if wrong or (len(ids) > 1 and set(array.flatten().tolist()) == {-1}):
        raise Violation.of(call, rows=rows, fault=_misrouted(experts[: len(ids) - 1].tolist(), array.tolist()))


def _told(layers: list[list[int]]) -> str:
    return "/".join("".join(str(expert) for expert in sorted(layer)) for layer in layers)


def _misrouted(wanted: list[Any], got: list[Any]) -> str:
    if wanted[1:] == got[:-1] or wanted[:-1] == got[1:]:
        return "shifted by a row"
    flat = {expert for row in got for layer in row for expert in layer}
    if not flat <= set(range(EXPERTS)) | {-1}:
        return f"the model has the experts 0 to {EXPERTS - 1}"
    return "expert 0 where nothing was recorded" if [[0] * TOP_K] * LAYERS in got else ""
