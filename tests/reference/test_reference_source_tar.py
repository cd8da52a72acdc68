"""Tar archives of preference pairs: which members make a pair, and what an archive may lack."""

import io
import json
import pickle
import tarfile
from pathlib import Path
from typing import Any

import pytest

from packer_reference.sources import TarPairs, build_preference_source, membership_ids
from packer_schemas import PreferenceSourceSettings


def write(path: Path, members: list[tuple[str, str | bytes]], mode: Any = "w", **given: Any) -> Path:
    """An archive of these members, in this order."""
    with tarfile.open(path, mode, **given) as archive:
        for name, content in members:
            raw = content if isinstance(content, bytes) else content.encode()
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return path


def pair(key: str, kind: str = "txt") -> list[tuple[str, str | bytes]]:
    """The three members of a pair of texts."""
    return [(f"{key}.{part}.{kind}", f"{part} of {key}") for part in ("prompt", "winner", "loser")]


def test_three_members_of_a_key_are_a_pair(tmp_path: Path) -> None:
    """Text members are texts, JSON members any value, and both kinds go together in one pair."""
    turn = [{"role": "user", "content": "Grüß dich"}]
    members = [
        *pair("0001"),
        ("0002.loser.json", json.dumps({"completion": [2]})),
        ("0002.prompt.json", json.dumps(turn)),
        ("0002.winner.json", json.dumps({"completion": [1]})),
        ("0003.prompt.txt", "Grüß\n"),
        ("0003.winner.json", "[1, 2]"),
        ("0003.loser.txt", ""),
    ]
    source = TarPairs(write(tmp_path / "pairs.tar", members))
    assert list(source) == [
        ("prompt of 0001", "winner of 0001", "loser of 0001"),
        (turn, {"completion": [1]}, {"completion": [2]}),
        ("Grüß\n", [1, 2], ""),
    ]


def test_pairs_come_in_the_order_of_their_first_members(tmp_path: Path) -> None:
    """Members of several pairs may be mixed, keys have folders and points in them, and other members are left alone."""
    one, two = pair("./shard/a.v2"), pair("b")
    members = [two[2], one[0], ("b.meta.json", "{"), one[1], two[0], ("readme.txt", "x"), one[2], two[1]]
    path = write(tmp_path / "pairs.tar", members)
    source = TarPairs(path)
    assert source.membership_ids() == ("b", "shard/a.v2")
    assert source[1] == ("prompt of ./shard/a.v2", "winner of ./shard/a.v2", "loser of ./shard/a.v2")


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_form_of_archive_is_read(tmp_path: Path, form: int) -> None:
    """Long names stand elsewhere in each form, and payloads begin at other places."""
    key = "folder/" * 8 + "k" * 60
    source = TarPairs(write(tmp_path / "pairs.tar", [*pair(key), *pair("b")], format=form))
    assert source.membership_ids() == (key, "b")
    assert source[0][1] == f"winner of {key}"


@pytest.mark.parametrize(
    ("members", "said"),
    [
        (pair("a")[:2], "the pair 'a' has no member a.loser.txt or a.loser.json"),
        ([*pair("a"), ("a.loser.json", "3")], "a.loser.json: is the second loser of the pair 'a'"),
        ([*pair("a"), pair("a")[0]], "a.prompt.txt: is the second prompt of the pair 'a'"),
    ],
)
def test_a_pair_has_each_member_once(tmp_path: Path, members: list[tuple[str, str | bytes]], said: str) -> None:
    """A member too few or too many is told, by archive and name, when the source is made."""
    with pytest.raises(ValueError, match=rf"pairs.tar: {said}"):
        TarPairs(write(tmp_path / "pairs.tar", members))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_is_no_member(tmp_path: Path, kind: bytes) -> None:
    """A link in the archive has no content there, which is told of a member of a pair; others are left alone."""
    path = write(tmp_path / "pairs.tar", pair("a")[:2])
    for name in ("latest", "a.loser.txt"):
        with tarfile.open(path, "a") as archive:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "a.winner.txt"
            archive.addfile(info)
    with pytest.raises(ValueError, match=r"pairs.tar: a.loser.txt: is a link, expected a file"):
        TarPairs(path)


