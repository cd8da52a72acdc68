"""Preference pairs from a tar archive, each of three members that share a key."""

import json
import os
import re
import tarfile
from array import array
from dataclasses import dataclass, field
from typing import Any

from packer_reference.sources.file_bytes import FileBytes
from packer_reference.sources.map_style import place_of

__all__ = ["TarPairs"]

_PLACES = ("prompt", "winner", "loser")
_APPLE_DOUBLE = "._"
"""How the name of a file begins in which macOS keeps the attributes of the file beside it."""

_MEMBER = re.compile(rf"(?:\./)?(?P<key>.+)\.(?P<place>{'|'.join(_PLACES)})\.(?P<kind>txt|json)", re.DOTALL)


class TarPairs:
    """A map-style source of triples over an uncompressed tar archive, in the naming of webdataset.

    The pair with the key `0001` has the members `0001.prompt.txt`, `0001.winner.txt` and `0001.loser.txt`, or `.json`
    in place of `.txt` for any of them. A `.txt` member is the text itself, a `.json` member any JSON value, such as a
    conversation, a list of ids or an object; both are UTF-8. A key may have folders in front. Pairs come in the order
    of their first members, and other members are left alone, AppleDouble files (`._NAME`) of macOS among them. Members
    are found once, by their headers, and read when they are asked for; copies in worker processes read the file on
    their own.

    Raises `OSError` for a file that cannot be read, and `ValueError`, with the archive and the member, for one that is
    no such archive, was cut, has anything behind its end, lacks a member of a pair, has one twice, or has a link in
    place of one. Spec: sources, SOURCE-7 and SOURCE-13.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = FileBytes(path)
        self._digest: str | None = None
        self._members = _members(self._file)

    def __len__(self) -> int:
        return len(self._members.keys)

    def __getitem__(self, index: int) -> tuple[Any, Any, Any]:
        place = place_of(index, len(self))
        prompt, winner, loser = (self._read(3 * place + offset) for offset in range(3))
        return prompt, winner, loser

    def cursor_fingerprint(self) -> str:
        """Another string for every content of the file; the same in every process and folder (SOURCE-10)."""
        if self._digest is None:
            self._digest = self._file.digest()
        return f"packer_reference.tar-pairs-v1-{self._digest}"

    def membership_ids(self) -> tuple[str, ...]:
        """The keys of the pairs, known from the members' names (SOURCE-13)."""
        return tuple(self._members.keys)

    def _read(self, number: int) -> Any:
        found = self._members
        start, size = found.starts[number], abs(found.sizes[number])
        try:
            text = self._file.read(start, size).decode("utf-8")
            return json.loads(text) if found.is_json[number] else text
        except (ValueError, RecursionError) as error:
            member = f"{found.keys[number // 3]}.{_PLACES[number % 3]}"
            raise ValueError(f"{self._file.name}: {member}: {error}") from error


@dataclass
class _Members:
    """Keys in order; of pair i, the numbers 3 * i to 3 * i + 2 are those of prompt, winner and loser."""

    keys: list[str] = field(default_factory=list)
    starts: "array[int]" = field(default_factory=lambda: array("q"))
    sizes: "array[int]" = field(default_factory=lambda: array("q"))
    is_json: bytearray = field(default_factory=bytearray)


def _members(file: FileBytes) -> _Members:
    found, numbers = _Members(), dict[str, int]()
    try:
        with tarfile.open(file.path, "r:") as archive:
            for member in archive:
                archive.members = []  # pyright: ignore[reportAttributeAccessIssue]  which would grow with the file
                named = _MEMBER.fullmatch(member.name)
                if named is None or member.name.rpartition("/")[2].startswith(_APPLE_DOUBLE):
                    continue
                if member.issym() or member.islnk():
                    raise ValueError(f"{file.name}: {member.name}: is a link, expected a file with the content itself")
                if member.isreg():
                    _add(found, numbers, member, named, file)
            end = archive.offset  # where tarfile saw no further member
    except tarfile.TarError as error:
        raise ValueError(f"{file.name}: is no uncompressed tar archive that can be read: {error}") from error
    _expect_end(file, end)
    for number, start in enumerate(found.starts):
        if start < 0:
            key, place = found.keys[number // 3], _PLACES[number % 3]
            raise ValueError(f"{file.name}: the pair {key!r} has no member {key}.{place}.txt or {key}.{place}.json")
    return found


def _expect_end(file: FileBytes, end: int) -> None:
    """`ValueError` unless zeros follow from `end` on, at least one block of them, up to the end of the file."""
    if file.read(end, 512) != bytes(512):
        raise ValueError(f"{file.name}: has no end mark behind its last member; was the archive cut?")
    for start in range(end, file.size, 2**20):
        if file.read(start, 2**20).strip(b"\0"):
            said = "has more behind its end mark, perhaps another archive; join archives with tar --concatenate"
            raise ValueError(f"{file.name}: {said}")


def _add(
    found: _Members, numbers: dict[str, int], member: tarfile.TarInfo, named: re.Match[str], file: FileBytes
) -> None:
    key = named["key"]
    if key not in numbers:
        numbers[key] = len(found.keys)
        found.keys.append(key)
        found.starts.extend([-1] * 3)
        found.sizes.extend([0] * 3)
        found.is_json.extend([0] * 3)
    number = 3 * numbers[key] + _PLACES.index(named["place"])
    if found.starts[number] >= 0:
        raise ValueError(f"{file.name}: {member.name}: is the second {named['place']} of the pair {key!r}")
    if member.issparse() or member.offset_data + member.size > file.size:
        raise ValueError(f"{file.name}: {member.name}: is not there in full; was the archive cut?")
    found.starts[number], found.sizes[number] = member.offset_data, member.size
    found.is_json[number] = named["kind"] == "json"
