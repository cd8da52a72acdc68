"""What checkpoints hold for SOURCE-12, and what a run has to make of it in each mode."""

from typing import Any

from packer_schemas.source_run_cases import CursorCase

__all__ = ["CHECKPOINT", "MODES", "decision", "differing_words", "saved_cursor"]

CHECKPOINT = "step-forty"
"""Name of the checkpoint."""

MODES = ("off", "auto", "strict")

_OTHER = "0" * 64
"""A fingerprint that no source has."""


def saved_cursor(case: CursorCase, fingerprint: str | None) -> dict[str, Any] | None:
    """The checkpoint of a case, for a source with this fingerprint; None for a new run."""
    if case.saved == "a new run":
        return None
    fits = _document(case, fingerprint)
    documents: dict[str, list[Any]] = {
        "no cursor": [None],
        "none for this rank": [None, fits],
        "none for another rank": [fits, None],
    }
    return {"checkpoint": CHECKPOINT, "documents": documents.get(case.saved, [_differing(case, fits)])}


def _document(case: CursorCase, fingerprint: str | None) -> dict[str, Any]:
    """The document of the run's own loader after some items, one to a batch."""
    read = min(case.read, case.length)
    return {
        "schema_version": 1,
        "name": "",
        "source": {"kind": "map", "length": case.length, "seed": 0, "shuffle": False, "fingerprint": fingerprint},
        "dp_rank": 0,
        "dp_world_size": 1,
        "num_workers": 0,
        "batches": read,
        "next_worker": 0,
        "workers": [{"worker_id": 0, "epoch": 0, "index": read - 1, "set_aside": []}],
    }


def _differing(case: CursorCase, fits: dict[str, Any]) -> dict[str, Any]:
    """The document with the one difference that the case names, if it names one."""
    part = {"name": "shelf", "shard_rank": 0, "shard_world_size": 1}
    source: dict[str, dict[str, Any]] = {
        "length": {"length": case.length + 1},
        "seed": {"seed": 1},
        "shuffle": {"shuffle": True},
        "fingerprint": {"fingerprint": _OTHER},
        "no fingerprint": {"fingerprint": None},
        "kind": {"kind": "rank_partitioned", "part": part},
    }
    if case.saved == "an empty document":
        return {}
    if case.saved == "a field less":
        return {name: value for name, value in fits.items() if name != "workers"}
    if case.saved == "schema_version":
        return fits | {"schema_version": 2}
    return fits | {"source": fits["source"] | source.get(case.saved, {})}


def differing_words(case: CursorCase, fingerprint: str | None) -> tuple[str, ...]:
    """What the refusal of a cursor that does not fit has to name: the field, and both values where all write them so.

    Of fingerprints the first twelve digits will do.
    """
    own = [] if fingerprint is None else [fingerprint[:12]]
    return {
        "length": ("length", str(case.length + 1), str(case.length)),
        "seed": ("seed", "1", "0"),
        "shuffle": ("shuffle",),
        "fingerprint": ("fingerprint", _OTHER[:12], *own),
        "no fingerprint": ("fingerprint", *own),
        "kind": ("kind", "rank_partitioned", "map"),
        "schema_version": ("schema_version", "2"),
        "a field less": ("workers",),
    }.get(case.saved, ())


def decision(case: CursorCase, fingerprint: str | None) -> str:
    """`start`, `start and say so`, `restore` or `refuse`: the chapter's table, cell by cell."""
    return _row(case, fingerprint)[MODES.index(case.mode)] if case.mode in MODES else "refuse"


def _row(case: CursorCase, fingerprint: str | None) -> tuple[str, str, str]:
    """The cells of a situation, for the modes in order."""
    if case.saved == "a new run":
        if case.fingerprinted:
            return "start", "start", "start"
        return "start", "start and say so", "refuse"
    if case.saved == "no cursor":
        return "start and say so", "start and say so", "refuse"
    if case.saved == "the same" or (case.saved == "no fingerprint" and fingerprint is None):
        return "start and say so", "restore", "restore"
    return "start and say so", "refuse", "refuse"
