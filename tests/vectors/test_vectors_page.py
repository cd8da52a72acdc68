"""The page on vectors quotes what is in the files, and counts them right."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from packer_schemas.vectors import VECTOR_FILES
from packproof.vectors import vectors, vectors_folder

PAGE = (Path(__file__).parents[2] / "docs" / "vectors.md").read_text(encoding="utf-8")
QUOTED = [json.loads(text) for text in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]


@pytest.mark.parametrize("quoted", QUOTED, ids=lambda quoted: quoted["id"])
def test_a_quoted_vector_is_in_its_file(quoted: dict[str, Any]) -> None:
    """What the page shows of a vector is the whole of it, and equal to the file."""
    file = json.loads((vectors_folder() / f"{quoted['id'].partition('-')[0]}.json").read_text(encoding="ascii"))
    assert quoted in file["vectors"]


def test_the_page_shows_one_of_each_file() -> None:
    """There is one worked vector of each file, and each file has its row in the table."""
    assert [one["id"].partition("-")[0] for one in QUOTED] == list(VECTOR_FILES)
    assert re.findall(r"^\| `(\w+)\.json` \|", PAGE, re.MULTILINE) == list(VECTOR_FILES)


def test_the_page_counts_right() -> None:
    """The number of vectors, and those that the runner prints, are those of the files."""
    assert f"{sum(len(vectors(name)) for name in VECTOR_FILES)} of them in nine files" in PAGE
    for name, count in re.findall(r"^(\w+): (\d+) vectors$", PAGE, re.MULTILINE):
        assert len(vectors(name)) == int(count)
