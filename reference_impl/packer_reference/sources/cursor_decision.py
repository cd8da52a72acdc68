"""What becomes of the cursor in a checkpoint when a run starts."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from packer_reference.sources.built import BuiltSource
from packer_reference.sources.cursor_fit import misfits
from packer_reference.sources.fingerprints import cursor_fingerprint
from packer_schemas import CursorResume

__all__ = ["SavedCursors", "decide_cursor"]

_logger = logging.getLogger(__name__)

_ANEW = "to take its weights and start the data anew, run once with cursor_resume='off'"


@dataclass(frozen=True)
class SavedCursors:
    """The cursors of a checkpoint: the document of each rank, in rank order, None where a rank has none.

    `checkpoint` is the name by which messages call it.
    """

    checkpoint: str
    documents: Sequence[Any] = ()


def decide_cursor(
    cursor_resume: CursorResume,
    source: BuiltSource,
    own: Mapping[str, Any] | None,
    saved: SavedCursors | None = None,
    *,
    rank: int = 0,
    promised: bool = False,
) -> Literal["start", "restore"]:
    """Whether this rank starts at the first item of epoch 0, or restores its cursor from a checkpoint.

    `own` is the document of the rank's loader, at any place, None for one that cannot seek; `saved` is None for a new
    run. `promised` says that every checkpoint of the run has a cursor, as those of PPO have. A start that somebody
    might take for a resume is a log record of level warning. Raises `ValueError` where the run is refused: for another
    mode, with the method and the origin for a source without a fingerprint, with the checkpoint for one without a
    cursor, and with every field that differs for a cursor that does not fit. To be called before the model is built.
    Spec: sources, SOURCE-12.
    """
    if cursor_resume not in get_args(CursorResume):
        raise ValueError(f"cursor_resume is {cursor_resume!r}, expected 'off', 'auto' or 'strict'")
    unknown = f"{source.origin} has no cursor_fingerprint(), so nothing would tell whether its data is the same later"
    without_fingerprint = cursor_fingerprint(source) is None
    if promised and without_fingerprint:
        raise ValueError(f"{unknown}; this run saves a cursor in every checkpoint, add the method")
    if saved is None:
        if without_fingerprint and cursor_resume == "strict":
            raise ValueError(f"{unknown}; add the method, or run with another cursor_resume than 'strict'")
        if without_fingerprint and cursor_resume == "auto":
            _logger.warning("starting the data at its beginning: %s", unknown)
        return "start"
    if cursor_resume == "off":
        return _starting(saved, "cursor_resume='off' ignores its cursor")
    if all(document is None for document in saved.documents):
        if cursor_resume == "strict":
            raise ValueError(f"{saved.checkpoint} has no cursor, which cursor_resume='strict' needs; {_ANEW}")
        return _starting(saved, "it has no cursor")
    if problems := _problems(saved, own, rank):
        raise ValueError(f"the cursor of {saved.checkpoint} does not fit: {'; '.join(problems)}. Otherwise, {_ANEW}")
    return "restore"


def _starting(saved: SavedCursors, why: str) -> Literal["start"]:
    _logger.warning("starting the data of %s at its beginning: %s", saved.checkpoint, why)
    return "start"


def _problems(saved: SavedCursors, own: Mapping[str, Any] | None, rank: int) -> list[str]:
    if missing := [at for at, document in enumerate(saved.documents) if document is None]:
        return [f"of its {len(saved.documents)} ranks, {', '.join(map(str, missing))} have none"]
    if own is None:
        return ["this run's loader cannot seek, and has no place to restore"]
    if rank >= len(saved.documents):
        return [f"dp_world_size: {len(saved.documents)} in the cursor, and this is rank {rank}"]
    return misfits(saved.documents[rank], own)
