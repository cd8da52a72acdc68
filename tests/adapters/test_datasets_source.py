"""Data sets of the library `datasets` as sources: saved in a folder, or asked for by name without a network."""

from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset, DatasetDict, disable_progress_bars

from packer_reference.sources import PromptSource, build_prompt_source, cursor_fingerprint
from packer_schemas import PromptSourceSettings

disable_progress_bars()

ROWS = [{"question": f"What is {number} + 1?", "answer": number + 1} for number in range(6)]


def saved(folder: Path, rows: list[dict[str, Any]]) -> PromptSource:
    """The source over a data set of these rows that was saved in a folder."""
    Dataset.from_list(rows).save_to_disk(folder)
    settings = PromptSourceSettings(path=str(folder), prompt_column="question", response_column="answer")
    return build_prompt_source(settings)


def test_a_saved_data_set_is_a_source(tmp_path: Path) -> None:
    """Rows come by their index, and an index beyond them is an `IndexError`."""
    source = saved(tmp_path / "rows", ROWS)
    made = [sample.representations for sample in source]
    assert made == [{"prompt": row["question"], "reference": row["answer"]} for row in ROWS]
    with pytest.raises(IndexError):
        source[6]


def test_its_fingerprint_follows_the_content(tmp_path: Path) -> None:
    """The same rows saved elsewhere agree; a swapped, an edited and a missing row each do not."""
    one = cursor_fingerprint(saved(tmp_path / "rows", ROWS))
    assert cursor_fingerprint(saved(tmp_path / "again", ROWS)) == one
    changes = {"swapped": ROWS[::-1], "edited": [*ROWS[:5], {**ROWS[5], "answer": 0}], "shorter": ROWS[:5]}
    others = [cursor_fingerprint(saved(tmp_path / name, rows)) for name, rows in changes.items()]
    assert len({one, *others}) == 4


def test_a_folder_of_splits_asks_for_one(tmp_path: Path) -> None:
    """The splits are named, and so is the folder of the first."""
    part = Dataset.from_list(ROWS)
    DatasetDict(train=part, test=part).save_to_disk(tmp_path / "rows")
    with pytest.raises(ValueError, match=r"holds the splits train, test; name one of them, as in .*/rows/train"):
        build_prompt_source(PromptSourceSettings(path=str(tmp_path / "rows")))
    settings = PromptSourceSettings(path=str(tmp_path / "rows" / "test"), prompt_column="question")
    assert len(build_prompt_source(settings)) == 6


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """What is expected is said, with the path as it was configured."""
    with pytest.raises(
        ValueError, match=r"path '.*' cannot be opened: .* is a folder without state.json, expected one"
    ):
        build_prompt_source(PromptSourceSettings(path=str(tmp_path)))


def test_a_name_without_a_network_says_what_to_do() -> None:
    """What `datasets` raised is the cause, and the setting, its value and the ways out are told."""
    with pytest.raises(ValueError, match=r"name 'no-owner/no-rows' cannot be opened: ConnectionError") as error:
        build_prompt_source(PromptSourceSettings(name="no-owner/no-rows"))
    assert "without a network it has to be in the cache of datasets, or in a folder" in str(error.value)
    assert isinstance(error.value.__cause__, ConnectionError)


def test_a_name_that_a_folder_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`datasets` would read the folder: what a name means would follow where a run stands."""
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "owner" / "rows", ROWS)
    with pytest.raises(ValueError, match=r"name 'owner/rows' cannot be opened: .* use the setting path for it"):
        build_prompt_source(PromptSourceSettings(name="owner/rows"))
