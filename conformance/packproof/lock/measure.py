"""Measures packers into entries of a lock: what a fresh one declares and does on the probes, model by model."""

import platform
import traceback
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import packer_schemas
import packer_spec
from packer_schemas.binding import PackerBinding
from packer_schemas.canonical import identity_digest
from packer_schemas.differences import identity_differences
from packer_schemas.lock import Lock, LockedSubject
from packproof import limits
from packproof.behaviour import behaviour_digest, observed
from packproof.driver import Driver
from packproof.lock.fresh import Fresh, NotMeasured
from packproof.lock.words import listing
from packproof.probes import PROBE_CORPUS
from packproof.runner import quiet
from packproof.subject import Subject
from packproof.violation import CallFailed, CaseTimeout
from packproof.wording import one_line

__all__ = ["measure"]

Seen = Mapping[str, Mapping[str, Any]]

_LIBRARIES = ("numpy", "tokenizers", "torch", "transformers")


def measure(subjects: Sequence[Subject], folder: Path, *, complete: bool = True) -> Fresh:
    """The packers as a lock would pin them now; one that raises, or declares what is no declaration, has failed.

    Models that are folders below `folder`, the project's, are named relative to it, so that a lock fits any checkout.
    """
    entries: dict[str, LockedSubject] = {}
    seen: dict[str, Seen] = {}
    failed: dict[str, NotMeasured] = {}
    for subject in subjects:
        models = [_named(model or "as built", folder) for model in subject.models]
        try:
            with quiet():
                entries[subject.label], seen[subject.label] = _measured(subject, models)
        except CallFailed as error:
            failed[subject.label] = NotMeasured(subject.target, models, _told(error))
        except CaseTimeout as error:
            why = f"{subject.last_call} gave no answer within {error.args[0]:g} s"
            failed[subject.label] = NotMeasured(subject.target, models, why)
        finally:
            subject.note("")
    lock = Lock(
        schema_version=1,
        spec=packer_spec.SPEC_VERSION,
        packproof=metadata.version("packproof"),
        probe_corpus=PROBE_CORPUS,
        versions={"python": platform.python_version()} | {name: metadata.version(name) for name in _LIBRARIES},
        subjects=entries,
    )
    return Fresh(lock, failed, complete, seen)


def _measured(subject: Subject, models: Sequence[str]) -> tuple[LockedSubject, Seen]:
    """A fresh packer on each model declares, then is probed; its first entry, and what it gave for the probes.

    `CallFailed` also where another packer from the same factory declares or gives something else.
    """
    bindings, behaviour, seen = {}, {}, {}
    for name, model in zip(models, subject.models, strict=True):
        with limits.guarded(limits.SETUP_LIMIT_S):
            driver = subject.fresh(model)
        bindings[name] = _binding(driver)
        subject.note(f"a probe on {name}")
        seen[name] = observed(driver, subject.capabilities)
        behaviour[name] = _digests(seen[name])
        _expect_steady(subject, model, bindings[name], behaviour[name])
    entry = LockedSubject(
        target=subject.target,
        models=list(bindings),
        identities={name: one.identity for name, one in bindings.items() if one.identity is not None},
        class_source_sha256=next(iter(bindings.values())).class_source_sha256,
        behaviour=behaviour,
        behaviour_sha256=behaviour_digest(behaviour),
        reason="",
    )
    return entry, seen


def _expect_steady(subject: Subject, model: str | None, binding: PackerBinding, digests: Mapping[str, str]) -> None:
    """Ask the packer that the subject keeps for the model as well: what changes by itself cannot be pinned."""
    with limits.guarded(limits.SETUP_LIMIT_S):
        other = subject.on(model)
    if differences := identity_differences(binding.identity, _binding(other).identity):
        raise CallFailed(
            "another packer from its factory", f"declares another identity ({differences[0]}): see IDENT-6"
        )
    subject.note(f"a probe on {other.model}")
    again = _digests(observed(other, subject.capabilities))
    if wavering := [probe for probe in digests if digests[probe] != again[probe]]:
        told = f"gives something else for {listing(wavering)}: see LIFE-8"
        raise CallFailed("another packer from its factory", told)


def _binding(driver: Driver) -> PackerBinding:
    try:
        with limits.guarded(limits.CASE_LIMIT_S), driver.calling("its declared identity"):
            return PackerBinding.of(driver.packer)
    except CallFailed as error:
        refused = error.__cause__
        if refused is None or not _raised_by_schemas(refused):
            raise
        raise CallFailed("", str(refused)) from None


def _raised_by_schemas(error: BaseException) -> bool:
    """Whether a declaration was refused, rather than a method of the packer raised."""
    return traceback.extract_tb(error.__traceback__)[-1].filename.startswith(str(Path(packer_schemas.__file__).parent))


def _digests(seen: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    digests = {}
    for probe, answers in seen.items():
        try:
            digests[probe] = identity_digest(answers, probe)
        except (TypeError, ValueError) as error:
            raise CallFailed(f"the probe {probe!r}", f"gave what cannot be written down: {error}") from None
    return digests


def _told(error: CallFailed) -> str:
    found = error.counterexample
    wanted = "" if found.expected == "an answer" else f", expected {found.expected}"
    return f"{found.call} {found.got}{wanted}".strip()


def _named(model: str, folder: Path) -> str:
    path = Path(model)
    own = path.relative_to(folder).as_posix() if path.is_absolute() and path.is_relative_to(folder) else model
    return one_line(own)  # a folder may have a name that is no text
