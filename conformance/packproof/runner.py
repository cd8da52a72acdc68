"""Runs one check on one subject: witnesses of known failures, then the spec's stored cases, then generated ones."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from packer_schemas.cases import CaseFile
from packer_schemas.known import KnownFailure
from packer_schemas.report import Counterexample, Outcome
from packproof.effort import Settings
from packproof.known import expired, expiry_reason
from packproof.limits import CASE_LIMIT_S, guarded
from packproof.registry import Check
from packproof.subject import Subject
from packproof.violation import CaseTimeout, HarnessError, NotTested, Unexercised, UsageError, Violation

__all__ = ["quiet", "replay_case", "run_check"]


def run_check(
    check: Check, subject: Subject, settings: Settings, known: Sequence[KnownFailure] = ()
) -> Outcome:
    """The outcome of one requirement on one packer; never raises but for a bug of pytest or Hypothesis itself."""
    trial = _Trial(check, subject)
    missing = check.missing(subject)
    if missing and known:
        return trial.outcome("stale", f"a known failure is listed, but the rule does not apply: {missing}")
    if missing:
        return trial.outcome("not applicable", missing)
    subject.forget()
    try:
        with quiet():
            return _judge(trial, settings, known)
    except HarnessError as error:
        return trial.outcome("error", str(error))
    finally:
        subject.note("")


def replay_case(check: Check, subject: Subject, case: Any) -> Outcome:
    """The outcome of one stored case alone."""
    trial = _Trial(check, subject)
    missing = check.missing(subject)
    if missing:
        return trial.outcome("not applicable", missing)
    try:
        with quiet():
            if trial.fails(case):
                return trial.failed()
    except HarnessError as error:
        return trial.outcome("error", str(error))
    finally:
        subject.note("")
    return trial.outcome("pass")


def _judge(trial: "_Trial", settings: Settings, known: Sequence[KnownFailure]) -> Outcome:
    for entry in known:
        if expired(entry):
            return trial.outcome("stale", expiry_reason(entry))
        if not trial.fails(entry.witness):
            return trial.outcome("stale", "the witness passes now; remove the entry from the known failures")
        trial.accept(entry.reason)
    stored = trial.check.stored_cases if settings.stored else []
    if any(trial.fails(case) for case in stored) or _search(trial, settings):
        return trial.failed()
    if trial.accepted:
        return trial.outcome("known", "; ".join(dict.fromkeys(trial.accepted.values())))
    if trial.count and trial.count == len(trial.unexercised):
        status = "not tested" if any(isinstance(one, NotTested) for one in trial.unexercised) else "not applicable"
        return trial.outcome(status, str(trial.unexercised[0]))
    return trial.outcome("pass")


class _Trial:
    """One check on one subject, while it runs."""

    def __init__(self, check: Check, subject: Subject) -> None:
        self.check = check
        self.subject = subject
        self.count = 0
        self.first_failure = 0
        self.unexercised: list[Unexercised] = []
        self.accepted: dict[tuple[str, str], str] = {}
        self.failing: tuple[Any, Counterexample] | None = None

    def run(self, case: Any) -> None:
        """Run one case; raises the check's own violation. `CaseTimeout` becomes a violation that is not shrunk."""
        self.count += 1
        try:
            with guarded(CASE_LIMIT_S):
                self.check.run(self.subject, case)
        except Violation as error:
            self._fail(case, error.counterexample)
        except UsageError as error:  # a factory that builds once and then no more
            self._fail(case, Counterexample(call=self.subject.target, got=str(error), crash=True))
        except Unexercised as error:
            self.unexercised.append(error)
        except CaseTimeout:
            call = self.subject.last_call
            got = f"no answer within {CASE_LIMIT_S:.0f} s"
            self.failing = (case, Counterexample(call=call, expected="an answer", got=got, crash=True))
            self.first_failure = self.first_failure or self.count
            raise
        except Exception as error:
            raise HarnessError(f"{self.check.id} on {case!r}: {type(error).__name__}: {error}") from error

    def fails(self, case: Any) -> bool:
        """Whether this case breaks the rule in a way not accepted as known."""
        try:
            self.run(case)
        except (Violation, CaseTimeout):
            return True
        return False

    def accept(self, reason: str) -> None:
        """From here on, failures of the kind just seen are known."""
        assert self.failing is not None
        self.accepted[_kind(self.failing[1])] = reason
        self.failing = None

    def _fail(self, case: Any, counterexample: Counterexample) -> None:
        if _kind(counterexample) in self.accepted:
            return
        self.first_failure = self.first_failure or self.count
        self.failing = (case, counterexample)
        raise self.check.violation(counterexample) from None

    def failed(self) -> Outcome:
        """The outcome that shows the last failing case, which is the smallest found."""
        assert self.failing is not None
        case, counterexample = self.failing
        file = CaseFile(requirement=self.check.id, packer=self.subject.target, case=case)
        return self.outcome("fail", counterexample=counterexample, case_file=file)

    def outcome(self, status: Any, reason: str = "", **more: Any) -> Outcome:
        """An outcome of this trial."""
        requirement = self.check.requirement
        cases = self.first_failure or self.count
        return Outcome(requirement=self.check.id, level=requirement.level, status=status, reason=reason, cases=cases, **more)


def _kind(counterexample: Counterexample) -> tuple[str, str]:
    """What makes two failures of one rule the same bug: the named fault, and for a crash what was raised."""
    return counterexample.fault, counterexample.got.partition("(")[0] if counterexample.crash else ""


def _search(trial: _Trial, settings: Settings) -> bool:
    """Look for a failing case with Hypothesis, every setting pinned; whether one was found."""
    import hypothesis
    from hypothesis import HealthCheck, Phase, Verbosity
    from hypothesis.database import DirectoryBasedExampleDatabase
    from hypothesis.errors import Flaky, HypothesisException

    effort = settings.effort
    database = DirectoryBasedExampleDatabase(settings.database) if settings.database else None

    @hypothesis.seed(settings.seed)
    @hypothesis.settings(
        max_examples=max(5, effort.cases // 10) if trial.check.heavy else effort.cases,
        database=database,
        deadline=None,
        derandomize=False,
        phases=(Phase.reuse, Phase.generate, Phase.shrink) if database else (Phase.generate, Phase.shrink),
        print_blob=False,
        report_multiple_bugs=False,
        stateful_step_count=1,
        suppress_health_check=(HealthCheck.too_slow,),  # it measures the machine, not the packer
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(trial.check.cases(trial.subject))
    def search(case: Any) -> None:
        trial.run(case)

    try:
        search()
    except (Violation, CaseTimeout):
        return True
    except Flaky:
        assert trial.failing is not None
        case, seen = trial.failing
        trial.failing = (case, seen.model_copy(update={"fault": f"{seen.fault or 'fails'}, but not every time"}))
        return True
    except HypothesisException as error:
        raise HarnessError(f"{trial.check.id}: generating cases failed: {error}") from error
    return False


@contextmanager
def quiet() -> Iterator[None]:
    """Keep warnings of third parties out of the verdict, also where a project turns warnings into errors."""
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
