"""Data files for the tests of `packproof validate`, written into the current folder."""

import json
from pathlib import Path
from typing import Any

GOOD = {"obs": {"representations": {"prompt": "hi"}}, "completion": [1, 2]}
BAD = {"obs": {"representations": {"prompt": "hi"}}, "completion": [1, -2]}
"""A trajectory, and one that is none."""


def lines(name: str, *documents: Any) -> str:
    """Write a JSON Lines file."""
    Path(name).write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
    return name


def document(name: str, value: Any) -> str:
    """Write a JSON file."""
    Path(name).write_text(json.dumps(value), encoding="utf-8")
    return name
