"""Chapter sources, for what a source says of itself: its fingerprint and its membership ids."""

from collections.abc import Callable
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
from packproof.sources.variations import CHANGES, Change, changing
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []

_WINDOW = 24
"""Items next to each other, near the place of a change, that are read of a source and of the changed one."""


@check("SOURCE-10", cases=lambda *_: asked())
def source_10(subject: SourceSubject, case: SourceAskedCase) -> None:
    """cursor_fingerprint is the same in every process, and changes whenever the items, their order or their indexing
    changes."""
    if case.when in CHANGES:
        with changing(subject, case) as change:
            _expect_changed(subject, change, case.place)
        return
    first = fingerprint_of(subject, subject.build())
    if not isinstance(first, str) or not first:
        raise Violation.of("source.cursor_fingerprint()", expected="a string that is not empty", got=short(first))
    got = _asked_again(subject, case, "fingerprint")
    if got != first:
        raise Violation.of(f"source.cursor_fingerprint(), {case.when}", expected=short(first), got=short(got))


def _expect_changed(subject: SourceSubject, change: Change, place: int) -> None:
    """Where an item is another one, so is the fingerprint; the source as it was is read before anything is changed."""
    length, was = subject.count(change.before), fingerprint_of(subject, change.before)
    near = {*range(min(8, length)), *_near(place, length), *range(max(length - 8, 0), length)}
    items = {index: subject.readable(change.before, index) for index in sorted(near)}
    after = change.after()
    shown = _difference(subject, items, length, after)
    if not shown:
        raise Unexercised(f"{change.told}: no item shows the change")
    now = _of_changed(change, lambda: fingerprint_of(subject, after))
    if was == now:
        call = f"source.cursor_fingerprint(), {change.told}: {shown}"
        raise Violation.of(call, expected=f"another string than {subject.shown(was)}", got=subject.shown(now))


def _near(place: int, length: int) -> range:
    """Indices next to each other, around a place."""
    first = max(min(place % length - 8, length - _WINDOW), 0)
    return range(first, min(first + _WINDOW, length))


def _difference(subject: SourceSubject, items: dict[int, Any], length: int, after: Any) -> str:
    """How a changed source can be seen to differ, in length or at the first index; an empty string if it cannot."""
    count = subject.count(after)
    if count != length:
        return f"{length} items made {count}"
    for index, item in items.items():
        now = subject.readable(after, index)
        if not same(item, now):
            if not same(now, subject.readable(after, index)):
                raise Unexercised(f"source[{index}] is not the same twice, of which SOURCE-3 speaks")
            return f"source[{index}] {subject.shown(item)} made {subject.shown(now)}"
    return ""


def _of_changed(change: Change, ask: Callable[[], Any]) -> Any:
    """What a changed source says; `Unexercised` where it refuses to speak of what it holds now."""
    try:
        return ask()
    except CallFailed as error:
        found = error.counterexample
        raise Unexercised(f"{change.told}: {found.call} {found.got}") from None


@check("SOURCE-13", cases=lambda *_: asked())
def source_13(subject: SourceSubject, case: SourceAskedCase) -> None:
    """membership_ids gives every item one id of its own, and reads no item to do so."""
    if case.when in CHANGES:
        with changing(subject, case, elsewhere=True) as change:
            _expect_ids_go_along(subject, change, case.place)
        return
    source = subject.build()
    with reading_nothing(source, "source.membership_ids()"):
        first = membership_of(subject, source)
    _expect_ids(first, subject.count(source))
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


def _expect_ids_go_along(subject: SourceSubject, change: Change, place: int) -> None:
    """An item that stands in both sources, at most one index further, has one id in both.

    That ids are unique is nothing to demand here: a change may have repeated the very column that they are taken from.
    """
    sources = change.before, change.after()
    first, second = (_apart(subject, source, place) for source in sources)
    pairs = [(old, new) for old in first for new in (old - 1, old, old + 1) if new in second]
    pairs = [(old, new) for old, new in pairs if same(first[old], second[new])]
    if not pairs:
        raise Unexercised(f"{change.told}: no item stands in both sources")
    ids = membership_of(subject, sources[0])
    _expect_ids(ids, subject.count(sources[0]))
    now = _of_changed(change, lambda: membership_of(subject, sources[1]))
    if not isinstance(now, tuple) or len(now) != subject.count(sources[1]):
        raise Unexercised(f"{change.told}: membership_ids() gives no id for each item")
    for old, new in pairs:
        if ids[old] != now[new]:
            call = f"source.membership_ids()[{new}], {change.told}: the item was [{old}]"
            raise Violation.of(call, expected=subject.shown(ids[old]), got=subject.shown(now[new]))


def _apart(subject: SourceSubject, source: Any, place: int) -> dict[int, Any]:
    """Items around a place that have no equal near them, by index, without those at the edge of what is read."""
    length = subject.count(source)
    near = _near(place, length)
    items = {index: subject.readable(source, index) for index in near}
    inner = (index for index in near if not {index - 1, index + 1} & set(range(length)) - set(near))
    alone = (index for index in inner if not any(at != index and same(items[index], items[at]) for at in near))
    return {index: items[index] for index in alone}


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
        length = subject.count(source)
        for index in range(min(length, 8)):
            subject.readable(source, (case.place + index) % length)
    return ask(subject, source)
