"""Chapter bodies, one call of generate: hooks, groups, neighbours, media, and what stays as it was."""

import copy
from collections.abc import Sequence
from typing import Any

from packer_schemas.rollout_cases import (
    GenerationCase,
    GroupCase,
    MediaCase,
    RolloutHookCase,
    UntouchedCase,
)
from packproof.consumers.subject import RolloutSubject
from packproof.driver import short
from packproof.expect import expect_ids
from packproof.registry import check
from packproof.rollouts.completions import beside_each_other
from packproof.rollouts.media import entries_of, expect_entry_named, image, media_model
from packproof.rollouts.messages import expect_numbers
from packproof.rollouts.packers import MARK, GuardedHooks, packer_for, sample_of
from packproof.rollouts.recorded import Recorded, expect_near
from packproof.rollouts.scene import BROAD, Scene, ask, fitting, generate_call, sampling
from packproof.rollouts.strategies import groups, hooked, media, untouched
from packproof.rollouts.traces import expect_as_before, expect_modes, expect_own_lists, modes_of, snapshot
from packproof.same import same
from packproof.violation import CallFailed, Unexercised, Violation
from packproof.wording import plural

__all__: list[str] = []


@check("BODY-3", cases=lambda *_: hooked())
def body_3(subject: RolloutSubject, case: RolloutHookCase) -> None:
    """Every prompt and every completion goes through the packer's rollout hooks."""
    packer = packer_for(case.hook, case.tokenizer)
    scene = Scene.of(subject, case.tokenizer, packer=packer, weights=case.weights)
    body = scene.body(sampling=sampling(temperature=0, max_tokens=case.max_tokens, n=case.group))
    samples = [sample_of(text, number=at) for at, text in enumerate(case.prompts)]
    count = len(samples)
    if case.hook in _SHORT:
        hook, by = _SHORT[case.hook]
        asked = count if hook == "rollout_collate_fn" else count * case.group
        call = f"{generate_call(samples)}, where {hook} gives {asked + by} for {asked}"
        wanted = "ValueError that names both lengths"
        error = scene.refused(call, lambda: ask(body, samples, None), wanted)
        expect_numbers(call, error, [(asked, asked + by)], wanted)
        return
    records = scene.generate(body, samples, group=case.group)
    _expect_called(scene, samples, case)
    if case.hook == "marks the inputs":
        for at, text in enumerate(case.prompts):
            _expect_marked_text(scene, at, count, text)
    _expect_answers(scene, records, case)


_SHORT = {
    "gives an input less": ("rollout_collate_fn", -1),
    "gives an output less": ("get_rollout_output", -1),
    "gives an output more": ("get_rollout_output", 1),
}


def _expect_called(scene: Scene, samples: Sequence[Any], case: RolloutHookCase) -> None:
    numbers = [one.representations["number"] for one in scene.packer.named("get_rollout_input")]
    call = f"{scene.call}; samples that get_rollout_input was called with"
    _expect(call, list(range(len(samples))), numbers)
    if case.hook == "is not there":
        return
    collated = scene.packer.named("rollout_collate_fn")
    _expect(f"{scene.call}; what rollout_collate_fn was called with", [list(case.prompts)], collated)
    put_out = scene.packer.named("get_rollout_output")
    lengths = [len(one) for one in put_out]
    _expect(f"{scene.call}; lengths of what get_rollout_output was called with", [len(samples) * case.group], lengths)


def _expect(call: str, expected: Any, got: Any) -> None:
    if expected != got:
        raise Violation.of(call, expected=expected, got=short(got))


def _expect_marked_text(scene: Scene, at: int, count: int, text: str) -> None:
    """The model was not handed the text as it was before the hook; by which tokenizer is for BODY-2 to say."""
    ids, got = scene.bare(text), scene.handed(at, count)
    if got[-len(ids) :] == ids:
        call = f"{scene.call}, where rollout_collate_fn puts {MARK!r} behind every text; what the model was handed"
        expect_ids(call, scene.bare(text + MARK), got, fault="the hook's answer was left out")


