"""One conformance run: which packers, which checks, how hard; in Python and for the pytest plugin alike."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata

import packer_spec
from packer_schemas.known import KnownFailure
from packer_schemas.report import Outcome, Report, SubjectReport
from packproof.effort import Settings
from packproof.flight_recorder import FlightRecorder
from packproof.known import known_for
from packproof.registry import Check
from packproof.runner import run_check
from packproof.tested import Tested
from packproof.verdict import verdict_of

__all__ = ["Run", "build_report", "subject_report"]


@dataclass
class Run:
    """Subjects times checks, under one set of settings."""

    subjects: Sequence[Tested]
    checks: Sequence[Check]
    settings: Settings = field(default_factory=Settings)
    levels: Sequence[str] = ("core",)
    known: Sequence[KnownFailure] = ()
    selected: bool = False
    spec: str = packer_spec.SPEC_VERSION

    def one(self, subject: Tested, check: Check) -> Outcome:
        """The outcome of one check on one subject."""
        return run_check(check, subject, self.settings, known_for(self.known, check.id, subject.label))

    def checks_of(self, subject: Tested) -> list[Check]:
        """The checks of rules that bind subjects of this kind."""
        return [check for check in self.checks if subject.binds(check.requirement)]

    def all(self) -> Report:
        """Every check on every subject, under a flight recorder."""
        recorder = FlightRecorder()
        try:
            reports = [self._subject(subject, recorder) for subject in self.subjects]
        finally:
            recorder.close()
        return build_report(self, reports)

    def _subject(self, subject: Tested, recorder: FlightRecorder) -> SubjectReport:
        subject.recorder = recorder
        outcomes = [self.one(subject, check) for check in self.checks_of(subject)]
        return subject_report(self, subject, outcomes)


def subject_report(run: Run, subject: Tested, outcomes: Sequence[Outcome]) -> SubjectReport:
    """The report of one subject, in the order of the spec; complete only if no selection or stop left a rule out."""
    order = {check.id: place for place, check in enumerate(run.checks)}
    outcomes = sorted(outcomes, key=lambda outcome: order.get(outcome.requirement, len(order)))
    complete = not run.selected and len(outcomes) == len(run.checks_of(subject))
    return SubjectReport(
        label=subject.label,
        target=subject.target,
        models=[model or "as built" for model in subject.models],
        verdict=verdict_of(outcomes, complete=complete),
        outcomes=outcomes,
    )


def build_report(run: Run, reports: Sequence[SubjectReport]) -> Report:
    """The document of a whole run; two gate runs give equal documents."""
    libraries = ("hypothesis", "pydantic", "pytest", "tokenizers", "torch", "transformers")
    return Report(
        packproof=metadata.version("packproof"),
        spec=run.spec,
        level=list(run.levels),
        effort=run.settings.effort.name,
        seed=run.settings.seed,
        versions={"python": platform.python_version()} | {name: metadata.version(name) for name in libraries},
        subjects=list(reports),
    )
