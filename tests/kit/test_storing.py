"""A file is put in place as a whole, whoever is killed while writing it and however many write at once."""

import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from packproof.lock_cases.places import full_disk
from packproof.storing import alone, replace_file

OLD, NEW = b"old " * 5000, b"new " * 7000

KILLED_AT_LINE = """
import os, signal, sys
from pathlib import Path
from packproof import storing
from packproof.storing import alone, replace_file

path, line = Path(sys.argv[1]), int(sys.argv[2])
seen = 0

def trace(frame, event, argument):
    global seen
    if frame.f_code.co_filename != storing.__file__:
        return None
    if event in ("line", "return"):
        if seen == line:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1
    return trace

sys.settrace(trace)
with alone(path):
    replace_file(path, {new!r})
sys.settrace(None)
"""

WRITES_FOR_EVER = """
import sys
from pathlib import Path
from packproof.storing import alone, replace_file

path, one = Path(sys.argv[1]), sys.argv[2].encode()
print("ready", flush=True)
while True:
    with alone(path):
        replace_file(path, one * 200_000)
"""

COUNTS_UP = """
import sys
from pathlib import Path
from packproof.storing import alone, replace_file

path = Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with alone(path):
        replace_file(path, str(int(path.read_bytes()) + 1).encode())
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A process that runs the script."""
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(one.name for one in folder.iterdir())


def put(path: Path, content: bytes) -> None:
    """Write as an update does."""
    with alone(path):
        replace_file(path, content)


def test_a_writer_killed_at_any_line_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    """A process is killed at each line of the writing in turn; the file is whole every time, first old, then new.

    The next writer removes what the killed one left beside it.
    """
    path, found, line = tmp_path / "packproof.lock.json", [], 0
    script = KILLED_AT_LINE.replace("{new!r}", repr(NEW))
    while True:
        path.write_bytes(OLD)
        code = start(script, path, line).wait(60)
        found.append(path.read_bytes())
        assert code in (-signal.SIGKILL, 0), line
        put(path, OLD)
        assert names(tmp_path) == [path.name], line
        if code == 0:
            break
        line += 1
    assert line > 20
    assert set(found) == {OLD, NEW}
    assert found == sorted(found, key=lambda content: content == NEW)


def test_a_writer_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    """Writers that are killed in the middle of writing over and over leave one of their files, and never part of it."""
    path = tmp_path / "lock.json"
    path.write_bytes(b"a" * 200_000)
    for number in range(8):
        writer = start(WRITES_FOR_EVER, path, "ab"[number % 2])
        assert writer.stdout is not None
        writer.stdout.readline()
        for _ in range(50):
            content = path.read_bytes()
            assert content in (b"a" * 200_000, b"b" * 200_000)
        time.sleep(0.003 * number)
        writer.kill()
        writer.wait(60)
        assert path.read_bytes() in (b"a" * 200_000, b"b" * 200_000)
    put(path, b"c")
    assert names(tmp_path) == ["lock.json"]


def test_two_writers_never_get_between_each_other(tmp_path: Path) -> None:
    """Two processes each add one to the number in the file a hundred times; not one is lost."""
    path = tmp_path / "lock.json"
    path.write_bytes(b"0")
    writers = [start(COUNTS_UP, path, 100) for _ in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert path.read_bytes() == b"200"


def test_a_reader_who_has_the_file_open_reads_the_old_one(tmp_path: Path) -> None:
    """The file is another one after the write, and the old one is there for who reads it."""
    path = tmp_path / "lock.json"
    path.write_bytes(OLD)
    with path.open("rb") as reader:
        start_of_it = reader.read(5)
        put(path, NEW)
        assert start_of_it + reader.read() == OLD
    assert path.read_bytes() == NEW


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    """A file that was there keeps its permissions."""
    path = tmp_path / "lock.json"
    path.write_bytes(OLD)
    path.chmod(mode)
    put(path, NEW)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    """The umask decides, as for a file that a shell makes."""
    (tmp_path / "other").touch()
    put(tmp_path / "lock.json", NEW)
    assert (tmp_path / "lock.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    """What the link leads to is replaced, in its own folder, be it there already or not."""
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "lock.json", tmp_path / "real" / "pinned.json"
    link.symlink_to("real/pinned.json")
    for content in (OLD, NEW):
        put(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert names(tmp_path / "real") == ["pinned.json"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """On a disk that is full the old file stays, alone in its folder."""
    path = tmp_path / "lock.json"
    path.write_bytes(OLD)
    with alone(path), full_disk() as full:
        assert full
        with pytest.raises(OSError, match="too large"):
            replace_file(path, NEW)
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["lock.json"]


def test_files_with_like_names_are_nobodys_leftovers(tmp_path: Path) -> None:
    """Only what a writer of this very file left is removed, whatever signs the name has."""
    path = tmp_path / "a[b]*.json"
    others = [".a[b]*.json.tmp", ".a[b]*.json.0123456789abcdeg.tmp", ".ab.json.0123456789abcdef.tmp", ".a[b]*.json.swp"]
    for name in (*others, ".a[b]*.json.0123456789abcdef.tmp"):
        (tmp_path / name).touch()
    put(path, NEW)
    assert names(tmp_path) == sorted([*others, path.name])
