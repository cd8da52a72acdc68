"""Whether something does what a vector says: it answers, or it refuses with the right error in the right words."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from packer_spec.oracle.typed_values import value_of
from packproof.vectors import vectors, vectors_folder

__all__ = ["disagreeing", "expect_outcome", "expect_refusal", "ids_of", "mentioned", "of", "raised_by"]


def of(name: str, *requirements: str) -> Any:
    """Parametrises a test over the vectors of a file, or those of some rules."""
    chosen = [one for one in vectors(name) if not requirements or one.requirement in requirements]
    return pytest.mark.parametrize("vector", chosen, ids=lambda vector: vector.id)


def raised_by(vector: Any) -> tuple[type[Exception], ...]:
    """The exception types that the vector allows."""
    kinds = {"ValueError": ValueError, "TypeError": TypeError}
    return tuple(kinds[kind] for kind in vector.error.kind.split(" or "))


def expect_outcome(vector: Any, run: Callable[[], Any], *, words: bool = True) -> None:
    """`run` gives what the vector expects, or raises what it says; with `words`, in a message that mentions them."""
    if vector.error is None:
        assert run() == vector.expected.model_dump()
        return
    expect_refusal(vector, run, words=words)


def expect_refusal(vector: Any, run: Callable[[], Any], *, words: bool = True) -> None:
    """`run` raises what the vector says; with `words`, in a message that mentions them."""
    with pytest.raises(raised_by(vector)) as caught:
        run()
    missing = [one for one in vector.error.mentions if not mentioned(one, str(caught.value))]
    assert not words or not missing, (missing, str(caught.value))


def mentioned(word: str, message: str) -> bool:
    """Whether the message holds the word, not directly beside another letter, digit or underscore."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message) is not None


def disagreeing(name: str, answer: Callable[[Any], Any]) -> list[str]:
    """The ids of the vectors of a file that `answer`, given the input as plain JSON, does not do what they say."""
    text = json.loads((vectors_folder() / f"{name}.json").read_text(encoding="ascii"))
    return [one["id"] for one in text["vectors"] if not _agrees(one, answer)]


def _agrees(vector: dict[str, Any], answer: Callable[[Any], Any]) -> bool:
    try:
        got = answer(vector["input"])
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        wanted = vector.get("error", {"kind": "", "mentions": []})
        said = all(mentioned(one, str(error)) for one in wanted["mentions"])
        return said and not kinds.isdisjoint(wanted["kind"].split(" or "))
    return got == vector.get("expected")


def ids_of(given: Any) -> Any:
    """What a vector hands over as ids: integers and lists as they are, tagged values as what they stand for."""
    if isinstance(given, list):
        return [ids_of(entry) for entry in given]
    plain = given.model_dump(by_alias=True) if hasattr(given, "model_dump") else given
    return plain if isinstance(plain, int) else value_of(plain)
