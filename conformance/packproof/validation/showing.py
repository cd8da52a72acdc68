"""How a problem is told: in one line of printable text, every value and every key cut to what can be read."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from packer_schemas.canonical import json_path
from packproof.wording import one_line, plural

__all__ = ["Problem", "place_of", "show"]

LONGEST_VALUE, LONGEST_PATH, LONGEST_LINE = 60, 160, 400
"""Characters shown of a value or a key, of a path, and of a problem in all."""


@dataclass(frozen=True)
class Problem:
    """One fault of a document: its place, in words what was expected and what is there, and the line if that is known.

    The place is a path of keys and indices; it is empty for the document as a whole.
    """

    path: str
    said: str
    line: int | None = None

    def __str__(self) -> str:
        path, half = one_line(self.path) or "(document)", LONGEST_PATH // 2
        path = path if len(path) <= LONGEST_PATH else f"{path[:half]}...{path[-half:]}"
        text = f"{path}  {one_line(self.said)}"
        return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 4]} ..."


def place_of(steps: Iterable[str | int]) -> str:
    """A place in a document, as `json_path` writes it, with long keys cut."""
    return json_path(_cut(step) if isinstance(step, str) else step for step in steps)


def show(value: Any) -> str:
    """A value of a document in a few words or at most about 60 characters, fit for one line of a terminal."""
    if isinstance(value, dict):
        keys = [place_of([key]) for key in list(value)[:5]]
        return f"an object with {', '.join(keys)}{' ...' if len(value) > 5 else ''}" if value else "an empty object"
    if isinstance(value, list):
        return f"an array of {len(value)} {plural(len(value), 'item')}" if value else "an empty array"
    if isinstance(value, str):
        start = value[:LONGEST_VALUE]
        in_ascii = not start.isprintable()
        while (
            len(text := json.dumps(start, ensure_ascii=in_ascii)) > LONGEST_VALUE + 2
        ):  # for what is escaped is longer
            start = start[:-1]
        return text if start == value else f'{text[:-1]}..." ({len(value)} characters)'
    text = json.dumps(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:50]}... ({len(text)} digits)"


def _cut(key: str) -> str:
    return key if len(key) <= LONGEST_VALUE else f"{key[: LONGEST_VALUE - 3]}..."
