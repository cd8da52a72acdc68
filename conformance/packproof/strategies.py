"""Strategies for cases, built up constructively so that nothing is filtered and everything shrinks to small ids.

Ids say where they come from: prompt ids of sample 1 are 110, 111, ..., its completion ids 120, 121, ...; those of
sample 2 are 210 and 220. Drawn beside them are arbitrary ids, special ones among them, rows longer than the embedded
tokenizers' `model_max_length`, and batches longer than any small unit that rows may be worked off in.
"""

from dataclasses import replace
from functools import cache, partial
from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.cases import (
    BatchCase,
    IdContainer,
    IdContainerCase,
    PolicyCase,
    PretokenizedCase,
    PromptCase,
    Sample,
    SetupCase,
)
from packproof.fitting import Cases, Shape, only, unfit_batch, unfit_policy, unfit_pretokenized, unfit_prompt
from packproof.vocabulary import Vocabulary

__all__ = [
    "IDS",
    "ROUTES",
    "batches",
    "conversations",
    "id_containers",
    "policies",
    "pretokenized",
    "prompts",
    "setups",
    "texts",
    "token_ids",
]

_PLAIN = ["a", "the packer", "the answer is 42", "don't stop.", "naïve 汉字 😀", "def pack(rows):\n    return rows\n"]
_ODD = ["  two  spaces ", "line\n\n\tbreak", " ", "<|im_end|>", "</s>", "e\u0301", "0", "a" * 70]
_LONG = (65, 66, 72, 80)
_MANY = 17


@cache
def texts() -> st.SearchStrategy[str]:
    """Non-empty text: plain phrases, odd pieces, more tokens than a tokenizer's limit, any characters at all."""
    anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
    return st.one_of(st.sampled_from([*_PLAIN, *_ODD, *("the " * count for count in _LONG)]), anything)


@cache
def conversations(
    parts: bool = True, turns: tuple[int, ...] = (1, 3, 5), *, rich: bool = False
) -> st.SearchStrategy[list[dict[str, Any]]]:
    """User and assistant in turn, the user first; content as a string or, if `parts`, a list of text parts.

    `turns` are the numbers of messages: odd ones end with the user, which every template takes. Not every one takes
    what is drawn if `rich`, see `_enriched`.
    """
    in_parts = texts().map(lambda text: [{"type": "text", "text": text}])
    content = st.one_of(texts(), in_parts) if parts else texts()
    plain = st.one_of([st.tuples(*[content] * count) for count in turns]).map(
        lambda contents: [
            {"role": ("user", "assistant")[index % 2], "content": value} for index, value in enumerate(contents)
        ]
    )
    return st.builds(_enriched, plain, st.booleans(), st.booleans(), st.sampled_from(_LAST)) if rich else plain


_LAST = ("", "nothing said", "twice", "tool")


def _enriched(turns: list[dict[str, Any]], system: bool, keys: bool, last: str) -> list[dict[str, Any]]:
    """With a system message in front, with reasoning kept beside the content, and with a last message that is empty, is
    followed by another of the same role, or by a tool's.
    """
    if keys:
        turns = [one | ({"reasoning_content": "why"} if one["role"] == "assistant" else {}) for one in turns]
    if last == "nothing said":
        turns = [*turns[:-1], turns[-1] | {"content": ""}]
    if last == "twice":
        turns = [*turns, turns[-1] | {"content": "again"}]
    if last == "tool":
        turns = [*turns, {"role": "tool", "content": "42"}]
    return [{"role": "system", "content": "be brief"}, *turns] if system else turns


@cache
def token_ids(
    vocabulary: Vocabulary, origin: int, least: int, most: int, *, special: bool = True
) -> st.SearchStrategy[list[int]]:
    """Ids of one stream, `least` to `most` of them: counted from `origin`, arbitrary, or many."""
    size = vocabulary.size
    avoid = () if special else vocabulary.special_ids

    def counted(count: int) -> list[int]:
        return [(origin + index) % size for index in range(count)]

    plain = st.sampled_from([id for id in range(min(size, 600)) if id not in avoid])
    one = st.one_of(plain, st.integers(0, size - 1), st.sampled_from(vocabulary.special_ids or (0,)))
    # one choice of length, so that a long row shrinks to a short one
    lengths = [*range(least, most + 1), *(_LONG if most > 1 else ())]
    return st.one_of(
        st.sampled_from(lengths).map(counted),
        st.lists(one if special else plain, min_size=least, max_size=most),
    )


IDS = Shape()
ROUTES = Shape(prompt=("ids", "text", "conversation"), completion=("ids", "text"), completion_len=(0, 6))


