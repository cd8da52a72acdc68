"""Chapter bodies, before anything is generated: how a body is made, and what it hands the model."""

import re
import warnings
from typing import Any

from packer_schemas.rollout_cases import BodyMadeCase, GenerationCase, GivenPromptCase, NoSamplesCase, SpokenOfCase
from packproof.consumers.subject import RolloutSubject
from packproof.driver import short
from packproof.expect import expect_ids
from packproof.load import describe
from packproof.registry import check
from packproof.rollouts.media import entries_of, expect_entry_named, image, media_model
from packproof.rollouts.messages import expect_numbers, names_a_call
from packproof.rollouts.packers import Guarded, GuardedHooks, Plain, Pretokenized, sample_of
from packproof.rollouts.recorded import Recorded
from packproof.rollouts.scene import Scene, ask, generate_call, sampling
from packproof.rollouts.strategies import bodies_made, encoded, given_prompts, no_samples, spoken_of
from packproof.violation import CallFailed, Unexercised, Violation
from packproof.wording import plural

__all__: list[str] = []

_TEXT = {"max_tokens": 2, "temperature": 0}


@check("BODY-1", cases=lambda *_: bodies_made())
def body_1(subject: RolloutSubject, case: BodyMadeCase) -> None:
    """The packer is given at construction and by keyword: left out or positional it is a TypeError, and None is a
    ValueError that says how to build one."""
    scene = Scene.of(subject)
    packer = scene.packer
    ways: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
        "no packer": ("model", (), {}),
        "a positional packer": ("model, packer", (packer,), {}),
        "a positional tokenizer": ("model, tokenizer", (packer.tokenizer,), {}),
        "a positional sampling": (f"model, {_TEXT}, packer=packer", (dict(_TEXT),), {"packer": packer}),
        "a tokenizer by name": ("model, tokenizer=tokenizer", (), {"tokenizer": packer.tokenizer}),
        "None for the packer": ("model, packer=None", (), {"packer": None}),
        "a packer that takes no samples": ("model, packer=object()", (), {"packer": object()}),
    }
    typed, places, named = ways[case.given]
    call = f"factory({typed})"
    is_none, no_packer = case.given == "None for the packer", case.given == "a packer that takes no samples"
    accept = (ValueError,) if is_none else (TypeError, ValueError) if no_packer else (TypeError,)
    wanted = " or ".join(one.__name__ for one in accept)
    if is_none:
        wanted += f" that names {subject.body_name}, packer and a call that builds one"
    error = scene.refused(call, lambda: subject.factory(scene.model, *places, **named), wanted, accept)
    if is_none:
        _expect_help(subject, call, error, wanted)
    if scene.watch.calls:
        raise Violation.of(call, expected="a refusal before the model is run", got=f"{scene.watch.calls} runs of it")


def _expect_help(subject: RolloutSubject, call: str, error: Exception, wanted: str) -> None:
    said = str(error)
    bases = [one.__name__ for one in getattr(subject.factory, "__mro__", ()) if one is not object]
    own = {subject.body_name, getattr(subject.factory, "__name__", subject.body_name), *bases}
    missing = ["the body"] * (not any(name in said for name in own)) + ["packer"] * ("packer" not in said)
    missing += ["a call that builds one"] * (not names_a_call(said, own))
    if missing:
        fault = f"the message does not name {missing[0]}"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)


@check("BODY-2", cases=lambda *_: encoded())
def body_2(subject: RolloutSubject, case: GenerationCase) -> None:
    """A body that encodes a prompt itself does so with its packer's tokenizer and without special tokens."""
    if subject.hands_over_text:
        raise Unexercised("its engine encodes the prompts (hands_over_text), of which BODY-4 and BODY-14 speak")
    packer = GuardedHooks(case.tokenizer)
    wanted = [list(packer.tokenizer(text, add_special_tokens=False)["input_ids"]) for text in case.prompts]
    longest = max(map(len, wanted))
    limit = 64 if case.room is None else longest + case.room
    scene = Scene.of(
        subject, case.tokenizer, packer=packer, architecture=case.positions, weights=case.weights, limit=max(limit, 1)
    )
    body = scene.body(sampling=sampling(temperature=0, max_tokens=case.max_tokens))
    samples = [sample_of(text) for text in case.prompts]
    if not min(map(len, wanted)) or longest >= limit:
        _expect_unfit_refused(scene, body, samples, wanted, limit=limit)
        return
    try:
        answer = scene.trajectories(body, samples)
    except CallFailed as error:
        if case.room is None:
            raise
        expected = f"an answer, for the longest prompt has {longest} ids"
        raise Violation.of(scene.call, expected=expected, got=error.counterexample.got) from None
    for at, ids in enumerate(wanted):
        _expect_handed(scene, at, len(wanted), ids)
    for at, one in enumerate(answer if len(answer) == len(wanted) else []):
        _expect_decoded(scene, Recorded.of(one, at, 1, scene.call), wanted[at], case.max_tokens)


