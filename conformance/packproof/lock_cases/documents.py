"""What a lock case stands for, as documents: the lock file, and the packers of now."""

import json
from collections.abc import Mapping
from typing import Any

from packer_schemas.canonical import identity_digest
from packer_schemas.identity import IdentityDocument
from packer_schemas.lock_cases import LockRow, LockSide
from packer_spec import SPEC_VERSION

__all__ = ["FIELD", "NOW_CORPUS", "PROBES", "REASON", "entry", "file_text", "fresh_document", "pinned_document"]

NOW_CORPUS = 1
"""Version of the probe corpus that the packers of now are measured with."""

FIELD = "semantics.setting"
"""Path of the one field that tells two identities apart."""

PROBES = ("probe-kept", "probe-changed")
"""Names of the probes: the first gives the same whatever the behaviour, the second tells two behaviours apart."""

REASON = "as it was pinned before"
"""The reason in every entry of the file."""

_MODELS = ("first", "second")
"""Only the second one differs, so that nobody gets by with a look at the first."""


def pinned_document(rows: list[LockRow], probe_corpus: int) -> dict[str, Any]:
    """The lock that was pinned."""
    subjects = {row.label: entry(row.pinned, REASON) for row in rows if row.pinned is not None}
    return _lock(subjects, probe_corpus)


def fresh_document(rows: list[LockRow]) -> dict[str, Any]:
    """The packers of now, each with the first entry that it would get."""
    return _lock({row.label: entry(row.now) for row in rows if row.now is not None}, NOW_CORPUS)


def entry(side: LockSide, reason: str = "") -> dict[str, Any]:
    """One entry: each number of `side` is content of its own."""
    behaviour = {model: _probes(side.behaviour * (model == _MODELS[1])) for model in _MODELS}
    settings = {model: side.identity if model == _MODELS[1] else 0 for model in _MODELS}
    identities = {} if side.identity is None else {model: _identity(setting) for model, setting in settings.items()}
    return {
        "target": "packers:make_packer",
        "models": list(_MODELS),
        "identities": identities,
        "class_source_sha256": None if side.source is None else identity_digest(f"source {side.source}"),
        "behaviour": behaviour,
        "behaviour_sha256": identity_digest(behaviour),
        "reason": reason,
    }


def file_text(document: Mapping[str, Any], layout: str = "plain") -> str:
    """The text of a lock file; in the `other` layout it is one line, and the keys of every object are turned round."""
    if layout == "plain":
        return json.dumps(document, indent=2) + "\n"
    return json.dumps(_turned(document))


def _lock(subjects: dict[str, Any], probe_corpus: int) -> dict[str, Any]:
    head = {"schema_version": 1, "spec": SPEC_VERSION, "packproof": "0.0.0", "probe_corpus": probe_corpus}
    return {**head, "versions": {}, "subjects": subjects}


def _probes(behaviour: int) -> dict[str, str]:
    kept, changed = PROBES
    return {kept: identity_digest("output"), changed: identity_digest(f"output {behaviour}")}


def _identity(setting: Any) -> dict[str, Any]:
    made = IdentityDocument.make("packers.Packer", {"semantics": {"setting": setting}})
    return made.model_dump(mode="json")


def _turned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _turned(value[key]) for key in reversed(list(value))}
    return value
