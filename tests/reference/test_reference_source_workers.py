"""Sources in worker processes of a real loader, and in fresh processes: the same items and fingerprints everywhere."""

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from torch.utils.data import ConcatDataset, DataLoader

from packer_reference.sources import build_preference_source, build_prompt_source, cursor_fingerprint
from packer_schemas import PreferenceSourceSettings, PromptSourceSettings

ROWS = [{"question": f"What is {number} + 1?", "answer": str(number + 1)} for number in range(24)]


def jsonl(folder: Path) -> Any:
    """A file of rows."""
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return PromptSourceSettings(path="rows.jsonl", prompt_column="question", response_column="answer")


def parquet(folder: Path) -> Any:
    """A file of rows in several row groups."""
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "rows.parquet", row_group_size=5)
    return PromptSourceSettings(path="rows.parquet", prompt_column="question", metadata_columns=["answer"])


def tar(folder: Path) -> Any:
    """An archive of pairs."""
    with tarfile.open(folder / "pairs.tar", "w") as archive:
        for number in range(24):
            for place in ("prompt", "winner", "loser"):
                info = tarfile.TarInfo(f"{number:04}.{place}.txt")
                info.size = 4
                archive.addfile(info, io.BytesIO(f"{number:04}".encode()))
    return PreferenceSourceSettings(tar_path="pairs.tar")


def jsonl_pairs(folder: Path) -> Any:
    """A file of pairs."""
    rows = [{"prompt": row["question"], "winner": row["answer"], "loser": "no"} for row in ROWS]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return PreferenceSourceSettings(jsonl_path="pairs.jsonl")


def factory(folder: Path) -> Any:
    """A user's source and a user's row function."""
    return PromptSourceSettings(
        factory="user_sources.Sums",
        factory_kwargs={"count": 24},
        prompt_column="question",
        items_fn="user_sources.shouting",
    )


def sums(folder: Path) -> Any:
    """The built-in rows."""
    return PromptSourceSettings(id_column="id")


KINDS: list[Callable[[Path], Any]] = [jsonl, parquet, tar, jsonl_pairs, factory, sums]


def build(settings: Any) -> Any:
    """The source of settings of either kind."""
    return (build_prompt_source if isinstance(settings, PromptSourceSettings) else build_preference_source)(settings)


def as_they_are(items: list[Any]) -> list[Any]:
    """A collator that leaves items alone."""
    return items


def every(folder: Path) -> list[Any]:
    """The settings of every kind, whose files are in this folder."""
    return [make(folder) for make in KINDS]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_loader_read_what_the_process_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """Two workers, which inherit the sources or unpickle them, in shuffled order, all read and open before."""
    monkeypatch.chdir(tmp_path)
    sources = [build(settings) for settings in every(tmp_path)]
    together: ConcatDataset[Any] = ConcatDataset(sources)
    order = torch.randperm(24 * len(sources), generator=torch.Generator().manual_seed(0)).tolist()
    here = [together[place] for place in order]
    monkeypatch.chdir("/")
    loader = DataLoader(
        together, batch_size=5, sampler=order, num_workers=2, multiprocessing_context=method, collate_fn=as_they_are
    )
    assert [item for batch in loader for item in batch] == here
    assert [together[place] for place in order] == here


_TELL = """
import json, sys
from packer_reference.sources import build_preference_source, build_prompt_source, cursor_fingerprint
from packer_schemas import PreferenceSourceSettings, PromptSourceSettings
made, backwards = json.loads(sys.argv[1])
for kind, settings in made:
    if kind == "PromptSourceSettings":
        source = build_prompt_source(PromptSourceSettings(**settings))
    else:
        source = build_preference_source(PreferenceSourceSettings(**settings))
    before = cursor_fingerprint(source)
    items = {place: repr(source[place]) for place in range(24)[:: -1 if backwards else 1]}
    assert cursor_fingerprint(source) == before
    print(json.dumps([before, len(source), [items[place] for place in range(24)]]))
"""


def told(made: list[Any], folder: Path, seed: str, *, backwards: bool) -> list[str]:
    """Fingerprint, length and items of each source, in a process of its own that stands in this folder."""
    words = json.dumps([[[type(one).__name__, one.model_dump()] for one in made], backwards])
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    zone = "Asia/Tokyo" if backwards else "UTC"
    done = subprocess.run(
        [sys.executable, "-c", _TELL, words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed, "TZ": zone},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_process_has_the_same_items_and_fingerprints(tmp_path: Path) -> None:
    """Hash seed, working folder, time zone and the order of reads do not show; content that was moved is the same."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    made = every(tmp_path / "one")
    for file in (tmp_path / "one").iterdir():
        (tmp_path / "two" / file.name).write_bytes(file.read_bytes())
    one = told(made, tmp_path / "one", "1", backwards=False)
    assert told(made, tmp_path / "two", "2", backwards=True) == one
    assert len(one) == len(KINDS)


@pytest.mark.parametrize("make", [jsonl, parquet, tar, jsonl_pairs], ids=lambda make: make.__name__)
def test_a_changed_file_is_another_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Any]
) -> None:
    """One letter in one item, with name, size and time of the file as they were, changes the fingerprint."""
    settings = make(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = cursor_fingerprint(build(settings))
    [file] = tmp_path.iterdir()
    kept = file.stat()
    if file.suffix == ".parquet":
        rows = [*ROWS[:9], {**ROWS[9], "question": "What is 8 + 1?"}, *ROWS[10:]]
        pq.write_table(pa.Table.from_pylist(rows), file, row_group_size=5)
    else:
        raw = file.read_bytes()
        file.write_bytes(raw.replace(b"What is 9", b"What is 8").replace(b"0009\0", b"0008\0"))
        assert file.read_bytes() != raw
    os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert cursor_fingerprint(build(settings)) != before