def _expect_decoded(scene: Scene, one: Recorded, prompt: list[int], most: int) -> None:
    """The text of a body that gives no ids is what the tokenizer makes of all sampled ids, special ones or not."""
    if one.info.get("completion_ids") is not None or not isinstance(one.completion, str):
        return
    best = scene.greedy(prompt, most)
    ends = [best.ids, best.ids[:-1]] if best.ids[-1] in scene.stop else [best.ids]
    texts = [scene.tokenizer.decode(ids, skip_special_tokens=skip) for ids in ends for skip in (False, True)]
    if best.settled and one.completion not in texts:
        call = f"{scene.call}; text of {one.where}, sampled are {best.ids}"
        raise Violation.of(call, expected=repr(texts[0]), got=repr(one.completion))


def _expect_unfit_refused(
    scene: Scene, body: Any, samples: Any, prompts: list[list[int]], *, limit: int, given: Any = None
) -> None:
    """A prompt of no ids, or one that leaves no room, is refused before anything is generated."""
    call = generate_call(samples, given)
    at, ids = next((at, ids) for at, ids in enumerate(prompts) if not ids or len(ids) >= limit)
    if not ids:
        scene.refused(f"{call}: sample {at} encodes to no ids", lambda: ask(body, samples, given), "ValueError")
    else:
        told = f"{call}: sample {at} has {len(ids)} {plural(len(ids), 'id')}, and the model takes {limit}"
        wanted = "ValueError that names the sample, its length and the limit"
        error = scene.refused(told, lambda: ask(body, samples, given), wanted)
        unfit = [(at, len(ids)) for at, ids in enumerate(prompts) if len(ids) >= limit]
        expect_numbers(told, error, [(at, length, limit) for at, length in unfit], wanted)
    if scene.watch.calls:
        raise Violation.of(call, expected="a refusal before the model is run", got=f"{scene.watch.calls} runs of it")


def _expect_handed(scene: Scene, at: int, count: int, ids: list[int]) -> None:
    if not scene.was_handed(ids):
        call = f"{scene.call}; what the model was handed for sample {at}"
        expect_ids(call, ids, scene.handed(at, count), tokenizer=scene.tokenizer)


@check("BODY-5", cases=lambda *_: given_prompts())
def body_5(subject: RolloutSubject, case: GivenPromptCase) -> None:
    """Prompt ids handed to generate reach the model verbatim."""
    lengths = [len(ids) for ids in case.prompt_ids if ids]
    limit = 64 if case.room is None else max(max(lengths, default=1) + case.room, 1)
    takes_none = case.how == "to a packer that takes none"
    packer = (Plain if takes_none else GuardedHooks)(case.tokenizer)
    packer.from_samples = case.how == "by the packer"
    scene = Scene.of(subject, case.tokenizer, packer=packer, weights=case.weights, limit=limit)
    body = scene.body(sampling=sampling(temperature=0, max_tokens=1 if case.room is not None else 2, n=case.group))
    entries = entries_of("data and ids" if case.images else "none", [image(number) for number in range(case.images)])
    taken = media_model(scene.model) if case.images else []
    samples = [sample_of("Hi", prompt_ids=ids, entries=entries) for ids in case.prompt_ids]
    given = [ids and list(ids) for ids in case.prompt_ids]
    if case.how == "to a packer that takes none":
        _expect_method_named(scene, body, samples, given)
    elif case.how in _MISTAKES:
        given = _MISTAKES[case.how](given)
        scene.refused(generate_call(samples, given), lambda: ask(body, samples, given), "ValueError")
    elif max(lengths, default=0) >= limit:
        _expect_unfit_refused(scene, body, samples, [ids or [0] for ids in given], limit=limit, given=given)
    else:
        _expect_verbatim(scene, body, samples, given, case)
        if case.images and not any("multi_modal_data" in one for one in taken):
            images = f"{case.images} {plural(case.images, 'image')}"
            call = f"{scene.call}, with the {images} of the ids; media that the engine got"
            raise Violation.of(call, expected=", ".join(entries), got="none", fault="the media of given ids are lost")


_MISTAKES = {
    "one entry less": lambda given: given[:-1],
    "one entry more": lambda given: [*given, [0]],
    "the last one empty": lambda given: [*given[:-1], []],
}


