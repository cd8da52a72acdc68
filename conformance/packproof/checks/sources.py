"""Chapter sources, for the source itself: its items, its length, and what lies beyond its indices."""

import copy
import pickle
from typing import Any

from packer_schemas.source_cases import (
    SourceOutsideCase,
    SourceReadingCase,
    SourceSpanCase,
)
from packproof.driver import calling, short
from packproof.elsewhere import ENVIRONMENTS, ask_elsewhere
from packproof.load import describe
from packproof.random_state import scrambled_random_state
from packproof.registry import check
from packproof.same import same
from packproof.sources.strategies import outside, readings, spans
from packproof.sources.subject import SourceSubject
from packproof.sources.told import items_from, sendable
from packproof.violation import CallFailed, Unexercised, Violation
from packproof.wording import plural

__all__: list[str] = []


@check("SOURCE-3", cases=lambda *_: readings())
def source_3(subject: SourceSubject, case: SourceReadingCase) -> None:
    """Equal factory calls give equal items at equal indices, however often, in whichever order and in whichever process
    they are read."""
    source = subject.source
    length = subject.count(source)
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
        question = {"kwargs": sendable(subject), "places": places, "asks": ""}
        answer = ask_elsewhere(subject, case.reading, "source", question, f"{subject.call} in {case.reading}")
        return answer["length"], list(zip(places, items_from(answer), strict=True))
    source = subject.source
    if case.reading == "another instance":
        source = subject.build()
    elif case.reading == "a pickled copy":
        source = _pickled_copy(subject, source)
    elif case.reading == "after the random state moved":
        with scrambled_random_state():
            return subject.length(source), [(place, subject.item(source, place)) for place in places]
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
    length = subject.count(source)
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
    steady = _copied(subject.readable(source, index + length))
    got, last = _at(subject, source, index), _at(subject, source, -1)
    wanted = IndexError if last is IndexError else subject.readable(source, index + length)
    if wanted is not IndexError and not same(steady, wanted):
        raise Unexercised(f"source[{index + length}] is not the same twice, of which SOURCE-3 speaks")
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
