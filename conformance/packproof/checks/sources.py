"""Chapter sources, for the source itself: items, length, indices, fingerprint and membership ids."""

import copy
import json
import pickle
import random
from typing import Any

from packer_schemas.source_cases import (
    SourceAskedCase,
    SourceOutsideCase,
    SourceReadingCase,
    SourceSpanCase,
)
from packproof.driver import calling, short
from packproof.elsewhere import ENVIRONMENTS, ask_elsewhere
from packproof.load import describe
from packproof.registry import check
from packproof.same import same
from packproof.sources.strategies import asked, outside, readings, spans
from packproof.sources.subject import SourceSubject
from packproof.sources.told import fingerprint_of, items_from, membership_of
from packproof.sources.traps import reading_nothing
from packproof.sources.variations import CHANGES, varied
from packproof.violation import CallFailed, NotTested, Unexercised, Violation
from packproof.wording import plural

__all__: list[str] = []

_COMPARED = 64
"""Items of two sources that are compared with each other, each with the one at its index."""

_PAIRED = 24
"""Items of two sources that are compared each with all."""


@check("SOURCE-3", cases=lambda *_: readings())
def source_3(subject: SourceSubject, case: SourceReadingCase) -> None:
    """Equal factory calls give equal items at equal indices, however often, in whichever order and in whichever process
    they are read."""
    source = subject.source
    length = subject.length(source)
    places = [place % length for place in case.places]
    first = {place: _copied(subject.readable(source, place)) for place in places}
    second_length, second = _again(subject, case, places)
    if second_length is not None and second_length != length:
        raise Violation.of(f"{subject.call}, {case.reading}: len(source)", expected=length, got=second_length)
    for place, item in second:
        if not same(first[place], item):
            call = f"{subject.call}: source[{place}], {case.reading}"
            raise Violation.of(call, expected=short(first[place]), got=short(item))


def _copied(item: Any) -> Any:
    """A copy, so that a source that writes into what it hands out is found out; the item where there is none."""
    try:
        return copy.deepcopy(item)
    except Exception:  # whatever an object raises that cannot be copied
        return item


def _again(
    subject: SourceSubject, case: SourceReadingCase, places: list[int]
) -> tuple[int | None, list[tuple[int, Any]]]:
    """The length, where the source is another one, and the same items once more."""
    if case.reading in ENVIRONMENTS:
        question = {"kwargs": _sendable(subject), "places": places, "asks": ""}
        answer = ask_elsewhere(subject, case.reading, "source", question, f"{subject.call} in {case.reading}")
        return answer["length"], list(zip(places, items_from(answer), strict=True))
    source = subject.source
    if case.reading == "another instance":
        source = subject.build()
    elif case.reading == "a pickled copy":
        source = _pickled_copy(subject, source)
    elif case.reading == "after the random state moved":
        _move_random_state()
    elif case.reading == "read backwards":
        places = sorted(places, reverse=True)
    return subject.length(source), [(place, subject.item(source, place)) for place in places]


def _pickled_copy(subject: SourceSubject, source: Any) -> Any:
    """What a worker process gets of it; `Unexercised` for a source that does not pickle, whose workers are forked."""
    try:
        pickled = pickle.dumps(source)
    except Exception as error:
        raise Unexercised(f"the source does not pickle: {describe(error)}") from None
    with calling("pickle.loads(pickle.dumps(source))", subject.note):
        return pickle.loads(pickled)  # noqa: S301  it was made the line before


def _move_random_state() -> None:
    """As a run does that draws numbers of its own between two reads."""
    import numpy as np
    import torch

    for _ in range(3):
        random.random()  # noqa: S311
        np.random.random()  # noqa: NPY002
        torch.rand(())


@check("SOURCE-4", cases=lambda *_: spans())
def source_4(subject: SourceSubject, case: SourceSpanCase) -> None:
    """A source has an item at every index from 0 to its length less one, and its length stays the same."""
    source = subject.source
    length = subject.length(source)
    if type(length) is not int or length < 1:  # what __len__ may return, Python sees to
        raise Violation.of("len(source)", expected="an integer from 1", got=length)
    first = case.place % length
    for index in range(first, min(first + case.count, length)):
        call = f"source[{index}] of {length}"
        try:
            item = subject.item(source, index)
        except CallFailed as error:
            raise Violation.of(call, expected="an item", got=error.counterexample.got) from None
        if item is None:
            raise Violation.of(call, expected="an item", got="None")
    now = subject.length(source)
    if now != length:
        call = f"len(source), after {case.count} {plural(case.count, 'item was', 'items were')} read"
        raise Violation.of(call, expected=length, got=now)


@check("SOURCE-5", cases=lambda *_: outside())
def source_5(subject: SourceSubject, case: SourceOutsideCase) -> None:
    """An index that names no item raises IndexError."""
    source = subject.source
    length = subject.length(source)
    if case.side == "negative":
        _expect_one_way(subject, source, length, -1 - case.distance % length)
        return
    index = length + case.distance if case.side == "beyond the end" else -length - 1 - case.distance
    got = _at(subject, source, index)
    if got is not IndexError:
        said = got if isinstance(got, CallFailed) else f"returned {short(got)}"
        said = said.counterexample.got if isinstance(said, CallFailed) else said
        raise Violation.of(f"source[{index}] of {length}", expected="IndexError", got=said)


def _at(subject: SourceSubject, source: Any, index: int) -> Any:
    """The item there; the class `IndexError`, or the failure, where that is what comes."""
    try:
        return subject.item(source, index)
    except CallFailed as error:
        return IndexError if isinstance(error.__cause__, IndexError) else error


def _expect_one_way(subject: SourceSubject, source: Any, length: int, index: int) -> None:
    """A negative index counts from the end or is refused, and so are all of them."""
    got, last = _at(subject, source, index), _at(subject, source, -1)
    wanted = IndexError if last is IndexError else subject.readable(source, index + length)
    fault = "negative indices do not all behave alike" if (got is IndexError) != (last is IndexError) else ""
    alike = got is IndexError if wanted is IndexError else got is not IndexError and same(wanted, got)
    if isinstance(got, CallFailed) or not alike:
        said = (
            got.counterexample.got if isinstance(got, CallFailed) else "IndexError" if got is IndexError else short(got)
        )
        expected = (
            "IndexError, as for source[-1]" if wanted is IndexError else f"source[{index + length}], {short(wanted)}"
        )
        raise Violation.of(f"source[{index}] of {length}", expected=expected, got=said, fault=fault)


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
        question = {"kwargs": _sendable(subject), "places": [], "asks": asks}
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


def _sendable(subject: SourceSubject) -> dict[str, Any]:
    """The keyword arguments as JSON brings them over; `NotTested` where it cannot."""
    try:
        sent = json.loads(json.dumps(subject.kwargs))
    except (TypeError, ValueError) as error:
        raise NotTested(f"the keyword arguments cannot be sent to another process: {error}") from None
    if sent != subject.kwargs:
        raise NotTested("the keyword arguments do not come back from JSON as they are, as a tuple does not")
    return sent
