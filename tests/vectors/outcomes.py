"""Whether something does what a vector says: it answers, or it refuses with the right error in the right words."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from packer_spec.oracle.typed_values import value_of
from packproof.vectors import vectors

__all__ = ["expect_outcome", "ids_of", "of", "raised_by"]


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
    with pytest.raises(raised_by(vector)) as caught:
        run()
    assert not words or all(
        re.search(rf"(?<!\w){re.escape(one)}(?!\w)", str(caught.value)) for one in vector.error.mentions
    )


def ids_of(given: Any) -> Any:
    """What a vector hands over as ids: integers and lists as they are, tagged values as what they stand for."""
    if isinstance(given, list):
        return [ids_of(entry) for entry in given]
    plain = given.model_dump(by_alias=True) if hasattr(given, "model_dump") else given
    return plain if isinstance(plain, int) else value_of(plain)
