"""Entries of locks, made of a few numbers, and the packers of now made alike."""

from typing import Any

from packer_schemas import IdentityDocument, Lock, LockedSubject, identity_digest
from packproof.lock.fresh import Fresh

__all__ = ["DIGEST", "entry", "fresh", "lock"]

DIGEST = "0" * 64


def entry(
    by_model: dict[str, tuple[Any, int]] | None = None,
    *,
    source: str | None = DIGEST,
    target: str = "m:f",
    reason: str = "",
) -> LockedSubject:
    """An entry; for each model what is declared (None: nothing) and a number that the behaviour follows."""
    by_model = {"tiny": (0, 0)} if by_model is None else by_model
    behaviour = {
        model: {"words": identity_digest("same"), "batch": identity_digest(number)}
        for model, (_, number) in by_model.items()
    }
    identities = {
        model: IdentityDocument.make("m.P", {"semantics": declared if isinstance(declared, dict) else {"x": declared}})
        for model, (declared, _) in by_model.items()
        if declared is not None
    }
    return LockedSubject(
        target=target,
        models=list(by_model),
        identities=identities,
        class_source_sha256=source,
        behaviour=behaviour,
        behaviour_sha256=identity_digest(behaviour),
        reason=reason,
    )


def lock(probe_corpus: int = 1, **subjects: LockedSubject) -> Lock:
    """A lock of these entries."""
    return Lock(
        schema_version=1,
        spec="0.2",
        packproof="0.2.0",
        probe_corpus=probe_corpus,
        versions={"python": "3.11.7"},
        subjects=subjects,
    )


def fresh(probe_corpus: int = 1, *, complete: bool = True, **subjects: LockedSubject) -> Fresh:
    """The packers of now, as a run measures them."""
    return Fresh(lock(probe_corpus, **subjects), complete=complete)
