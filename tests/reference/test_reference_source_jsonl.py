"""JSON Lines files as sources: which lines are rows, where they stand, and what a broken line is told as."""

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from packer_reference.sources import JsonlPairs, JsonlRows, file_bytes

PINNED = settings(
    derandomize=True,
    max_examples=100,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # each example writes its file anew
)
LINES = st.sampled_from(["{}", '{"a": 1}', "", "  ", "\r", "\t", ' {"b": "é\\n"} ', '{"c": [{}]}\r'])


def write(folder: Path, text: str | bytes, name: str = "rows.jsonl") -> Path:
    """Write one file."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("piece", [1, 2, 5, 2**20])
def test_rows_are_the_lines_that_are_not_blank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Whatever the ends of lines, wherever the borders of what is read at a time, with a last line end or without."""
    monkeypatch.setattr(file_bytes, "PIECE", piece)

    @PINNED
    @given(st.lists(LINES, max_size=7), st.sampled_from(["\n", "\r\n"]), st.booleans())
    def run(lines: list[str], end: str, ended: bool) -> None:
        text = end.join(lines) + end * ended
        source = JsonlRows(write(tmp_path, text))
        expected = [(json.loads(line), at) for at, line in enumerate(text.split("\n"), 1) if line.strip()]
        found = [(source[place], source.where(place)) for place in range(len(source))]
        assert found == [(row, f"{tmp_path}/rows.jsonl:{at}") for row, at in expected]

    run()


@pytest.mark.parametrize("text", ["", "\n", " \r\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_rows_is_empty(tmp_path: Path, text: str | bytes) -> None:
    """Nothing but blank lines is a source of length 0, which a run refuses."""
    assert len(JsonlRows(write(tmp_path, text))) == 0


def test_a_byte_order_mark_belongs_to_no_row(tmp_path: Path) -> None:
    """Files of Windows editors begin with one."""
    assert list(JsonlRows(write(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}'))) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}\n{"a": 2', r"rows.jsonl:2: expected a JSON object in one line, got b'{\"a\": 2'"),
        ('{"a": 1}\n\n[1]\n', r"rows.jsonl:3: expected a JSON object in one line, got b'\[1\]'"),
        ('{\n"a": 1\n}\n', r"rows.jsonl:1: expected a JSON object in one line, got b'{'"),
        ('"text"', r"rows.jsonl:1: expected a JSON object"),
        ('{"a": 1}'.encode("utf-16"), r"rows.jsonl:1: expected a JSON object"),
    ],
)
def test_a_line_that_is_no_object_is_named_when_the_source_is_made(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    """A file that was cut, spread over lines or of another kind is refused with file and line, before any row is."""
    with pytest.raises(ValueError, match=said):
        JsonlRows(write(tmp_path, text))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"a": }', "is not JSON: Expecting value"),
        ('{"a": 1} {"b": 2}', "is not JSON: Extra data"),
        (b'{"a": "\xff"}', "is not JSON: 'utf-8' codec can't decode"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "is not JSON: maximum recursion depth"),
    ],
)
def test_a_broken_row_is_named_when_it_is_read(tmp_path: Path, line: str | bytes, said: str) -> None:
    """What stands between the braces is looked at with the row, and told with file and line."""
    raw = line if isinstance(line, bytes) else line.encode()
    source = JsonlRows(write(tmp_path, b'{"a": 1}\n\n' + raw + b"\n"))
    assert source[0] == {"a": 1}
    with pytest.raises(ValueError, match=f"rows.jsonl:3: {said}"):
        source[1]


@pytest.mark.parametrize("change", ["append", "rewrite"])
def test_a_file_that_changes_under_a_source_is_refused(tmp_path: Path, change: str) -> None:
    """Places in the file mean other rows then, in this process and in one that gets a copy of the source."""
    path = write(tmp_path, '{"a": 1}\n{"a": 2}\n')
    source = JsonlRows(path)
    if change == "append":
        with path.open("a") as file:
            file.write('{"a": 3}\n')
    else:
        path.write_text('{"a": 7}\n{"a": 8}\n')
        os.utime(path, ns=(1, 1))
    for reader in (source, pickle.loads(pickle.dumps(source))):
        with pytest.raises(ValueError, match=r"rows.jsonl: the file was changed while a source reads it"):
            reader[0]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A missing file is an `OSError`, and a folder is no file."""
    with pytest.raises(FileNotFoundError):
        JsonlRows(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match="is no file"):
        JsonlRows(tmp_path)


def test_a_copy_reads_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path is that of the folder in which the source was made."""
    write(tmp_path, '{"a": 1}\n')
    monkeypatch.chdir(tmp_path)
    packed = pickle.dumps(JsonlRows("rows.jsonl"))
    monkeypatch.chdir("/")
    assert pickle.loads(packed)[0] == {"a": 1}


def test_the_fingerprint_follows_content_and_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edited, swapped, added and removed rows each change it; folder, name, time, reads and copies do not."""
    monkeypatch.setattr(file_bytes, "PIECE", 16)
    lines = [f'{{"a": {number}}}\n' for number in range(10)]

    def printed(*changed: str, name: str = "rows.jsonl") -> str:
        source = JsonlRows(write(tmp_path, "".join(changed), name))
        before = source.cursor_fingerprint()
        list(source)
        assert source.cursor_fingerprint() == pickle.loads(pickle.dumps(source)).cursor_fingerprint() == before
        return before

    one = printed(*lines)
    (tmp_path / "other").mkdir()
    assert printed(*lines, name="other/copy.jsonl") == one
    changes = [
        lines[::-1],
        [lines[0], lines[2], lines[1], *lines[3:]],
        lines[1:],
        [*lines, lines[0]],
        [*lines[:-1], '{"a": 0}\n'],
    ]
    assert len({one, *(printed(*changed) for changed in changes)}) == 1 + len(changes)


def pairs(folder: Path, *rows: Any) -> JsonlPairs:
    """A source over a file of these objects."""
    return JsonlPairs(write(folder, "".join(json.dumps(row) + "\n" for row in rows)))


def test_pairs_are_triples_of_their_lines(tmp_path: Path) -> None:
    """Prompt, winner and loser come in this order whatever the order of the keys, and other keys are left alone."""
    turn = [{"role": "user", "content": "Hi"}]
    source = pairs(
        tmp_path,
        {"loser": "b", "winner": "a", "prompt": "p", "id": 7},
        {"prompt": turn, "winner": {"completion": [1]}, "loser": {"completion": [2]}},
    )
    assert list(source) == [("p", "a", "b"), (turn, {"completion": [1]}, {"completion": [2]})]


def test_a_pair_that_lacks_something_is_named(tmp_path: Path) -> None:
    """The first line when the source is made, a later one when it is read, with the keys that are there."""
    with pytest.raises(ValueError, match=r"rows.jsonl:1: has no 'winner'.* it has 'prompt', 'chosen', 'rejected'"):
        pairs(tmp_path, {"prompt": "p", "chosen": "a", "rejected": "b"})
    source = pairs(tmp_path, {"prompt": "p", "winner": "a", "loser": "b"}, {})
    with pytest.raises(ValueError, match=r"rows.jsonl:2: has no 'prompt'.* it has none"):
        source[1]


def test_pairs_and_rows_of_one_file_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    """What an index means is part of what a fingerprint stands for."""
    source = pairs(tmp_path, {"prompt": "p", "winner": "a", "loser": "b"})
    assert source.cursor_fingerprint() != JsonlRows(tmp_path / "rows.jsonl").cursor_fingerprint()