def test_nothing_may_stand_behind_the_end(tmp_path: Path) -> None:
    """Of two archives put one behind the other the second would be lost; zeros may follow, as tapes have them."""
    path, other = write(tmp_path / "pairs.tar", pair("a")), write(tmp_path / "other.tar", pair("b"))
    whole = path.read_bytes()
    for behind in (other.read_bytes(), bytes(9 * 2**20) + b"x"):
        path.write_bytes(whole + behind)
        with pytest.raises(ValueError, match=r"pairs.tar: has more behind its end mark, perhaps another archive"):
            TarPairs(path)
    path.write_bytes(whole + bytes(10_000))
    assert TarPairs(path).membership_ids() == ("a",)


def test_what_macos_adds_is_left_alone(tmp_path: Path) -> None:
    """Its tar writes a file `._NAME` beside every file with attributes, in the same folder; none is of a pair."""
    members = [(f"{folder}._{name}", b"\x00\x05\x16\x07") for folder in ("", "./", "sub/") for name, _ in pair("1")]
    source = TarPairs(write(tmp_path / "pairs.tar", [*members, *pair("1"), *pair("sub/1")]))
    assert source.membership_ids() == ("1", "sub/1")


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2"])
def test_a_compressed_archive_is_refused(tmp_path: Path, mode: str) -> None:
    """There are no places in it to go to."""
    with pytest.raises(ValueError, match=r"pairs.tar: is no uncompressed tar archive that can be read"):
        TarPairs(write(tmp_path / "pairs.tar", pair("a"), mode))


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (3 * 1024 + 512 + 2000, r"b.prompt.txt: is not there in full"),
        (3 * 1024 + 100, "has no end mark behind its last member"),
        (3 * 1024, "has no end mark behind its last member"),
        (2 * 1024, "has no end mark behind its last member"),
    ],
)
def test_a_cut_archive_is_refused(tmp_path: Path, left: int, said: str) -> None:
    """Cut within a member, within a header, and between two members, where what is left looks like an archive."""
    path = write(tmp_path / "pairs.tar", [*pair("a"), ("b.prompt.txt", "x" * 5000)])
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(ValueError, match=rf"pairs.tar: {said}"):
        TarPairs(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.winner.json", "{", r"pairs.tar: b.winner: Expecting property name"),
        ("b.winner.txt", b"\xff", r"pairs.tar: b.winner: 'utf-8' codec can't decode"),
    ],
)
def test_a_broken_member_is_named_when_it_is_read(tmp_path: Path, name: str, content: Any, said: str) -> None:
    """Archive and member are told, and the pairs around it are whole."""
    members = [*pair("a"), pair("b")[0], (name, content), pair("b")[2]]
    source = TarPairs(write(tmp_path / "pairs.tar", members))
    assert source[0] == ("prompt of a", "winner of a", "loser of a")
    with pytest.raises(ValueError, match=said):
        source[1]


def test_an_archive_without_pairs_is_empty(tmp_path: Path) -> None:
    """A run refuses it by its path."""
    path = write(tmp_path / "pairs.tar", [("readme.txt", "x")])
    with pytest.raises(ValueError, match=r"tar_path '.*pairs.tar' gave a .*TarPairs of length 0"):
        build_preference_source(PreferenceSourceSettings(tar_path=str(path)))


def test_names_and_fingerprint_are_the_archives(tmp_path: Path) -> None:
    """Keys name the pairs, content decides the fingerprint, and copies agree."""
    path = write(tmp_path / "pairs.tar", [*pair("a"), *pair("b")])
    source = build_preference_source(PreferenceSourceSettings(tar_path=str(path)))
    assert membership_ids(source) == ("a", "b")
    one = source.source.cursor_fingerprint()
    assert pickle.loads(pickle.dumps(source)).source.cursor_fingerprint() == one
    swapped = TarPairs(write(tmp_path / "other.tar", [*pair("b"), *pair("a")]))
    assert swapped.cursor_fingerprint() != one
