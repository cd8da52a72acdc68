"""Chapter sources, for what a source says of itself: its fingerprint and its membership ids."""

from typing import Any

from packer_schemas.source_cases import SourceAskedCase
from packproof.driver import short
from packproof.elsewhere import ENVIRONMENTS, ask_elsewhere
from packproof.registry import check
from packproof.same import same
from packproof.sources.strategies import asked
from packproof.sources.subject import SourceSubject
from packproof.sources.told import fingerprint_of, membership_of, sendable
from packproof.sources.traps import reading_nothing
from packproof.sources.variations import CHANGES, varied
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []

_COMPARED = 64
"""Items of two sources that are compared with each other, each with the one at its index."""

_PAIRED = 24
"""Items of two sources that are compared each with all."""


@check("SOURCE-10", cases=lambda *_: asked())
def source_10(subject: SourceSubject, case: SourceAskedCase) -> None:
    """cursor_fingerprint is the same in every process, and changes whenever the items, their order or their indexing
    changes."""
    if case.when in CHANGES:
        with varied(subject, case.when, case.argument, case.place) as (before, after, told):
            _expect_changed(subject, before, after, told)
        return
    first = fingerprint_of(subject, subject.build())
    if not isinstance(first, str) or not first:
        raise Violation.of("source.cursor_fingerprint()", expected="a string that is not empty", got=short(first))
    got = _asked_again(subject, case, "fingerprint")
    if got != first:
        raise Violation.of(f"source.cursor_fingerprint(), {case.when}", expected=short(first), got=short(got))


def _expect_changed(subject: SourceSubject, before: Any, after: Any, told: str) -> None:
    was, now = fingerprint_of(subject, before), fingerprint_of(subject, after)
    shown = _difference(subject, before, after)
    if not shown:
        raise Unexercised(f"{told}: no item shows the change")
    if was == now:
        call = f"source.cursor_fingerprint(), {told}: {shown}"
        raise Violation.of(call, expected=f"another string than {subject.shown(was)}", got=subject.shown(now))


def _difference(subject: SourceSubject, before: Any, after: Any) -> str:
    """How two sources can be seen to differ, in length or at the first index; an empty string if they cannot."""
    lengths = subject.length(before), subject.length(after)
    if lengths[0] != lengths[1]:
        return f"{lengths[0]} items made {lengths[1]}"
    last = range(max(lengths[0] - _COMPARED, 0), lengths[0])
    for index in dict.fromkeys([*range(min(_COMPARED, lengths[0])), *last]):
        items = subject.readable(before, index), subject.readable(after, index)
        if not same(*items):
            return f"source[{index}] {subject.shown(items[0])} made {subject.shown(items[1])}"
    return ""


@check("SOURCE-13", cases=lambda *_: asked())
def source_13(subject: SourceSubject, case: SourceAskedCase) -> None:
    """membership_ids gives every item one id of its own, and reads no item to do so."""
    if case.when in CHANGES:
        with varied(subject, case.when, case.argument, case.place) as (before, after, told):
            _expect_ids_go_along(subject, before, after, told)
        return
    source = subject.build()
    with reading_nothing(source, "source.membership_ids()"):
        first = membership_of(subject, source)
    _expect_ids(first, subject.length(source))
    got = _asked_again(subject, case, "ids")
    if got != first:
        raise Violation.of(f"source.membership_ids(), {case.when}", expected=short(first), got=short(got))


def _expect_ids(ids: Any, length: int) -> None:
    call = "source.membership_ids()"
    if not isinstance(ids, tuple):
        raise Violation.of(call, expected="a tuple of strings", got=f"a {type(ids).__name__}")
    if len(ids) != length:
        raise Violation.of(f"len({call})", expected=f"{length}, the length of the source", got=len(ids))
    seen: dict[str, int] = {}
    for index, one in enumerate(ids):
        if not isinstance(one, str) or not one:
            raise Violation.of(f"{call}[{index}]", expected="a string that is not empty", got=short(one))
        if seen.setdefault(one, index) != index:
            expected = f"an id that no other item has; [{seen[one]}] has it"
            raise Violation.of(f"{call}[{index}]", expected=expected, got=short(one))


def _expect_ids_go_along(subject: SourceSubject, before: Any, after: Any, told: str) -> None:
    """An item that stands in both sources, and once in each, has one id in both.

    That ids are unique is nothing to demand here: a change may have repeated the very column that they are taken from.
    """
    held = [_once(subject, source) for source in (before, after)]
    pairs = [(old, new) for old, first in held[0] for new, second in held[1] if same(first, second)]
    if not pairs:
        raise Unexercised(f"{told}: no item stands in both sources")
    ids = [membership_of(subject, before), _ids_after(subject, after, told)]
    _expect_ids(ids[0], subject.length(before))
    for old, new in pairs:
        if ids[0][old] != ids[1][new]:
            call = f"source.membership_ids()[{new}], {told}: the item was [{old}]"
            raise Violation.of(call, expected=subject.shown(ids[0][old]), got=subject.shown(ids[1][new]))


def _ids_after(subject: SourceSubject, after: Any, told: str) -> tuple[Any, ...]:
    """The ids of a changed source; `Unexercised` where it refuses to give some for what it holds now."""
    try:
        ids = membership_of(subject, after)
    except CallFailed as error:
        raise Unexercised(f"{told}: membership_ids() {error.counterexample.got}") from None
    if not isinstance(ids, tuple) or len(ids) != subject.length(after):
        raise Unexercised(f"{told}: membership_ids() gives no id for each item")
    return ids


def _once(subject: SourceSubject, source: Any) -> list[tuple[int, Any]]:
    """The first items that have no equal among them, by index."""
    items = [subject.readable(source, index) for index in range(min(subject.length(source), _PAIRED))]
    return [
        (index, item)
        for index, item in enumerate(items)
        if not any(other != index and same(item, one) for other, one in enumerate(items))
    ]


def _asked_again(subject: SourceSubject, case: SourceAskedCase, asks: str) -> Any:
    """The fingerprint or the ids under the circumstance of a case."""
    ask = fingerprint_of if asks == "fingerprint" else membership_of
    if case.when in ENVIRONMENTS:
        question = {"kwargs": sendable(subject), "places": [], "asks": asks}
        told = ask_elsewhere(subject, case.when, "source", question, f"{subject.call} in {case.when}").get(asks)
        return tuple(told) if isinstance(told, list) else told
    source = subject.build()
    if case.when == "asked again":
        ask(subject, source)
    elif case.when == "after reading":
        length = subject.length(source)
        for index in range(min(length, 8)):
            subject.readable(source, (case.place + index) % length)
    return ask(subject, source)