@cache
def samples(vocabulary: Vocabulary, shape: Shape, number: int = 1) -> st.SearchStrategy[Sample]:
    """Samples of a shape; `number` is the sample's place in its batch and shows in its ids."""
    prompt_ids = token_ids(vocabulary, 100 * number + 10, *shape.prompt_len)
    completion_ids = token_ids(vocabulary, 100 * number + 20, *shape.completion_len, special=shape.special)
    prompt_routes = {
        "ids": prompt_ids.map(lambda ids: {"prompt_ids": ids}),
        "text": texts().map(lambda text: {"prompt": text}),
        "conversation": conversations(vocabulary.takes_parts).map(lambda turns: {"prompt": turns}),
    }
    completion_routes = {"ids": completion_ids, "text": texts()}

    def sample(prompt: dict[str, Any], completion: Any, share: int) -> Sample:
        return Sample(**prompt, completion=completion, n_ignore_prefix_tokens=min(share, len(completion)))

    return st.builds(
        sample,
        st.one_of([prompt_routes[route] for route in shape.prompt if vocabulary.takes(route)]),
        st.one_of([completion_routes[route] for route in shape.completion if vocabulary.takes(route)]),
        st.integers(1, shape.completion_len[1]) if shape.ignore else st.just(0),
    )


def policies(shape: Shape = IDS, **changes: Any) -> Cases:
    """Policy cases with one sample of `shape`, changed by `changes`."""
    shape = replace(shape, **changes)
    return Cases(
        lambda model, vocabulary: samples(vocabulary, shape).map(lambda one: PolicyCase(model=model, sample=one)),
        partial(unfit_policy, shape),
    )


def batches(shape: Shape = IDS, *, least: int = 1, most: int = 4, extra: bool = True, **changes: Any) -> Cases:
    """Batch cases of `least` to `most` samples or many, up to 3 (if `extra`) columns wider than the longest."""
    shape = replace(shape, **changes)

    def build(model: str | None, vocabulary: Vocabulary) -> st.SearchStrategy[BatchCase]:
        one = [samples(vocabulary, shape, number + 1) for number in range(most)]
        counts = range(least, most + 1)
        rows = st.one_of([*(st.tuples(*one[:count]) for count in counts), *([_many(one[0], vocabulary)] * (most > 1))])
        return st.builds(
            lambda rows, width: BatchCase(model=model, samples=list(rows), extra_width=width),
            rows,
            st.integers(0, 3 if extra else 0),
        )

    return Cases(build, partial(unfit_batch, shape, least, most))


def _many(first: st.SearchStrategy[Sample], vocabulary: Vocabulary) -> st.SearchStrategy[tuple[Sample, ...]]:
    """One drawn sample and many plain ones, the last of them the longest."""

    def plain(number: int) -> Sample:
        count, size = (1 + number % 3 if number < _MANY else 5), vocabulary.size
        ids = ([id % size for id in range(start, start + count)] for start in (100 * number + 10, 100 * number + 20))
        return Sample(prompt_ids=next(ids), completion=next(ids))

    others = tuple(plain(number) for number in range(2, _MANY + 1))
    return first.map(lambda one: (one, *others))


_IN_CONTAINERS = replace(IDS, completion_len=(0, 6), ignore=True)


@only(partial(unfit_policy, _IN_CONTAINERS))
def id_containers(model: str | None, vocabulary: Vocabulary) -> st.SearchStrategy[IdContainerCase]:
    """A sample with ids, and the container that both of its streams come in."""
    return st.builds(
        lambda sample, container: IdContainerCase(model=model, sample=sample, container=container),
        samples(vocabulary, _IN_CONTAINERS),
        st.sampled_from(get_args(IdContainer)),
    )


def prompts(*routes: str, turns: tuple[int, ...] = (1, 3, 5), rich: bool = False) -> Cases:
    """Prompt cases by route, "text" or "conversation"; conversations of `turns` messages, and `rich` ones if asked."""

    def build(model: str | None, vocabulary: Vocabulary) -> st.SearchStrategy[PromptCase]:
        kinds = {"text": texts(), "conversation": conversations(vocabulary.takes_parts, turns, rich=rich)}
        wanted = [kinds[route] for route in routes if vocabulary.takes(route)] or [kinds[routes[0]]]
        return st.one_of(wanted).map(lambda prompt: PromptCase(model=model, prompt=prompt))

    return Cases(build, partial(unfit_prompt, routes, not rich))


@only(unfit_pretokenized)
def pretokenized(model: str | None, vocabulary: Vocabulary) -> st.SearchStrategy[PretokenizedCase]:
    """A prompt and exact ids, which need have nothing to do with each other."""
    return token_ids(vocabulary, 110, 1, 6).map(lambda ids: PretokenizedCase(model=model, token_ids=ids))


def setups(model: str | None, _: Vocabulary) -> st.SearchStrategy[SetupCase]:
    """The one case of a model."""
    return st.just(SetupCase(model=model))
