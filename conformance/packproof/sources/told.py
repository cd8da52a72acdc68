"""What a source says of itself, as one process tells it to another: its length, items, fingerprint and ids."""

import base64
import json
import pickle
from collections.abc import Sequence
from typing import Any

from packer_schemas.source_protocols import FingerprintedSource, MembershipSource
from packproof.capabilities import satisfies
from packproof.driver import calling, finished
from packproof.sources.subject import SourceSubject
from packproof.violation import OutOfReach

__all__ = ["fingerprint_of", "items_from", "membership_of", "sendable", "told_of_source"]


def fingerprint_of(subject: SourceSubject, source: Any) -> Any:
    """What `cursor_fingerprint()` returns, which may be anything."""
    with calling("source.cursor_fingerprint()", subject.note):
        return finished(source.cursor_fingerprint(), "source.cursor_fingerprint()")


def membership_of(subject: SourceSubject, source: Any) -> Any:
    """What `membership_ids()` returns, which may be anything."""
    with calling("source.membership_ids()", subject.note):
        return finished(source.membership_ids(), "source.membership_ids()")


def told_of_source(question: dict[str, Any]) -> dict[str, Any]:
    """The answer to a question from another process: a fresh source's length, and what else was asked for, as JSON."""
    subject = SourceSubject(question["target"], question["kwargs"])
    source = subject.build()
    length = subject.count(source)
    items = [subject.item(source, place % length) for place in question["places"]]
    answer: dict[str, Any] = {"length": length, "items": _pickled(items)}
    if question["asks"] == "fingerprint" and satisfies(source, FingerprintedSource):
        answer["fingerprint"] = _plain(fingerprint_of(subject, source))
    if question["asks"] == "ids" and satisfies(source, MembershipSource):
        answer["ids"] = _plain(membership_of(subject, source))
    return answer


def items_from(answer: dict[str, Any]) -> list[Any]:
    """The items of an answer; `OutOfReach` where they cannot be brought over."""
    if "cannot" in answer["items"]:
        raise OutOfReach(f"its items cannot be brought over from another process: {answer['items']['cannot']}")
    try:
        return pickle.loads(base64.b64decode(answer["items"]["pickled"]))  # noqa: S301  from a process of our own
    except Exception as error:  # whatever an object raises that does not unpickle
        raise OutOfReach(f"its items do not unpickle: {type(error).__name__}: {error}") from None


def sendable(subject: SourceSubject) -> dict[str, Any]:
    """The keyword arguments as JSON brings them over; `OutOfReach` where it cannot."""
    try:
        sent = json.loads(json.dumps(subject.kwargs))
    except (TypeError, ValueError) as error:
        raise OutOfReach(f"the keyword arguments cannot be sent to another process: {error}") from None
    if sent != subject.kwargs:
        raise OutOfReach("the keyword arguments do not come back from JSON as they are, as a tuple does not")
    return sent


def _pickled(items: Sequence[Any]) -> dict[str, str]:
    try:
        return {"pickled": base64.b64encode(pickle.dumps(list(items))).decode()}
    except Exception as error:
        return {"cannot": f"{type(error).__name__}: {error}"}


def _plain(value: Any) -> Any:
    """A string, or a tuple of strings as a list; anything else by its type, for its own rule says what it has to be."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and all(isinstance(one, str) for one in value):
        return list(value)
    return {"type": type(value).__name__}
