"""Chapter bodies, the record of one generation: its ids and its logprobs."""

import math
import re
from typing import Any

from packer_schemas.rollout_cases import GenerationCase, SpoiledCase
from packproof.consumers.subject import RolloutSubject
from packproof.driver import short
from packproof.expect import expect_ids
from packproof.load import describe
from packproof.registry import check
from packproof.rollouts.completions import greedy_ends
from packproof.rollouts.messages import numbers_in
from packproof.rollouts.own_run import Greedy
from packproof.rollouts.packers import sample_of
from packproof.rollouts.recorded import Recorded
from packproof.rollouts.scene import BROAD, Scene, fitting, sampling
from packproof.rollouts.spoiling import spoil
from packproof.rollouts.strategies import drawn, recorded_prompts, spoiled
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []

_CLOSE = 1e-4


@check("BODY-4", cases=lambda *_: recorded_prompts())
def body_4(subject: RolloutSubject, case: GenerationCase) -> None:
    """The prompt_ids of a trajectory are the ids that the model generated from."""
    scene = Scene.for_generation(subject, case)
    body = scene.body(sampling=sampling(temperature=0, max_tokens=case.max_tokens, n=case.group))
    records = scene.generate(body, [sample_of(text) for text in case.prompts], group=case.group)
    if all(one.info.get("prompt_ids") is None for one in records):
        raise Unexercised("it records no prompt ids, as a body that is told none")
    first: dict[int, list[int]] = {}
    for one in records:
        told = one.expect_ids(scene.call, "prompt_ids", least=1)
        call = f"{scene.call}; prompt_ids of {one.where}"
        if told is None:
            raise Violation.of(call, expected="a list of ids, as in the other trajectories", got="nothing")
        if not scene.was_handed(told):
            expect_ids(call, scene.handed(one.sample, len(case.prompts)), told, tokenizer=scene.tokenizer)
        if len(case.prompts) == 1:  # of samples in another order BODY-10 speaks
            expect_ids(f"{call}, and of its group", first.setdefault(one.sample, told), told)


@check("BODY-6", cases=lambda *_: greedy_ends())
def body_6(subject: RolloutSubject, case: GenerationCase) -> None:
    """The completion_ids of a trajectory are the sampled ids, all of them and nothing else, or they are left out."""
    scene = Scene.for_generation(subject, case)
    asked = sampling(temperature=0, max_tokens=case.max_tokens, n=case.group, **_place(scene, case))
    samples = [sample_of(text) for text in case.prompts]
    try:
        with fitting(case):
            records = scene.generate(scene.body(sampling=asked), samples, group=case.group)
    except CallFailed as error:
        if "stop" in asked and isinstance(error.__cause__, ValueError | TypeError):
            raise Unexercised("it takes no stop strings") from None
        raise
    for one in records:
        told = one.expect_ids(scene.call, "completion_ids")
        if told is None:
            _expect_text_alone(scene, one)
            continue
        best = scene.greedy(scene.truth(one, len(case.prompts)), case.max_tokens, asked.get("stop_token_ids"))
        wanted = _up_to_the_string(scene, best.ids, told, asked.get("stop"))
        if told[: best.clear] != wanted[: best.clear] or (best.settled and told != wanted):
            call = f"{scene.call}, {asked}; completion_ids of {one.where}"
            expect_ids(call, wanted, told, tokenizer=scene.tokenizer)


_STOP_STRING = "a"


def _place(scene: Scene, case: GenerationCase) -> dict[str, Any]:
    """Let the first sample's completion have the id that the case says, and give the sampling that goes with it."""
    prompt, end = scene.likely_prompt(case.prompts[0]), scene.tokenizer.eos_token_id
    at = min(case.at, case.max_tokens - 1, scene.limit - len(prompt) - 1)
    if case.samples_id == "one of stop_token_ids":
        taken = scene.greedy(prompt, at + 1, ()).ids[at]
        return {"stop_token_ids": [(taken + 1) % len(scene.tokenizer), taken]}
    placed = {
        "the fill": scene.packer.tokenizer.pad_token_id,
        "a stop string": scene.bare(_STOP_STRING)[-1],
        **dict.fromkeys(("the end", "the end, where another id stops", "the end, where no id stops"), end),
    }
    if case.samples_id in placed:
        scene.let_sample(prompt, at, placed[case.samples_id])
    added: dict[str, dict[str, Any]] = {
        "a stop string": {"stop": [_STOP_STRING]},
        "the end, where another id stops": {"stop_token_ids": [(end + 1) % len(scene.tokenizer)]},
        "the end, where no id stops": {"stop_token_ids": []},
    }
    return added.get(case.samples_id, {})


def _up_to_the_string(scene: Scene, best: list[int], told: list[int], stop: list[str] | None) -> list[int]:
    """The ids up to the one that completes a stop string; an engine may notice it later, and record the more."""
    ends = range(1, len(best) + 1)
    first = next((end for end in ends if stop and stop[0] in scene.tokenizer.decode(best[:end])), len(best))
    return best[: max(first, min(len(told), len(best)))]


def _expect_text_alone(scene: Scene, one: Recorded) -> None:
    call = f"{scene.call}; {one.where}, without completion_ids"
    if not isinstance(one.completion, str):
        raise Violation.of(call, expected="a text as its completion, or its ids", got=short(one.completion))
    if one.info.get("logprobs") is not None:
        raise Violation.of(call, expected="no logprobs", got=short(one.info["logprobs"]))


