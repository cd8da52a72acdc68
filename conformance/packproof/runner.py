"""Runs one check on one subject: witnesses of known failures, the spec's stored cases, generated ones, the vectors."""

import logging
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from packer_schemas.cases import CaseFile
from packer_schemas.known import KnownFailure
from packer_schemas.report import Counterexample, Outcome
from packproof import limits
from packproof.effort import Settings
from packproof.known import expired, expiry_reason
from packproof.load import describe
from packproof.models import EMBEDDED
from packproof.registry import Check
from packproof.search import folder_name, search
from packproof.tested import Tested
from packproof.violation import CaseTimeout, HarnessError, NotTested, OutOfReach, PackerExit, Unexercised, Violation
from packproof.wording import printable

__all__ = ["quiet", "replay_case", "run_check"]


def run_check(check: Check, subject: Tested, settings: Settings, known: Sequence[KnownFailure] = ()) -> Outcome:
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


def replay_case(check: Check, subject: Tested, case: Any) -> Outcome:
    """The outcome of one stored case alone."""
    trial = _Trial(check, subject)
    missing = check.missing(subject)
    if missing:
        return trial.outcome("not applicable", missing)
    try:
        with quiet():
            return trial.failed() if trial.fails(case) else trial.passed()
    except HarnessError as error:
        return trial.outcome("error", str(error))
    finally:
        subject.note("")


def _judge(trial: "_Trial", settings: Settings, known: Sequence[KnownFailure]) -> Outcome:
    accepted = set()
    for entry in known:
        if expired(entry):
            return trial.outcome("stale", expiry_reason(entry))
        if not trial.fails(entry.witness):
            unseen = f"the witness cannot show the rule: {trial.unexercised[-1]}" if trial.unexercised else ""
            passes = "the witness passes now; remove the entry from the known failures"
            return trial.outcome("stale", unseen or passes)
        accepted.add(trial.kind())
    trial.accept(accepted)
    if _fails_stored(trial, settings) or _search(trial, settings) or _fails_vectors(trial, settings):
        trial.try_on_fresh_packers()
        return trial.failed()
    if accepted:
        return trial.outcome("known", "; ".join(dict.fromkeys(entry.reason for entry in known)))
    return trial.passed()


def _fails_stored(trial: "_Trial", settings: Settings) -> bool:
    return settings.stored and any(map(trial.fails_stored, trial.check.stored_cases_for(trial.subject)))


def _fails_vectors(trial: "_Trial", settings: Settings) -> bool:
    return settings.stored and any(map(trial.fails_stored, trial.check.vector_cases_for(trial.subject)))