def _expect_answers(scene: Scene, records: Sequence[Recorded], case: RolloutHookCase) -> None:
    """Completions are the hook's answers, in their order, and ids are what the hook was given."""
    sampled = [one.ids("completion_ids") for one in records]
    given = sampled if case.hook == "is not there" else scene.packer.named("get_rollout_output")[0]
    if all(ids is not None for ids in sampled) and _sorted(sampled) != _sorted(given):
        call = f"{scene.call}, where get_rollout_output {case.hook}; completion_ids beside what it was given"
        raise Violation.of(call, expected=short(given), got=short(sampled))
    wanted = _answers(scene, given, case)
    got = [one.completion for one in records]
    if wanted != got and _sorted(wanted) != _sorted(got):
        raise Violation.of(
            f"{scene.call}, where get_rollout_output {case.hook}; completions", expected=short(wanted), got=short(got)
        )


def _answers(scene: Scene, given: Sequence[Any], case: RolloutHookCase) -> list[Any]:
    if case.hook == "decodes":
        return [one if isinstance(one, str) else scene.tokenizer.decode(one) for one in given]
    return [one[1:] for one in given] if case.hook == "cuts what it is given" else list(given)


def _sorted(some: Sequence[Any]) -> list[str]:
    return sorted(map(repr, some))


@check("BODY-10", cases=lambda *_: groups())
def body_10(subject: RolloutSubject, case: GroupCase) -> None:
    """generate returns G trajectories for each sample, those of the first sample first."""
    scene = Scene.of(subject, case.tokenizer, weights=case.weights)
    samples = [sample_of(text) for text in case.prompts]
    asked = {"temperature": 0, "max_tokens": case.max_tokens} | ({"n": case.n} if case.n != 1 else {})
    if type(case.n) is not int or case.n < 1:
        call = f"factory(model, packer=packer, sampling={asked}) and generate([sample])"
        scene.refused(call, lambda: ask(scene.raw_body(sampling=asked), samples, None), "ValueError")
        return
    scene.let_sample(scene.likely_prompt(case.prompts[case.short % len(samples)]), 0, scene.tokenizer.eos_token_id)
    trajectories = scene.trajectories(scene.body(sampling=asked), list(samples))
    call = f"{scene.call}, n={case.n}"
    if len(trajectories) != len(samples) * case.n:
        raise Violation.of(f"{call}; trajectories", expected=len(samples) * case.n, got=len(trajectories))
    records = [Recorded.of(one, place, case.n, scene.call) for place, one in enumerate(trajectories)]
    best = [scene.greedy(scene.likely_prompt(text), case.max_tokens) for text in case.prompts]
    rows: dict[str, Any] = {
        "place": list(range(len(records))),
        "expected": [short(case.prompts[one.sample]) for one in records],
    }
    for name, whose in (("prompt_ids", _by_prompt), ("obs", _by_sample), ("completion_ids", _by_completion)):
        got = [whose(scene, one, case.prompts, samples, best) for one in records]
        told = [short(case.prompts[at]) for at in got]
        if told != rows["expected"]:
            raise Violation.of(f"{call}; whose {name} they are", rows=rows | {"got": told})


def _by_prompt(scene: Scene, one: Recorded, prompts: Sequence[str], _: Any, __: Any) -> int:
    """Which sample's prompt was recorded, as far as it is that of another one."""
    ids = one.ids("prompt_ids") or []
    own = [at for at, text in enumerate(prompts) if ids[-len(scene.bare(text)) :] == scene.bare(text)]
    return one.sample if one.sample in own or not own else max(own, key=lambda at: len(scene.bare(prompts[at])))


def _by_sample(_: Any, one: Recorded, __: Any, samples: Sequence[Any], ___: Any) -> int:
    own = [at for at, sample in enumerate(samples) if same(one.obs, sample)]
    return one.sample if one.sample in own or not own else own[0]


def _by_completion(_: Any, one: Recorded, __: Any, ___: Any, best: Sequence[Any]) -> int:
    """Which sample's greedy completion was recorded; where leads are small nothing is told."""
    ids = one.ids("completion_ids")
    own = [at for at, greedy in enumerate(best) if greedy.settled and greedy.ids == ids]
    return one.sample if not best[one.sample].settled or one.sample in own or not own else own[0]


