"""Chapter sources, for preferences: what a source hands out, and what a run takes for a triple."""

from collections.abc import Mapping
from typing import Any

from packer_schemas.source_cases import TripleCase
from packproof.driver import refusal, short
from packproof.load import describe
from packproof.registry import check
from packproof.source_runs.asking import item_of, message_of, opened
from packproof.source_runs.triples import FACTORY, pairs
from packproof.sources.strategies import triples
from packproof.sources.subject import SourceSubject
from packproof.violation import Unexercised, Violation

__all__: list[str] = []

_TRIPLES = ("a triple", "a named triple")
_NEXT = 12
"""Items next to each other that are looked at in one case."""

_WANTED = "the tuple (prompt, winner, loser)"


@check("SOURCE-7", cases=lambda *_: triples())
def source_7(subject: SourceSubject, case: TripleCase) -> None:
    """An item of a preference source is a triple of prompt, winner and loser, in this order."""
    if case.form == "as the source has it":
        _expect_own_triple(subject, case.place)
    elif subject.run is None:
        raise Unexercised("no run is named (--source-run) that would take such an item in")
    elif case.form in _TRIPLES:
        _expect_taken(subject, case)
    else:
        _expect_refused(subject, case)


def _expect_own_triple(subject: SourceSubject, place: int) -> None:
    if subject.factory is None:
        raise Unexercised("no source is named (--source)")
    source = subject.source
    if isinstance(subject.readable(source, 0), Mapping):
        raise Unexercised("its items are rows, and no preferences")
    length = subject.count(source)
    first = place % length
    for index in range(first, min(first + _NEXT, length)):
        item = subject.readable(source, index)
        if not isinstance(item, tuple) or len(item) != 3:
            wanted = f"{_WANTED}, or a row of a prompt source"
            raise Violation.of(f"source[{index}]", expected=wanted, got=_shown(item))


def _shown(item: Any) -> str:
    return f"a tuple of {len(item)}" if isinstance(item, tuple) else f"a {type(item).__name__}: {short(item)}"


def _expect_taken(subject: SourceSubject, case: TripleCase) -> None:
    settings, index, call = _pointing(case)
    item = item_of(subject, opened(subject, "preferences", settings), index, call)
    wanted = tuple(pairs(case.form)[index])
    if not isinstance(item, tuple) or tuple(item) != wanted:
        raise Violation.of(f"{call}[{index}]", expected=wanted, got=short(item))


def _expect_refused(subject: SourceSubject, case: TripleCase) -> None:
    """When the source is opened, or when the item is read: both are in time."""
    settings, index, call = _pointing(case)
    call = f"{call}[{index}]"
    wanted = f"ValueError or TypeError that names {FACTORY}, the index and what was found"
    error = refusal(
        call, lambda: subject.run.open_preferences(settings)[index], subject.note, wording=wanted, show=short
    )
    said = message_of(error)
    kind = type(pairs(case.form)[index]).__name__
    missing = "" if FACTORY in said else FACTORY
    if not missing and not any(word in said.lower() for word in (kind, *_ALSO.get(kind, ()))):
        missing = kind
    at = said.replace(FACTORY, "")
    if missing or not any(str(one) in at for one in {index, 0}):  # a run is free to look at the first item
        fault = f"the message does not name {missing or f'the index {index}'}"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)


_ALSO = {"dict": ("mapping", "keys"), "str": ("text",), "tuple": ("length",)}
"""Other words for what was found."""


def _pointing(case: TripleCase) -> tuple[dict[str, Any], int, str]:
    """Settings that lead to a source of such items, an index of it, and the call that opens it."""
    index = case.place % len(pairs(case.form))
    settings = {"factory": FACTORY, "factory_kwargs": {"form": case.form}}
    return settings, index, f"open_preferences(a source whose items are {case.form})"