@check("BODY-7", cases=lambda *_: drawn())
def body_7(subject: RolloutSubject, case: GenerationCase) -> None:
    """Recorded logprobs have one entry per completion id, entry j being the natural logarithm of the model's
    probability of id j after the prompt and completion[:j]."""
    scene = Scene.for_generation(subject, case, spread=BROAD)
    asked = sampling(temperature=case.temperature, max_tokens=case.max_tokens, n=case.group, seed=1)
    records = scene.generate(scene.body(sampling=asked), [sample_of(text) for text in case.prompts], group=case.group)
    seen = 0
    for one in records:
        ids = one.ids("completion_ids")
        if ids is None or one.info.get("logprobs_missing") is not None:
            continue
        seen += 1
        mode = ", on a model in training mode" if case.training else ""
        call = f"{scene.call}, {asked}{mode}; logprobs of {one.where}"
        _expect_logprobs(call, ids, one.info.get("logprobs"), scene.logprobs(scene.truth(one, len(case.prompts)), ids))
    if not seen:
        raise Unexercised("it records no completion ids, or marks all logprobs as missing")


def _expect_logprobs(call: str, ids: list[int], told: Any, scores: Any) -> None:
    """`scores` are those of all ids, `[C, V]`."""
    if not isinstance(told, list) or not all(type(one) is float for one in told):
        raise Violation.of(call, expected=f"a list of {len(ids)} floats", got=short(told))
    wanted = [float(scores[at, id]) for at, id in enumerate(ids)]
    if len(told) == len(wanted) and all(abs(a - b) <= _CLOSE for a, b in zip(wanted, told, strict=True)):
        return
    rows: dict[str, Any] = {
        "entry": list(range(max(len(ids), len(told)))),
        "of id": ids,
        "expected": [f"{one:.4f}" for one in wanted],
        "got": [f"{one:.4f}" for one in told],
    }
    raise Violation.of(call, rows=rows, fault=_shape(wanted, told, scores))


def _shape(wanted: list[float], told: list[float], scores: Any) -> str:
    """The name of what is wrong, where it is of a known shape."""

    def alike(some: Any, others: Any) -> bool:
        pairs = list(zip(some, others, strict=False))
        return bool(pairs) and all(abs(a - b) <= _CLOSE for a, b in pairs)

    if len(told) != len(wanted):
        return f"{len(told)} entries for {len(wanted)} ids"
    if len(wanted) > 1 and (alike(wanted[1:], told[:-1]) or alike(wanted[:-1], told[1:])):
        return "one place off"
    named = {
        "of the likeliest id": scores.max(-1).values.tolist(),
        "probabilities, and no logarithms": [math.exp(one) for one in wanted],
        "to the base 2": [one / math.log(2) for one in wanted],
        "to the base 10": [one / math.log(10) for one in wanted],
        "with the sign of a loss": [-one for one in wanted],
    }
    return next((name for name, values in named.items() if alike(values, told)), "")


@check("BODY-8", cases=lambda *_: spoiled())
def body_8(subject: RolloutSubject, case: SpoiledCase) -> None:
    """A logprob that is missing or not finite is refused or marked, and never replaced by a number."""
    scene = Scene.of(subject, case.tokenizer, weights=case.weights)
    with scene.watch.away():
        spoil(scene.model, scene.likely_prompt(case.prompts[0]), case.spoiled, case.at)
    body = scene.body(sampling=sampling(temperature=0, max_tokens=case.max_tokens))
    wanted = "logprobs_missing, or a ValueError that names the sample, the completion, the position and the value"
    answer = scene.attempt(body, [sample_of(text) for text in case.prompts], wanted)
    if isinstance(answer, ValueError):
        best = [scene.greedy(scene.likely_prompt(text), case.max_tokens) for text in case.prompts]
        _expect_place_named(scene.call, answer, best, wanted)
        return
    broken = [_expect_marked(scene, one, len(case.prompts)) for one in answer if one.ids("completion_ids") is not None]
    if not any(broken):
        raise Unexercised("every logprob of what was sampled is finite")


def _expect_place_named(call: str, error: ValueError, best: list[Greedy], wanted: str) -> None:
    said = str(error)
    numbers = numbers_in(said)
    places = [{at, 0, one.broken} for at, one in enumerate(best) if one.broken is not None]
    value = re.search(r"(?i)\bnan\b|\binf|\bnone\b|missing", said)
    if not places or not value or not any(place <= numbers for place in places):
        missing = "" if not places else "the value" if not value else "sample, completion and position"
        fault = f"the message does not name {missing}" if missing else "nothing is missing here"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)


def _expect_marked(scene: Scene, one: Recorded, count: int) -> bool:
    """Whether something is missing, which is then marked."""
    ids = one.ids("completion_ids") or []
    prompt = scene.truth(one, count)
    # An id at a time: in one run over all of them a NaN shows at places before it, for a mask multiplies it by zero.
    values = [float(scene.logprobs([*prompt, *ids[:at]], [id])[0, id]) for at, id in enumerate(ids)]
    missing = [at for at, value in enumerate(values) if not math.isfinite(value)]
    told, marked = one.info.get("logprobs"), one.info.get("logprobs_missing")
    call = f"{scene.call}; {one.where}"
    if missing and (told is not None or not set(missing) <= set(_places(marked))):
        rows: dict[str, Any] = {
            "entry": list(range(len(ids))),
            "the model's": [f"{value:.4f}" for value in values],
        }
        if told is not None:
            rows["got"] = [f"{value:.4f}" for value in told] if isinstance(told, list) else [short(told)]
            fault = f"expected no logprobs, and logprobs_missing {missing}"
            raise Violation.of(call, rows=rows, fault=fault)
        raise Violation.of(f"{call}; logprobs_missing", expected=missing, got=marked)
    return bool(missing)


def _places(marked: Any) -> list[int]:
    """The positions that are marked; an engine may give fewer logprobs than the model has."""
    return marked if isinstance(marked, list) and marked == sorted(marked) else []