@check("BODY-12", cases=lambda *_: beside_each_other(), heavy=True)
def body_12(subject: RolloutSubject, case: GenerationCase) -> None:
    """Under greedy decoding a sample's completion does not depend on the samples it is generated with."""
    scene = Scene.for_generation(subject, case)
    body = scene.body(sampling=sampling(temperature=0, max_tokens=case.max_tokens))
    with fitting(case):
        together = scene.generate(body, [sample_of(text) for text in case.prompts])
    told = scene.call
    if all(one.ids("completion_ids") is None for one in together):
        raise Unexercised("it records no completion ids")
    for at, text in enumerate(case.prompts):
        if text in case.prompts[:at]:
            continue
        alone = scene.generate(body, [sample_of(text)])[0]
        clear = scene.greedy(scene.truth(alone, 1), case.max_tokens).clear
        ids = alone.ids("completion_ids") or []
        beside = [one.ids("completion_ids") or [] for one in together]
        own = [ids for ids, other in zip(beside, case.prompts, strict=True) if other == text]
        if not all(_alike(ids, one, clear) for one in own) and sum(_alike(ids, one, clear) for one in beside) < len(
            own
        ):
            call = f"{told}; completion_ids of {short(text)}, expected as from generate([{short(text)}])"
            expect_ids(call, ids, next(one for one in own if not _alike(ids, one, clear)))
        if _alike(ids, beside[at], clear):
            expect_near(f"{told}; logprobs of {short(text)}", alone, together[at], clear)


def _alike(ids: list[int], other: list[int], clear: int) -> bool:
    """Whether two completions agree as far as nobody can take another id."""
    return other[:clear] == ids[:clear] and (clear < len(ids) or other == ids)


@check("BODY-15", cases=lambda *_: media())
def body_15(subject: RolloutSubject, case: MediaCase) -> None:
    """The media of a sample reach the engine with their content ids, and stay on the trajectory."""
    packer = GuardedHooks(case.tokenizer)
    scene = Scene.of(subject, case.tokenizer, packer=packer, weights=case.weights)
    taken = media_model(scene.model)
    images = [image(number) for number in range(case.images)]
    entries = entries_of(case.entries, images)
    handed = {"rollout_input": {"prompt": "Hi", **copy.deepcopy(entries)}} if entries else {}
    sample = sample_of("Hi", image=images, **handed)
    before = copy.deepcopy(sample)
    body = scene.body(sampling=sampling(temperature=0, max_tokens=1, n=case.group))
    try:
        records = scene.generate(body, [sample], group=case.group)
    except CallFailed as error:
        expect_entry_named(scene.call, error, entries)
        return
    call = f"{scene.call}, a sample with {case.images} {plural(case.images, 'image')}"
    for name, value in entries.items():
        got = next((one[name] for one in taken if name in one), None)
        if not same(got, value):
            raise Violation.of(f"{call}; {name}, as the engine got it", expected=short(value), got=short(got))
    for one in records:
        if not same(before, one.obs):
            held = getattr(one.obs, "representations", one.obs)
            raise Violation.of(f"{call}; obs of {one.where}", expected=short(before.representations), got=short(held))


@check("BODY-16", cases=lambda *_: untouched())
def body_16(subject: RolloutSubject, case: UntouchedCase) -> None:
    """generate leaves its arguments, the sampling, the packer's tokenizer and the mode of every module of the model as
    they were."""
    architecture = "experts" if case.experts else "rotary"
    scene = Scene.of(subject, case.tokenizer, architecture=architecture, weights=case.weights, spread=BROAD)
    asked: dict[str, Any] = {"max_tokens": 2, "temperature": 0, "n": case.group, "seed": 1, "stop_token_ids": [3, 4]}
    samples = [sample_of(text, nested={"of": [1, {"two": text}]}) for text in case.prompts]
    given = [scene.bare(text) for text in case.prompts] if case.given else None
    if case.refused:
        given = [*(given or [None] * len(samples)), None]
    held = {"samples": samples, "prompt_ids": given, "sampling": asked}
    before, tokenizer = copy.deepcopy(held), snapshot(scene.packer.tokenizer)
    if case.training:
        scene.model.train()
        scene.model.base_model.eval()
    modes = modes_of(scene.model)
    try:
        body = scene.body(sampling=asked, routing_replay=case.experts)
    except CallFailed:
        raise Unexercised("it is not made for a model with routed experts, of which BODY-9 speaks") from None
    expect_as_before("the construction", before, held, tokenizer, scene.packer.tokenizer)
    expect_modes("the construction", modes, scene.model)
    try:
        trajectories = scene.trajectories(body, samples, given)
    except CallFailed as error:
        if not (case.refused or (case.experts and isinstance(error.__cause__, ValueError))):
            raise
        trajectories = []
    expect_as_before(scene.call, before, held, tokenizer, scene.packer.tokenizer)
    expect_modes(scene.call, modes, scene.model)
    records = [Recorded.of(one, place, case.group, scene.call) for place, one in enumerate(trajectories)]
    expect_own_lists(scene.call, [one.info for one in records], held)
