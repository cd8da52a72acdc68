"""Cases of recorded routing, built up constructively: ids say where they come from, and expert ids differ by place."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from packer_schemas.plain_array import Array
from packer_schemas.routing_cases import RoutedSample, RoutingBatchCase
from packproof.fitting import Cases
from packproof.routed.broken import broken_rules
from packproof.vocabulary import Vocabulary

__all__ = [
    "BORDERS",
    "FEW",
    "SOME",
    "WIDE",
    "WITH_MISSING",
    "batches",
    "containers",
    "layouts",
    "record",
    "sample",
    "samples",
    "shapes",
]

FEW = ((0, 1, 2, 3),)
"""Experts that every model with routing has."""

SOME = (*FEW, tuple(range(101)))
"""Experts that every type holds, each in a place of its own as far as they go."""

BORDERS = (0, 3, 127, 128, 255, 256, 32767, 32768, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1)

WIDE = (*FEW, (255, 0, 3), (200, 1, 255), *((top, 0, 3, 2, top, 1) for top in BORDERS))
"""Experts up to the borders of the types, in no order and with repeats."""

WITH_MISSING = ((-1, 0, 2), (3, -1, -1, 0), (-1,))
"""Places without a record among others, and records without any."""

_NARROW, _LONG = (1, 2, 3), 40
_SIZES = {"uint8": 255, "int8": 127, "int16": 32767, "int32": 2**31 - 1, "int64": 2**63 - 1}


def shapes(*, least: int = 1) -> st.SearchStrategy[tuple[int, int]]:
    """Prompt and completion lengths of a sample of `least` ids and more; a few samples are long."""
    short = st.tuples(st.integers(1, 3), st.integers(max(0, least - 1), 3))
    return st.one_of(short, short, short, st.tuples(st.integers(1, 2), st.just(_LONG)))


def layouts() -> st.SearchStrategy[tuple[int, int]]:
    """Layers and top_k."""
    return st.tuples(st.integers(1, 3), st.integers(1, 3))


def containers() -> st.SearchStrategy[Any]:
    """What a record that is to be taken is handed over in."""
    return st.sampled_from(["tensor", "numpy"])


def record(pool: Sequence[int], start: int, shape: Sequence[int], dtype: str = "int64") -> Array:
    """A record of this shape with the ids of the pool one after the other, from `start` on, again and again."""
    count = 1
    for size in shape:
        count *= size
    values = [pool[(start + at) % len(pool)] for at in range(count)]
    return Array(dtype=dtype, shape=list(shape), values=[_plain(value) for value in values])


def _plain(value: int) -> int | str:
    return value if abs(value) <= 2**53 else str(value)


def _types(pool: Sequence[int]) -> list[str]:
    """Types that hold every id of a pool, the widest first; bytes twice, where it takes all of their bits."""
    fitting = [name for name, most in _SIZES.items() if max(pool) <= most and (min(pool) >= 0 or name != "uint8")]
    return [*fitting[::-1], *(["uint8"] if 127 < max(pool) <= 255 else [])]


def sample(
    vocabulary: Vocabulary, number: int, lengths: tuple[int, int], array: Array | None, container: Any = "tensor"
) -> RoutedSample:
    """Sample `number` of a batch, counted from 1, with as many prompt and completion ids."""
    size = vocabulary.size
    prompt, completion = (
        [(100 * number + origin + at) % size for at in range(count)]
        for origin, count in zip((10, 20), lengths, strict=True)
    )
    return RoutedSample(prompt_ids=prompt, completion=completion, record=array, container=container)


@st.composite
def samples(
    draw: st.DrawFn,
    vocabulary: Vocabulary,
    pools: Sequence[Sequence[int]],
    counts: tuple[int, int] = (1, 4),
    *,
    typed: bool = True,
) -> list[RoutedSample]:
    """Samples with good records of one layout, of ids out of `pools`; `counts` are how few and how many.

    If `typed` the records come in any type that holds them, as tensors and arrays, else as tensors of int64.
    """
    layout, made = draw(layouts()), []
    for number in range(1, draw(st.integers(*counts)) + 1):
        lengths, pool = draw(shapes()), draw(st.sampled_from(pools))
        dtype = draw(st.sampled_from(_types(pool))) if typed else "int64"
        start = draw(st.integers(0, len(pool) - 1))
        array = record(pool, start, (sum(lengths) - 1, *layout), dtype)
        made.append(sample(vocabulary, number, lengths, array, draw(containers()) if typed else "tensor"))
    return made


def batches(pools: Sequence[Sequence[int]] = SOME, *, least: int = 1, may_break: Sequence[str] = ()) -> Cases:
    """Batches whose records are to be taken, with ids out of `pools`, up to three columns wider than the longest.

    A case that a user gives may have records that `may_break` speaks of.
    """

    def build(model: str | None, vocabulary: Vocabulary) -> st.SearchStrategy[RoutingBatchCase]:
        return st.builds(
            lambda samples, extra: RoutingBatchCase(model=model, samples=samples, extra_width=extra),
            samples(vocabulary, pools, (least, 4)),
            st.integers(0, 3),
        )

    def unfit(case: RoutingBatchCase, _: Any) -> str:
        broken = [one for one in broken_rules(case.samples, case.experts) if one not in may_break]
        if broken:
            return f"its records are for {', '.join(broken)} to refuse"
        none = all(one.record is None for one in case.samples) and "ROUTE-8" not in may_break
        return "none of its samples has a record" if none else ""

    return Cases(build, unfit)
