"""The lock file's text: read strictly, refused with place and advice, written so that equal locks are equal."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from packer_schemas.lock import Lock
from packproof.violation import UsageError

__all__ = ["UnreadableLock", "lock_text", "read_lock"]

_MARKER = re.compile(rb"^(<{7}|={7}|>{7}|\|{7})( |\r?$)", re.MULTILINE)
_RESTORE = "Restore it, as from version control, or move it away and pin anew with `packproof lock`; it was left alone."


class UnreadableLock(UsageError, ValueError):
    """A lock file that is none, or of another layout; it is left as it is (IDENT-18)."""


def read_lock(path: Path) -> Lock | None:
    """The lock at `path`; None where there is no file. `UnreadableLock` says where it is none, and what to do."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableLock(f"{path}: cannot be read: {error.strerror}.") from error
    if found := _MARKER.search(raw):
        line = raw.count(b"\n", 0, found.start()) + 1
        raise UnreadableLock(
            f"{path}:{line}: holds a merge conflict. Take either side's file whole, as `git checkout --ours -- {path}` "
            "does; then `packproof lock --check` says what the merged packers lack. It was left alone."
        )
    from packproof.validation.strict_json import NotJson, StrictReader

    try:
        document = StrictReader().read(raw)
    except NotJson as error:
        first = error.problems[0]
        where = f"{path}:{first.line}" if first.line else str(path)
        raise UnreadableLock(f"{where}: is no lock file ({first.said}). {_RESTORE}") from error
    version = document.get("schema_version") if isinstance(document, dict) else None
    if type(version) is int and version != 1:
        raise UnreadableLock(
            f"{path}: schema_version: expected 1, got {version}. Another version of packproof wrote it: use that one, "
            "or move the file away and pin anew with `packproof lock`; it was left alone."
        )
    try:
        return Lock.model_validate_json(raw, strict=True)
    except ValidationError:
        from packproof.validation.schema_check import OwnSchema

        first = OwnSchema("lock").problems(document, raw)[0]
        raise UnreadableLock(f"{path}: is no lock file ({first}). {_RESTORE}") from None


def lock_text(lock: Lock) -> bytes:
    """The file of a lock: fields as in the specification, everything else sorted, so that equal locks are equal bytes.

    UTF-8, two spaces a level, a line feed at the end.
    """
    document = lock.model_dump(mode="json")
    document["versions"] = _sorted(document["versions"])
    document["subjects"] = dict(sorted(document["subjects"].items()))
    for entry in document["subjects"].values():
        entry["behaviour"] = _sorted(entry["behaviour"])
        entry["identities"] = dict(sorted(entry["identities"].items()))
        for identity in entry["identities"].values():
            identity["parts"] = {
                name: part | {"value": _sorted(part["value"])} for name, part in sorted(identity["parts"].items())
            }
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(item) for key, item in sorted(value.items())}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
