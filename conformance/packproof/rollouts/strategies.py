"""Strategies for what a rollout body is tried on. Of two prompts none begins as the other, by any of the tokenizers."""

from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.rollout_cases import (
    BodyMadeCase,
    GenerationCase,
    GivenPromptCase,
    GroupCase,
    HookForm,
    MadeWith,
    MediaCase,
    NoSamplesCase,
    RepeatedCase,
    RolloutHookCase,
    RoutingCase,
    SpoiledCase,
    SpokenOfCase,
    TinyTokenizer,
    UntouchedCase,
)

__all__ = [
    "EVEN",
    "PROMPTS",
    "bodies_made",
    "drawn",
    "encoded",
    "given_prompts",
    "groups",
    "hooked",
    "media",
    "no_samples",
    "recorded_prompts",
    "repeated",
    "routed",
    "spoiled",
    "spoken_of",
    "untouched",
]

PROMPTS: tuple[str, ...] = (
    *("Hi", "yes", "no way", "a b", "0", " ok", "don't stop", "What is 2 + 2?", "the cat sat on the mat"),
    *("é 汉字", "<|im_end|>", "</s>x", "so ", "\tnow"),
)

EVEN: tuple[str, ...] = ("yes", "a b", "it is", "c d", "x y")
"""Texts of two ids each, whichever the tokenizer, so that nothing is filled up to generate from them together."""

_tokenizer = st.sampled_from(get_args(TinyTokenizer))
_weights = st.integers(0, 30)
_positions = st.sampled_from(["rotary", "learned"])
_given = {"tokenizer": _tokenizer, "weights": _weights}


def _prompts(least: int = 1, most: int = 3) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(PROMPTS), min_size=least, max_size=most, unique=True)


def _even(most: int = 3) -> st.SearchStrategy[list[str]]:
    several: st.SearchStrategy[list[str]] = st.lists(st.sampled_from(EVEN), min_size=2, max_size=most, unique=True)
    return _prompts(1, 1) | several


def _with_equal(least: int = 1, most: int = 3) -> st.SearchStrategy[list[str]]:
    """The same, now and then with one of them once more."""
    again = st.builds(lambda some, at: [*some, some[at % len(some)]], _prompts(least, most), st.integers(0, most))
    return _prompts(least, most) | _prompts(least, most) | again


def bodies_made() -> st.SearchStrategy[BodyMadeCase]:
    """Everything that a body is not to be made with."""
    return st.builds(BodyMadeCase, given=st.sampled_from(get_args(MadeWith)))


def encoded() -> st.SearchStrategy[GenerationCase]:
    """Texts that a body encodes: of all lengths, none among them, and too long for the model by an id or two."""
    plain = st.builds(GenerationCase, prompts=_prompts(), **_given)
    empty = st.builds(lambda some, at: [*some[:at], "", *some[at:]], _prompts(0, 1), st.integers(0, 1))
    room = st.builds(
        GenerationCase,
        prompts=_prompts(1, 2),
        max_tokens=st.just(1),
        room=st.sampled_from([0, 1, -1]),
        positions=_positions,
        **_given,
    )
    return st.one_of(plain, plain, st.builds(GenerationCase, prompts=empty, **_given), room)


def recorded_prompts() -> st.SearchStrategy[GenerationCase]:
    """Texts of different lengths, in groups."""
    return st.builds(
        GenerationCase, prompts=_prompts(), group=st.integers(1, 2), max_tokens=st.integers(1, 2), **_given
    )


def drawn() -> st.SearchStrategy[GenerationCase]:
    """Completions that are drawn, at several temperatures."""
    return st.builds(
        GenerationCase,
        prompts=_even(2),
        group=st.integers(1, 2),
        max_tokens=st.integers(1, 5),
        temperature=st.sampled_from([1.0, 0.5, 2.0, 0.0]),
        positions=_positions,
        training=st.sampled_from([False, False, True]),
        **_given,
    )


def hooked() -> st.SearchStrategy[RolloutHookCase]:
    """Hooks of every form."""
    return st.builds(
        RolloutHookCase,
        hook=st.sampled_from(get_args(HookForm)),
        prompts=_with_equal(1, 2),
        group=st.integers(1, 2),
        max_tokens=st.integers(1, 2),
        **_given,
    )


_ids = st.sampled_from([[71, 68], [45, 72, 300], [110, 111, 112], [420], [256, 257, 258, 259]])


