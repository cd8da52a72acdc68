"""Holds packers of now against their entries: the four combinations of identity and behaviour, and the rest."""

from collections.abc import Mapping, Sequence

from packer_schemas.differences import identity_differences
from packer_schemas.identity import IdentityDocument
from packer_schemas.lock import Lock, LockedSubject
from packer_schemas.lock_report import LockFinding, LockOutcome
from packproof.lock.fresh import Fresh
from packproof.lock.words import Said, advice, listing, message

__all__ = ["compare"]


def compare(pinned: Lock | None, fresh: Fresh) -> dict[str, LockFinding]:
    """A finding for every packer and every entry, by label and in its order (IDENT-17).

    Identities and behaviours are compared model by model, on the models of both sides. `pinned` is None where there is
    no file yet. An entry without a packer has no finding unless `fresh` is complete.
    """
    entries = {} if pinned is None else pinned.subjects
    same_corpus = pinned is None or pinned.probe_corpus == fresh.lock.probe_corpus
    found = {}
    for label in sorted({*entries, *fresh.lock.subjects, *fresh.failed}):
        then, now = entries.get(label), fresh.lock.subjects.get(label)
        if failed := fresh.failed.get(label):
            found[label] = _finding("not measured", Said(failed.target, failed.models, why=failed.why))
        elif now is not None:
            found[label] = _alone("missing", now) if then is None else _entry(then, now, same_corpus=same_corpus)
        elif then is not None and fresh.complete:
            found[label] = _alone("obsolete", then)
    return found


def _alone(outcome: LockOutcome, entry: LockedSubject) -> LockFinding:
    return _finding(outcome, Said(entry.target, entry.models))


def _entry(then: LockedSubject, now: LockedSubject, *, same_corpus: bool) -> LockFinding:
    common = [model for model in now.models if model in then.models]
    pairs = {model: (then.identities.get(model), now.identities.get(model)) for model in common}
    identity = {
        model: [str(one) for one in identity_differences(*pair)] for model, pair in pairs.items() if not _equal(*pair)
    }
    behaviour = {model: _differing(then.behaviour[model], now.behaviour[model]) for model in common if same_corpus}
    behaviour = {model: names for model, names in behaviour.items() if names}
    if not same_corpus:
        outcome = "other probe corpus"
    elif not then.identities and not now.identities and behaviour:
        outcome = "undeclared changed"
    elif behaviour.keys() - identity.keys():
        outcome = "only behaviour changed"
    elif identity:
        outcome = "both changed" if behaviour else "only identity changed"
    else:
        outcome = "other models" if set(then.models) != set(now.models) else "same"
    declaration = _declaration([pairs[model] for model in identity])
    said = Said(now.target, now.models, identity, behaviour, _notes(then, now), declaration)
    return _finding(outcome, said)


def _equal(then: IdentityDocument | None, now: IdentityDocument | None) -> bool:
    """Whether two identities are equal: only the digests decide, and nothing declared equals only nothing declared."""
    return (then and then.sha256) == (now and now.sha256)


def _differing(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Names of the probes that differ, those of now first, in the order of the probes."""
    return [name for name in {**now, **then} if then.get(name) != now.get(name)]


def _declaration(changed: Sequence[tuple[IdentityDocument | None, IdentityDocument | None]]) -> str:
    """Whether the changed identities were all added, or all taken away; empty otherwise."""
    if changed and all(then is None for then, _ in changed):
        return "added"
    return "taken away" if changed and all(now is None for _, now in changed) else ""


def _notes(then: LockedSubject, now: LockedSubject) -> list[str]:
    notes = []
    if then.class_source_sha256 != now.class_source_sha256:
        notes.append("the source of the packer's class changed")
    if then.target != now.target:
        notes.append(f"it was pinned as built from {then.target}")
    if then.models != now.models:
        notes.append(f"it was pinned on {listing(then.models)}")
    return notes


def _finding(outcome: LockOutcome, said: Said) -> LockFinding:
    return LockFinding(
        outcome=outcome,
        passes=outcome == "same",
        target=said.target,
        models=list(said.models),
        identity={model: list(lines) for model, lines in said.identity.items()},
        behaviour={model: list(names) for model, names in said.behaviour.items()},
        notes=list(said.notes),
        message=message(outcome, said),
        advice=advice(outcome, said),
    )
