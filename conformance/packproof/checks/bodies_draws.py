"""Chapter bodies, what is drawn: the same again with a seed, apart within a group, and as the sampling says."""

from collections.abc import Sequence
from typing import Any

from packer_schemas.rollout_cases import DrawsCase, RepeatedCase
from packproof.consumers.subject import RolloutSubject
from packproof.driver import short
from packproof.expect import expect_ids
from packproof.load import describe
from packproof.registry import check
from packproof.rollouts.completions import draws
from packproof.rollouts.likelihoods import SURE, likelier
from packproof.rollouts.packers import sample_of
from packproof.rollouts.recorded import Recorded, expect_near
from packproof.rollouts.scene import BROAD, MEDIUM, Scene, ask, sampling
from packproof.rollouts.strategies import repeated
from packproof.rollouts.tiny_models import come_with_settings
from packproof.violation import Unexercised, Violation

__all__: list[str] = []


@check("BODY-13", cases=lambda *_: repeated())
def body_13(subject: RolloutSubject, case: RepeatedCase) -> None:
    """With a seed set, equal calls give equal trajectories, and the completions of one group are still separate
    draws."""
    scene = Scene.of(subject, case.tokenizer, weights=case.weights, spread=0.0 if case.even else BROAD)
    asked = sampling(max_tokens=8 if case.even else 4, n=case.group, seed=case.seed)
    samples = [sample_of(text) for text in case.prompts]
    first = scene.body(sampling=asked)
    if case.even:
        _expect_apart(scene, scene.generate(first, samples, group=case.group), asked)
        return
    second = scene.body(sampling=asked, moment=1)
    for turn in range(case.calls):
        one, other = (
            scene.generate(body, samples, group=case.group, moment=2 * turn + at + 2)
            for at, body in enumerate((first, second))
        )
        call = f"{scene.call}, {asked}, call {turn + 1} of either body"
        for a, b in zip(one, other, strict=True):
            for name in ("prompt_ids", "completion_ids"):
                expect_ids(f"{call}; {name} of {a.where}", a.ids(name) or [], b.ids(name) or [])
            expect_near(f"{call}; logprobs of {a.where}", a, b, 8)


def _expect_apart(scene: Scene, records: Sequence[Recorded], asked: Any) -> None:
    for at in {one.sample for one in records}:
        drawn = [one.ids("completion_ids") or [] for one in records if one.sample == at]
        if any(drawn) and all(one == drawn[0] for one in drawn):
            call = f"{scene.call}, {asked}, on a model to which all ids are equally likely; sample {at}"
            raise Violation.of(call, expected=f"{len(drawn)} draws", got=short(drawn), fault="one draw, repeated")


@check("BODY-21", cases=lambda *_: draws(), heavy=True)
def body_21(subject: RolloutSubject, case: DrawsCase) -> None:
    """Ids are drawn from the model's whole distribution at the temperature of the sampling, and a key of it that is not
    kept is refused."""
    scene = Scene.of(subject, case.tokenizer, weights=case.weights, spread=MEDIUM)
    if case.own_settings:
        come_with_settings(scene.model)
    asked = sampling(temperature=case.temperature, max_tokens=case.max_tokens, n=case.group, seed=1)
    samples = [sample_of(text) for text in case.prompts]
    if case.unknown:
        _expect_key_named(scene, {**asked, case.unknown: 1}, samples, case.unknown)
        return
    records = scene.generate(scene.body(sampling=asked), samples, group=case.group)
    scores, ids = _scored(scene, records, len(samples))
    found, by = likelier(scores, ids, case.temperature)
    if by > SURE:
        settings = ", on a model with settings of its own for generation" if case.own_settings else ""
        call = f"{scene.call}, {asked}{settings}; {len(ids)} ids that were drawn"
        wanted = f"draws from all ids, at temperature {case.temperature}"
        raise Violation.of(call, expected=wanted, got=f"draws that are e^{by:.0f} times likelier {found}")


def _expect_key_named(scene: Scene, asked: dict[str, Any], samples: Sequence[Any], key: str) -> None:
    call = f"factory(model, packer=packer, sampling={asked}) and generate([sample])"
    accept, wanted = (TypeError, ValueError), f"TypeError or ValueError that names {key}"
    error = scene.refused(call, lambda: ask(scene.raw_body(sampling=asked), samples, None), wanted, accept)
    if key not in str(error):
        fault = "the message does not name the key"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)


def _scored(scene: Scene, records: Sequence[Recorded], count: int) -> tuple[Any, list[int]]:
    """The model's logprobs of every id at each draw, `[N, V]`, and the ids that were drawn.

    What has no logprobs, or has wrong ones, may have been drawn otherwise: of that BODY-6 and BODY-7 speak.
    """
    import torch

    scores, drawn = [], []
    for one in records:
        ids, told = one.ids("completion_ids") or [], one.info.get("logprobs")
        own = scene.logprobs(scene.truth(one, count), ids) if ids else None
        if own is not None and isinstance(told, list) and len(told) == len(ids):
            of_ids = own[range(len(ids)), ids].tolist()
            if all(isinstance(a, float) and abs(a - b) < 1e-2 for a, b in zip(told, of_ids, strict=True)):
                scores.append(own)
                drawn += ids
    if not scores:
        raise Unexercised("it records no logprobs that its draws could be told by")
    return torch.cat(scores), drawn