class _Trial:
    """One check on one subject, while it runs."""

    def __init__(self, check: Check, subject: Tested) -> None:
        self.check = check
        self.subject = subject
        self.count = 0
        self.first_failure = 0
        self.unexercised: list[Unexercised] = []
        self.accepted: Collection[str] = ()
        self.failing: tuple[Any, Counterexample] | None = None
        self.wavers = False

    def run(self, case: Any) -> None:
        """Run one case; raises the check's own violation, or `CaseTimeout`, which ends a search: it costs the limit."""
        self.count += 1
        if getattr(case, "model", "") is None and self.subject.models[0] is not None:
            case = case.model_copy(update={"model": self.subject.models[0]})  # so that the counterexample names it
        try:
            with limits.guarded(limits.CASE_LIMIT_S):
                self.check.run(self.subject, case)
        except Violation as error:
            if self._is_new(case, error.counterexample):
                raise self.check.violation(error.counterexample) from None
        except Unexercised as error:
            self.unexercised.append(error)
        except CaseTimeout as error:
            self._is_new(case, self._crash(f"no answer within {error.args[0]:g} s"))
            raise
        except (PackerExit, SystemExit) as error:
            crash = self._crash(f"tried to end the process with exit code {error.code}")
            if self._is_new(case, crash):
                raise self.check.violation(crash) from None
        except Exception as error:
            raise HarnessError(f"{self.check.id} on {case!r}: {describe(error)}") from error

    def fails(self, case: Any) -> bool:
        """Whether this case breaks the rule in a way not accepted as known."""
        self.failing = None
        try:
            self.run(case)
        except (Violation, CaseTimeout):
            return self.failing is not None
        return False

    def fails_stored(self, case: Any) -> bool:
        """As `fails`, and a second time, as Hypothesis does with the cases it makes, to see whether it wavers."""
        if not self.fails(case):
            return False
        seen = self.failing
        self.wavers = seen is not None and not seen[1].crash and not self.fails(case)
        self.failing = seen
        return True

    def kind(self) -> str:
        """What kind of failure was seen last."""
        assert self.failing is not None
        return _kind(self.failing[1])

    def accept(self, kinds: Collection[str]) -> None:
        """From here on failures of these kinds are known."""
        self.accepted, self.failing, self.first_failure = kinds, None, 0

    def _is_new(self, case: Any, counterexample: Counterexample) -> bool:
        """Whether the failure is none of the accepted ones; if so, keep it."""
        if _kind(counterexample) in self.accepted:
            return False
        self.first_failure = self.first_failure or self.count
        self.failing = (case, counterexample)
        return True

    def _crash(self, got: str) -> Counterexample:
        return Counterexample(call=self.subject.last_call, expected="an answer", got=got, crash=True)

    def try_on_fresh_packers(self) -> None:
        """Show the failure as a replay will; one that needs the cases before it is shown as it was seen."""
        assert self.failing is not None
        seen = self.failing
        if not (seen[1].crash or self.wavers):
            self.subject.forget()
            if not self.fails(seen[0]):
                self.failing = seen

    def passed(self) -> Outcome:
        """The outcome when no case failed: a pass, unless no case could show the rule."""
        if self.count and self.count == len(self.unexercised):
            status = "not tested" if any(isinstance(one, NotTested) for one in self.unexercised) else "not applicable"
            return self.outcome(status, str(self.unexercised[0]))
        untried = next((str(one) for one in self.unexercised if isinstance(one, OutOfReach)), "")
        return self.outcome("pass", untried and f"in part: {untried}")

    def failed(self) -> Outcome:
        """The outcome that shows the last failing case, which is the smallest found."""
        assert self.failing is not None
        case, counterexample = self.failing
        if self.wavers:
            fault = f"{counterexample.fault or 'fails'}, but not every time"
            counterexample = counterexample.model_copy(update={"fault": fault})
        file = CaseFile(requirement=self.check.id, packer=self.subject.target, case=case)
        return self.outcome("fail", counterexample=counterexample, case_file=file)

    def outcome(self, status: Any, reason: str = "", **more: Any) -> Outcome:
        """An outcome of this trial."""
        requirement = self.check.requirement
        cases = self.first_failure or self.count
        return Outcome(
            requirement=self.check.id,
            level=requirement.level,
            status=status,
            reason=printable(reason),
            cases=cases,
            **more,
        )


def _kind(found: Counterexample) -> str:
    """What makes two failures of one rule the same bug: the named fault; for a crash, what was raised and where."""
    if not found.crash:
        return re.sub(r"\d+", "N", found.fault)  # "first 2 lost" and "first 3 lost" are one bug
    raised, _, message = found.got.partition(":")
    return f"{raised}{message.rpartition(' (')[2]}"


def _search(trial: _Trial, settings: Settings) -> bool:
    """Look for a failing case among generated ones; whether one was found."""
    from hypothesis.errors import Flaky

    check, effort = trial.check, settings.effort
    folder = settings.database and settings.database / folder_name(trial.subject.label) / check.id
    try:
        search(
            trial.run,
            check.searches(trial.subject),
            cases=_share(check, trial.subject, effort.cases),
            seed=settings.seed,
            repeatable=effort.gate,
            shrink=settings.shrink,
            database=folder,
        )
    except (Violation, CaseTimeout):
        return trial.failing is not None
    except HarnessError:
        raise
    except Exception as error:
        if not isinstance(error, Flaky) or trial.failing is None:
            own = [inner for inner in getattr(error, "exceptions", ()) if isinstance(inner, HarnessError)]
            if own:
                raise own[0] from None  # our own bug, where the packer wavers as well
            raise HarnessError(f"{check.id}: generating cases failed: {describe(error)}") from error
        trial.wavers = True
        return True
    return False


def _share(check: Check, subject: Tested, cases: int) -> int:
    """How many of `cases` a check runs: a heavy one a tenth, and more where building a packer costs next to nothing."""
    cheap = set(subject.models) <= {None, *EMBEDDED}
    return max(5 if cheap else 2, cases // 10) if check.heavy else cases


@contextmanager
def quiet() -> Iterator[None]:
    """Keep warnings of third parties out of the verdict, also where a project turns warnings into errors."""
    logger = logging.getLogger("transformers")
    level = logger.level
    changes = level != logging.ERROR  # setting a level, even the same one, empties every logger's cache
    if changes:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if changes:
            logger.setLevel(level)