def _expect_method_named(scene: Scene, body: Any, samples: Any, given: Any) -> None:
    call, method = generate_call(samples, given), "get_pretokenized_rollout_input"
    wanted = f"TypeError or ValueError that names {method}"
    told = f"{call}, with a packer without {method}"
    error = scene.refused(told, lambda: ask(body, samples, given), wanted, (TypeError, ValueError))
    if method not in str(error):
        fault = "the message does not name the method"
        raise Violation.of(told, expected=wanted, got=f"raised {describe(error)}", fault=fault)


def _expect_verbatim(scene: Scene, body: Any, samples: Any, given: list[Any], case: GivenPromptCase) -> None:
    handed_over = case.how == "to generate"
    try:
        records = scene.generate(body, samples, given if handed_over else None, group=case.group)
    except CallFailed as error:
        expect_entry_named(scene.call, error, samples[0].representations["entries"])
        raise Unexercised("its engine takes no media") from None
    asked: list[Any] = scene.packer.named("get_pretokenized_rollout_input")
    if handed_over and [ids for _, ids in asked] != [ids for ids in given if ids]:
        call = f"{scene.call}; calls of the packer's get_pretokenized_rollout_input"
        raise Violation.of(call, expected=[ids for ids in given if ids], got=[ids for _, ids in asked])
    others = len(scene.packer.named("get_rollout_input"))
    if others != (given.count(None) if handed_over else len(given)):
        call = f"{scene.call}; calls of get_rollout_input"
        raise Violation.of(call, expected=given.count(None) if handed_over else len(given), got=others)
    for at, ids in enumerate(given):
        if ids:
            _expect_handed(scene, at, len(given), ids)
    if len(given) == 1 and given[0] and (told := records[0].ids("prompt_ids")) is not None:
        expect_ids(f"{scene.call}; prompt_ids", given[0], told, tokenizer=scene.tokenizer)


@check("BODY-11", cases=lambda *_: no_samples())
def body_11(subject: RolloutSubject, case: NoSamplesCase) -> None:
    """A call without samples is refused with ValueError."""
    scene = Scene.of(subject)
    body = scene.body(sampling=sampling(max_tokens=1, n=case.group))
    given: Any = [] if case.prompt_ids else None
    call = generate_call([], given)
    wanted = "ValueError that says there are 0 samples"
    error = scene.refused(call, lambda: ask(body, [], given), wanted)
    if not re.search(r"(?<!\d)0(?!\d)", str(error)) or "sample" not in str(error).lower():
        fault = "the message does not name 0 samples"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)
    if scene.watch.calls:
        raise Violation.of(call, expected="an engine that is not asked", got=f"{scene.watch.calls} runs of the model")


@check("BODY-14", cases=lambda *_: spoken_of())
def body_14(subject: RolloutSubject, case: SpokenOfCase) -> None:
    """A body that hands over text warns where the packer's tokenizer adds special tokens, and goes on."""
    packer = Guarded(case.tokenizer) if case.guarded else Pretokenized(case.tokenizer)
    scene = Scene.of(subject, case.tokenizer, packer=packer)
    adds = isinstance(packer, Guarded) and packer.adds_special_tokens()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        body = _made(scene, f"factory(model, packer=packer), whose tokenizer is that of {case.tokenizer}")
    said = [str(one.message) for one in heard if issubclass(one.category, UserWarning) and _is_about_ids(one, scene)]
    guard = f"adds_special_tokens() is {adds}" if case.guarded else "the packer has no guard"
    call = f"factory(model, packer=packer), where {guard}"
    if len(said) != int(adds):
        raise Violation.of(call, expected="one UserWarning" if adds else "no warning", got=said or "no warning")
    if adds:
        _expect_spoken(call, said[0], type(packer.tokenizer).__name__)
    scene.trajectories(body, [sample_of("Hi")])


def _made(scene: Scene, call: str) -> Any:
    try:
        return scene.raw_body(sampling=dict(_TEXT))
    except Exception as error:
        wanted = "a body, whatever the tokenizer adds"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}") from None


def _is_about_ids(one: warnings.WarningMessage, scene: Scene) -> bool:
    """Whether it speaks of the tokenizer or of special tokens; libraries warn of much else."""
    text = str(one.message).lower()
    return any(word in text for word in ("special token", "tokenizer", "bos", type(scene.tokenizer).__name__.lower()))


def _expect_spoken(call: str, said: str, tokenizer: str) -> None:
    wanted = f"a warning that names {tokenizer}, and says that the recorded prompt ids decide"
    text = said.lower().replace("_", " ")
    absent = [tokenizer] * (tokenizer not in said)
    absent += ["the prompt ids"] * ("prompt id" not in text) + ["that they are recorded"] * ("record" not in text)
    if absent:
        raise Violation.of(call, expected=wanted, got=short(said), fault=f"the warning does not say {absent[0]}")
