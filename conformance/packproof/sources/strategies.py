"""Strategies for what a source is tried on: which items are read, how, and when it is asked."""

from typing import get_args

from hypothesis import strategies as st

from packer_schemas.source_cases import (
    ItemForm,
    Reading,
    SourceAskedCase,
    SourceOutsideCase,
    SourceReadingCase,
    SourceSpanCase,
    TripleCase,
    When,
)

__all__ = ["asked", "outside", "readings", "spans", "triples"]

_place = st.integers(0, 20) | st.integers(0, 10**6)


def readings() -> st.SearchStrategy[SourceReadingCase]:
    """A few items, some of them more than once, read a second time in any way there is."""
    places = st.lists(_place, min_size=1, max_size=8)
    return st.builds(SourceReadingCase, reading=st.sampled_from(get_args(Reading)), places=places)


def spans() -> st.SearchStrategy[SourceSpanCase]:
    """Items next to each other, from the start, the end, or anywhere."""
    place = st.integers(-20, 20) | st.integers(-(10**6), 10**6)
    return st.builds(SourceSpanCase, place=place, count=st.integers(1, 40))


def outside() -> st.SearchStrategy[SourceOutsideCase]:
    """Indices beyond either end, near and far, and negative ones that count from the end."""
    sides = st.sampled_from(["beyond the end", "before the start", "negative"])
    return st.builds(SourceOutsideCase, side=sides, distance=st.integers(0, 3) | st.integers(0, 10**6))


def asked() -> st.SearchStrategy[SourceAskedCase]:
    """Any circumstance, and any change of any argument."""
    when = st.sampled_from(get_args(When))
    return st.builds(SourceAskedCase, when=when, argument=st.integers(0, 5), place=_place)


def triples() -> st.SearchStrategy[TripleCase]:
    """Items of the source's own, and of the kit's with everything that an item of preferences may be taken for."""
    return st.builds(TripleCase, form=st.sampled_from(get_args(ItemForm)), place=_place)
