"""Which cases a rule can be tried on: what the kit generates is of that sort, what a user gives need not be."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packer_schemas.cases import (
    BadIdsCase,
    BatchCase,
    IdContainerCase,
    PolicyCase,
    PretokenizedCase,
    PromptCase,
    RefusedPromptCase,
    Sample,
)
from packer_schemas.routing_cases import RECORD_FIELDS
from packproof.load import describe

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from packproof.driver import Driver
    from packproof.vocabulary import Vocabulary

__all__ = [
    "Build",
    "Cases",
    "Shape",
    "holds_ids",
    "only",
    "unfit_bad_ids",
    "unfit_batch",
    "unfit_completion",
    "unfit_policy",
    "unfit_pretokenized",
    "unfit_prompt",
    "unfit_refused",
]

Build = Callable[[str | None, "Vocabulary"], "SearchStrategy[Any]"]
Unfit = Callable[[Any, "Driver"], str]

_MOST = 2**31  # ids that every container holds


@dataclass(frozen=True)
class Shape:
    """What samples a check wants: routes of prompt and completion, lengths, and tokens to ignore.

    `prompt` and `completion` list the routes allowed: "ids", "text", "conversation". `special` says whether special ids
    may stand in a completion; in a prompt they always may. With a text completion, only the tokenizer knows whether as
    many tokens as drawn can be ignored.
    """

    prompt: tuple[str, ...] = ("ids",)
    completion: tuple[str, ...] = ("ids",)
    prompt_len: tuple[int, int] = (1, 6)
    completion_len: tuple[int, int] = (1, 6)
    special: bool = True
    ignore: bool = False


@dataclass(frozen=True)
class Cases:
    """Where the cases of a check come from: the strategy for a model, given its name and its vocabulary.

    `unfit(case, driver)` says why a case of a user is not of that sort on a packer, or gives an empty string.
    """

    build: Build
    unfit: Unfit = lambda *_: ""

    def __call__(self, model: str | None, vocabulary: "Vocabulary") -> "SearchStrategy[Any]":
        """The strategy for one model."""
        return self.build(model, vocabulary)


def only(unfit: Unfit) -> Callable[[Build], Cases]:
    """The decorated strategy, and what does not fit it."""
    return lambda build: Cases(build, unfit)


def unfit_policy(shape: Shape, case: PolicyCase | IdContainerCase, driver: "Driver") -> str:
    """Why the sample of a case is not of `shape`."""
    return _unfit_sample(shape, case.sample, driver)


def unfit_batch(shape: Shape, least: int, most: int, case: BatchCase, driver: "Driver") -> str:
    """Why a batch is too small, is more than the one sample wanted, or has a sample that is not of `shape`."""
    count = len(case.samples)
    if count < least or most == 1 < count:
        return f"its number of samples is {count}, expected {least if most == 1 else f'{least} at least'}"
    found = ((number, _unfit_sample(shape, sample, driver)) for number, sample in enumerate(case.samples, 1))
    return next((f"in sample {number}, {why}" for number, why in found if why), "")


def unfit_prompt(routes: Sequence[str], rendered: bool, case: PromptCase, driver: "Driver") -> str:
    """Why a prompt comes by none of `routes`, or, where it has to be `rendered`, why it is not."""
    route = _route(case.prompt)
    if route not in routes:
        return f"its prompt comes as {route}, expected {' or '.join(routes)}"
    return _unfit_text(case.prompt, driver) if rendered or route == "text" else ""


def unfit_refused(case: RefusedPromptCase, _: "Driver") -> str:
    """Why a prompt that is to be refused is a good one."""
    turns = case.prompt if isinstance(case.prompt, list) else []
    if turns and all(isinstance(turn, dict) and {"role", "content"} <= set(turn) for turn in turns):
        return "its prompt is a conversation, which is not to be refused"
    return "its prompt is a string, which is not to be refused" if isinstance(case.prompt, str) else ""


def unfit_completion(case: RefusedPromptCase, _: "Driver") -> str:
    """Why a completion that is to be refused is a good one."""
    if isinstance(case.prompt, str) or (isinstance(case.prompt, list) and all(_is_id(one) for one in case.prompt)):
        return "its prompt, which is handed over as completion, is text or a list of ids, which is not to be refused"
    return ""


def unfit_bad_ids(case: BadIdsCase, _: "Driver") -> str:
    """Why ids that are to be refused are good ones, or no numbers at all."""
    strange = [one for one in case.ids if not isinstance(one, (bool, int, float)) or abs(one) >= _MOST]
    if strange:
        return f"its ids hold {strange[0]!r}, expected bools, floats and integers below 2**31"
    return "its ids are all good ones" if all(_is_id(one) for one in case.ids) else ""


def unfit_pretokenized(case: PretokenizedCase, driver: "Driver") -> str:
    """Why the ids of a prompt are none of the packer's vocabulary."""
    return _unfit_ids("token_ids", case.token_ids, driver)


