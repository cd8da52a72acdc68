"""What sources are made of, and how the kit treats them: pictures, files, odd classes, arguments with effects."""

import io
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from packer_schemas import Outcome
from packproof import check_source
from packproof.driver import short
from packproof.random_state import random_states
from packproof.same import same
from packproof.summary import summary_lines


class Five:
    """Five items of whatever kind."""

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> Any:
        return self.item(range(5)[index])

    def item(self, place: int) -> Any:
        return {"prompt": f"row {place}"}


class Lines(Five):
    """The lines of a file, and a fingerprint that only knows its path."""

    def __init__(self, path: Any) -> None:
        self.path, self.rows = path, Path(path).read_text(encoding="utf-8").splitlines()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Any:
        return {"prompt": self.rows[index]}

    def cursor_fingerprint(self) -> str:
        return str(self.path)


class FromPath(Lines):
    """Wants a path, and no text."""

    def cursor_fingerprint(self) -> str:
        return self.path.read_text()


class Manifest(Lines):
    """A list of files that lie beside it."""

    def __init__(self, path: Any) -> None:
        super().__init__(path)
        self.rows = [(Path(path).parent / name).read_text() for name in self.rows]


class Effects(Five):
    """Does something to the world where a switch is turned."""

    done: list[str] = []  # noqa: RUF012  what all instances did

    def __init__(self, overwrite: bool = False, download: bool = False, count: int = 5) -> None:
        Effects.done += [name for name, value in (("overwrite", overwrite), ("download", download)) if value]
        Effects.done += [] if count == 5 else ["count"]

    def cursor_fingerprint(self) -> str:
        return "five"


class Unpicklable:
    """Pickles, and cannot be brought back."""

    def __reduce__(self) -> Any:
        return int, ("no number",)


class HoldsUnpicklable(Five):
    def item(self, place: int) -> Any:
        return {"held": Unpicklable()}


class Sealed(type):
    def __setattr__(cls, name: str, value: Any) -> None:
        raise AttributeError("sealed")


class SealedSource(Five, metaclass=Sealed):
    def membership_ids(self) -> tuple[str, ...]:
        return tuple("abcde")


class AsksTheClassAbove(Five):
    def membership_ids(self) -> tuple[str, ...]:
        return tuple(super(AsksTheClassAbove, self).__getitem__(place)["prompt"] for place in range(5))

    def __getitem__(self, index: int) -> Any:
        return super().__getitem__(index)


class UsesItself(Five):
    """Its items go as they are read."""

    def __init__(self) -> None:
        self.rows = [1, 2, 3]

    def __len__(self) -> int:
        return len(self.rows)

    def item(self, place: int) -> Any:
        return {"prompt": self.rows.pop()}


class ShardsItself(Five):
    """Gives each rank rows of its own."""

    def item(self, place: int) -> Any:
        return {"prompt": f"row {place} of rank {os.environ.get('RANK', '0')}"}


def outcomes(target: Any, kwargs: Any = None, **options: Any) -> dict[str, Outcome]:
    report = check_source(target, kwargs, effort="quick", raise_on_failure=False, **options)
    return {one.requirement: one for one in report.subjects[0].outcomes}


def lines(folder: Path, *texts: str) -> Path:
    path = folder / "rows.txt"
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def picture(folder: Path, shade: int) -> Image.Image:
    path = folder / f"{shade}.png"
    Image.new("RGB", (2, 2), (shade, 0, 0)).save(path)
    return Image.open(path)


ALIKE: list[tuple[str, Callable[[], Any]]] = [
    ("bytes in memory", lambda: io.BytesIO(b"abc")),
    ("a frame", lambda: pd.DataFrame({"a": [1.0, float("nan")]})),
    ("a series", lambda: pd.Series(["a", None])),
    ("a masked array", lambda: np.ma.masked_all(3)),
    ("a picture in memory", lambda: Image.fromarray(np.arange(12, dtype=np.uint8).reshape(2, 2, 3))),
]
UNLIKE = [
    ("bytes in memory", io.BytesIO(b"abc"), io.BytesIO(b"abd")),
    ("frames", pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})),
    ("masked arrays", np.ma.array([1, 2], mask=[False, True]), np.ma.array([1, 2], mask=[True, False])),
    ("pictures", Image.new("L", (2, 2), 1), Image.new("L", (2, 2), 2)),
]


@pytest.mark.parametrize("make", [make for _, make in ALIKE], ids=[name for name, _ in ALIKE])
def test_equal_items_of_libraries_are_the_same(make: Callable[[], Any]) -> None:
    """Pictures, frames, masked arrays and bytes are compared by what they hold."""
    assert same(make(), make())


@pytest.mark.parametrize(("first", "second"), [one[1:] for one in UNLIKE], ids=[one[0] for one in UNLIKE])
def test_unequal_items_of_libraries_are_not(first: Any, second: Any) -> None:
    """Another content is another item, in whatever it comes."""
    assert not same(first, second)