def given_prompts() -> st.SearchStrategy[GivenPromptCase]:
    """Ids that no text would be encoded to, for all samples or for some, and what is to be refused."""
    some = st.lists(_ids, min_size=1, max_size=3, unique_by=tuple)
    mixed = st.builds(lambda some, at: [*some[:at], None, *some[at:]], some, st.integers(0, 3))
    answered = st.builds(GivenPromptCase, prompt_ids=some | mixed, group=st.integers(1, 2), **_given)
    by_packer = st.builds(GivenPromptCase, prompt_ids=mixed, how=st.just("by the packer"), **_given)
    pictured = st.builds(
        GivenPromptCase,
        prompt_ids=some,
        how=st.sampled_from(["to generate", "by the packer"]),
        images=st.integers(1, 2),
        **_given,
    )
    ways = ["one entry less", "one entry more", "the last one empty", "to a packer that takes none"]
    refused = st.builds(GivenPromptCase, prompt_ids=some, how=st.sampled_from(ways), **_given)
    long = st.builds(GivenPromptCase, prompt_ids=some, room=st.sampled_from([0, -1, 1]), **_given)
    return st.one_of(answered, answered, by_packer, pictured, refused, long)


def spoiled() -> st.SearchStrategy[SpoiledCase]:
    """Logits that turn NaN after a place, or hold an infinity at one."""
    return st.builds(
        SpoiledCase,
        prompts=_prompts(1, 2),
        spoiled=st.sampled_from(["NaN", "an infinity"]),
        at=st.integers(0, 1),
        max_tokens=st.integers(3, 4),
        **_given,
    )


def routed() -> st.SearchStrategy[RoutingCase]:
    """Models with routed experts, and now and then one without, or a body that is not asked to record."""
    recorded = st.builds(
        RoutingCase, prompts=_prompts(1, 2), group=st.sampled_from([1, 2, 2]), max_tokens=st.integers(1, 3), **_given
    )
    without = st.builds(RoutingCase, prompts=_prompts(1, 1), experts=st.just(False), **_given)
    off = st.builds(RoutingCase, prompts=_prompts(1, 1), replay=st.just(False), experts=st.booleans(), **_given)
    return st.one_of(recorded, recorded, recorded, without, off)


def groups() -> st.SearchStrategy[GroupCase]:
    """Samples of which one ends first, in groups, and sizes of groups that are none."""
    good = st.builds(
        GroupCase,
        prompts=_with_equal(1, 3),
        n=st.integers(1, 3),
        max_tokens=st.integers(2, 3),
        short=st.integers(0, 2),
        **_given,
    )
    odd: Any = st.sampled_from([0, -1, 1.5, "2"])
    return st.one_of(good, good, st.builds(GroupCase, prompts=_prompts(1, 1), n=odd, **_given))


def no_samples() -> st.SearchStrategy[NoSamplesCase]:
    """With ids and without, in groups of any size."""
    return st.builds(NoSamplesCase, group=st.integers(1, 3), prompt_ids=st.booleans())


def repeated() -> st.SearchStrategy[RepeatedCase]:
    """Calls that are repeated with a seed, and groups whose draws are told apart."""
    again = st.builds(
        RepeatedCase,
        prompts=_prompts(1, 2),
        seed=st.sampled_from([0, 1, 7, 2**31]),
        group=st.integers(1, 2),
        calls=st.integers(1, 2),
        **_given,
    )
    apart = st.builds(
        RepeatedCase,
        prompts=_prompts(1, 1),
        seed=st.sampled_from([None, 0, 7]),
        group=st.just(4),
        even=st.just(True),
        **_given,
    )
    return again | apart


def spoken_of() -> st.SearchStrategy[SpokenOfCase]:
    """Tokenizers that add special tokens and others that do not, with a guard and without."""
    return st.builds(SpokenOfCase, tokenizer=_tokenizer, guarded=st.booleans())


def media() -> st.SearchStrategy[MediaCase]:
    """Samples with images, of which the packer hands over nothing, the data, their ids, and settings."""
    return st.builds(
        MediaCase,
        images=st.integers(1, 2),
        entries=st.sampled_from(["none", "data", "data and ids", "data, ids and settings"]),
        group=st.integers(1, 2),
        **_given,
    )


def untouched() -> st.SearchStrategy[UntouchedCase]:
    """Calls that are answered, with ids and without, and calls that are refused."""
    return st.builds(
        UntouchedCase,
        prompts=_with_equal(1, 3),
        given=st.booleans(),
        group=st.integers(1, 2),
        refused=st.sampled_from([False, False, True]),
        experts=st.sampled_from([False, False, True]),
        training=st.booleans(),
        **_given,
    )