def _unfit_sample(shape: Shape, sample: Sample, driver: "Driver") -> str:
    return (
        _unfit_route("prompt", _route(sample.prompt, sample.prompt_ids), shape.prompt, driver)
        or _unfit_route("completion", _route(sample.completion), shape.completion, driver)
        or _unfit_lengths(shape, sample)
        or _unfit_ignored(shape, sample)
        or _unfit_ids("prompt_ids", sample.prompt_ids or [], driver)
        or _unfit_ids("completion", sample.completion, driver)
        or (_unfit_text(sample.prompt, driver) if sample.prompt_ids is None else "")
    )


def _route(value: Any, stored: Any = None) -> str:
    """How a stream comes: as text, as a conversation, or as ids, stored or given themselves."""
    if stored is not None:
        return "ids"
    is_conversation = isinstance(value, list) and value and not isinstance(value[0], int)
    return "text" if isinstance(value, str) else "conversation" if is_conversation else "ids"


def _unfit_route(name: str, route: str, allowed: Sequence[str], driver: "Driver") -> str:
    if route not in allowed:
        return f"its {name} comes as {route}, expected {' or '.join(allowed)}"
    unread = not driver.vocabulary.takes(route)
    return f"its {name} comes as {route}, and the packer shows no tokenizer that takes it" if unread else ""


def _unfit_lengths(shape: Shape, sample: Sample) -> str:
    """Prompts of one id stand out in the masks, and so do empty completions; other lengths make no difference."""
    prompt_len, count = len(sample.prompt_ids or ()), len(sample.completion)
    if sample.prompt_ids == []:
        return "its prompt_ids are empty, of which AUTH-6 speaks"
    if shape.prompt_len[1] == 1 < prompt_len:
        return f"it has {prompt_len} prompt ids, expected 1"
    if count < shape.completion_len[0]:
        return "its completion is empty"
    return "its completion is not empty" if shape.completion_len[1] == 0 < count else ""


def _unfit_ignored(shape: Shape, sample: Sample) -> str:
    ignored, count = sample.n_ignore_prefix_tokens, len(sample.completion)
    if ignored and not shape.ignore:
        return f"its n_ignore_prefix_tokens is {ignored}, expected 0"
    if ignored < 0 or (isinstance(sample.completion, list) and ignored > count):
        return f"its n_ignore_prefix_tokens is {ignored} for {count} completion ids, of which MASK-4 speaks"
    return ""


def holds_ids(vocabulary: "Vocabulary", case: Any) -> bool:
    """Whether a vocabulary holds all ids of a case; one that nobody knows does."""
    return not vocabulary.encodes_text or _largest_id(case.model_dump()) < vocabulary.size


def _largest_id(value: Any) -> int:
    if isinstance(value, dict):
        return max([0, *(_largest_id(part) for name, part in value.items() if name not in RECORD_FIELDS)])
    parts = value if isinstance(value, list) else ()
    own = [one for one in parts if isinstance(one, int)]
    return max([0, *own, *map(_largest_id, parts)])


def _unfit_ids(name: str, ids: str | Sequence[int], driver: "Driver") -> str:
    size = driver.vocabulary.size if driver.vocabulary.encodes_text else _MOST
    beyond = [] if isinstance(ids, str) else [id for id in ids if id >= size]
    return f"its {name} holds the id {beyond[0]}, and those of {driver.model} end at {size - 1}" if beyond else ""


def _unfit_text(prompt: Any, driver: "Driver") -> str:
    """Why a prompt that is not given as ids is empty, or not taken by the chat template."""
    if not prompt:
        return "its prompt is empty, of which AUTH-5 speaks"
    if isinstance(prompt, str) or not driver.vocabulary.has_template:
        return ""
    try:
        driver.tokenizer.apply_chat_template(copy.deepcopy(prompt), tokenize=False, add_generation_prompt=True)
    except Exception as error:
        return f"the chat template of {driver.model} does not take its conversation: {describe(error)}"
    return ""


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