def test_pictures_from_files_are_compared_by_their_pixels(tmp_path: Path) -> None:
    """A picture that was opened twice is one picture; an array in a file is an array."""
    assert same(picture(tmp_path, 1), picture(tmp_path, 1))
    assert not same(picture(tmp_path, 1), picture(tmp_path, 2))
    np.save(tmp_path / "a.npy", np.arange(3))
    assert same(np.load(tmp_path / "a.npy", mmap_mode="r"), np.arange(3))


def test_no_address_is_told_of_a_long_object() -> None:
    """An address is left out before a text is shortened, so that equal runs read alike."""
    text = short(type("ARatherLongNameForAClassOfThisKind" * 2, (), {"__repr__": object.__repr__, "x": 1})())
    assert "0x" not in text
    shown = short({"image": Image.new("RGB", (100, 100))})
    assert not set("0123456789ABCDEF") & set(shown.partition("size=100x100")[2].strip("> }'"))


def test_a_fingerprint_of_the_path_alone_is_found_out(tmp_path: Path) -> None:
    """The file is edited where it lies, so that no path stands in for its content; no folder of a run is told."""
    found = outcomes(Lines, {"path": str(lines(tmp_path, "one", "two"))}, select="SOURCE-10")["SOURCE-10"]
    assert found.status == "fail"
    assert found.counterexample is not None
    assert found.counterexample.got == "'.../copy/rows.txt'"


def test_a_path_stays_a_path(tmp_path: Path) -> None:
    """A factory that was given a path is given one of the copy; what cannot be sent elsewhere is told."""
    found = outcomes(FromPath, {"path": lines(tmp_path, "one", "two")}, select="SOURCE-10")["SOURCE-10"]
    assert found.status == "pass"
    assert "in part: the keyword arguments cannot be sent to another process" in found.reason


def test_a_copy_that_misses_its_neighbours_is_nobodys_fault(tmp_path: Path) -> None:
    """A manifest is read beside its files, which a copy of it alone does not have."""
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    found = outcomes(Manifest, {"path": str(lines(tmp_path, "a.txt"))}, select="SOURCE-10")["SOURCE-10"]
    assert found.status == "pass"


def test_nothing_with_an_effect_is_turned() -> None:
    """Switches whose names speak of an effect are left alone, and so is what the user did not give."""
    Effects.done.clear()
    assert outcomes(Effects, {"overwrite": False}, select="SOURCE-10")["SOURCE-10"].status == "pass"
    assert outcomes(Effects, select="SOURCE-10")["SOURCE-10"].status == "pass"
    assert Effects.done == []


def test_a_word_that_is_also_a_folder_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`split=train` stays a word where a folder `train` lies about; paths of files are made absolute, in lists too."""
    from packproof.sources.paths import absolute

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train").mkdir()
    path = lines(tmp_path, "one")
    assert absolute("train", tmp_path) == "train"
    assert absolute("./train", tmp_path) == str(tmp_path / "train")
    assert absolute(["rows.txt", "gone.txt", 3], tmp_path) == [str(path), "gone.txt", 3]
    assert absolute(Path("rows.txt"), tmp_path) == path
    assert absolute("a\0b", tmp_path) == "a\0b"


@pytest.mark.parametrize(
    ("target", "id", "status"),
    [
        (HoldsUnpicklable, "SOURCE-3", "pass"),
        (SealedSource, "SOURCE-13", "pass"),
        (AsksTheClassAbove, "SOURCE-13", "fail"),
        (UsesItself, "SOURCE-4", "fail"),
        (ShardsItself, "SOURCE-3", "fail"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_odd_sources_are_judged_and_break_nothing(target: Any, id: str, status: str) -> None:
    """No source makes the kit fail itself; what it breaks is told under its rule."""
    found = outcomes(target)
    assert "error" not in {one.status for one in found.values()}
    assert found[id].status == status


def test_a_source_that_nobody_else_can_import_is_tried_in_part() -> None:
    """What another process would have shown is told as tried in part, in the report and in the summary."""

    class Local(Five):
        pass

    report = check_source(Local, effort="quick", select="SOURCE-3")
    (found,) = report.subjects[0].outcomes
    assert found.status == "pass"
    assert found.reason.startswith("in part: another process cannot import the factory")
    told = [line for line in summary_lines(report) if line.startswith("  tested in part: SOURCE-3: another process")]
    assert len(told) == 1


def test_random_states_are_as_they_were() -> None:
    """Proving a source draws from no generator of the user's."""
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002  the global one
    torch.manual_seed(3)
    before = random_states()
    outcomes(Five, select="SOURCE-3")
    assert random_states() == before


def test_a_replay_is_told_of_arguments_that_no_command_line_has(tmp_path: Path) -> None:
    """A failure with an argument that is no JSON is told like any other."""
    path = lines(tmp_path, "one", "two")
    with pytest.raises(AssertionError, match="SOURCE-10  MUST") as raised:
        check_source(Lines, {"path": path}, select="SOURCE-10", effort="quick")
    assert f"--source-kwargs path={json.dumps(str(path))}".replace('"', "") in str(raised.value).replace(
        '"', ""
    ).replace("'", "")
