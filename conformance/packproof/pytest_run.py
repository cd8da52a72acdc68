"""The conformance run as pytest sees it: one item per rule and packer, its report, and the summary at the end."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from packer_schemas.lock_report import LockFinding
from packer_schemas.report import Outcome, Report
from packer_spec import requirement
from packproof.failure_text import failure_text
from packproof.flight_recorder import FlightRecorder
from packproof.load import import_from
from packproof.lock.pytest_items import HeldLock, LockItem, ObsoleteItem, lock_lines
from packproof.lock.report import lock_words
from packproof.options import Options
from packproof.plugin import OPTIONS
from packproof.project_table import PROVED, read_table
from packproof.registry import Check, check_for
from packproof.run import Run, build_report, subject_report
from packproof.runner import quiet, replay_case
from packproof.subject import Subject
from packproof.summary import summary_lines
from packproof.tested import Tested
from packproof.verdict import EXIT_HARNESS, breaks_gate
from packproof.violation import UsageError

__all__ = ["join"]

_SEED = "packproof-seed"
_PLACE = re.compile(r" \([^()]*:\d+ in \S+\)$")
_CAUSE = re.compile(r": see ([A-Z]+-\d+)$")


def join(config: pytest.Config) -> None:
    """Read the options, load packers and sources, and take part in the run; where none is named, do nothing."""
    if config.option.help or config.option.version:
        return
    given = {name: getattr(config.option, name.replace("-", "_")) for name, _, _ in OPTIONS}
    given["packer-seed"] = getattr(config, "workerinput", {}).get(_SEED, given["packer-seed"])
    folder = Path(config.invocation_params.dir)
    try:
        with quiet():
            table = read_table(config.rootpath, folder)
            in_table = any(table.get(name) for name in PROVED)
            import_from(config.rootpath if in_table else folder, folder)
            options = Options.make(given, table, folder)
            if options.idle:
                _refuse_idle(given)
                return
            recorder = FlightRecorder()
            config.add_cleanup(recorder.close)
            held = _held_lock(options, given, table, config.rootpath)
            run = options.run(_kept(config, "packproof-examples") if options.effort == "deep" else None, recorder)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    if (
        any(given[name] for name in (*PROVED, "packer-replay"))
        and config.args_source is not pytest.Config.ArgsSource.ARGS
    ):
        config.args = []  # something to prove and no paths: only the conformance run
    config.pluginmanager.register(Conformance(config, options, run, held), "packproof-run")


def _refuse_idle(given: dict[str, Any]) -> None:
    used = [f"--{name}" for name, value in given.items() if value]
    if used:
        others = "--source, --rollout, --objective or --trainer"
        raise UsageError(f"{', '.join(used)}: nothing to prove is named; add --packer module:factory, or {others}.")


def _held_lock(options: Options, given: dict[str, Any], table: dict[str, Any], root: Path) -> HeldLock | None:
    """The lock that the packers are held to; a run that replays cases asks for nothing else."""
    if not options.lock or options.replay or not options.packer:
        return None
    path = Path(os.path.relpath(options.folder / options.lock, options.folder))
    every_packer = not (options.select or (given["packer"] and table.get("packer")))
    return HeldLock.make(path, root if table else options.folder, lock_words(given), complete=every_packer)


def _kept(config: pytest.Config, name: str) -> Path | None:
    """A folder in pytest's cache; None where there is no cache, or a project that cannot be written to."""
    cache = getattr(config, "cache", None)
    try:
        return Path(cache.mkdir(name)) if cache is not None else None
    except OSError:
        return None


class Conformance:
    """Collects the items, keeps their outcomes, writes the summary and the report."""

    def __init__(self, config: pytest.Config, options: Options, run: Run, held: HeldLock | None = None) -> None:
        self.config = config
        self.options = options
        self.run = run
        self.held = held
        self.findings: dict[str, LockFinding] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.crashes: dict[tuple[str, str], str] = {}
        self.collected: set[str] = set()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give every xdist worker the seed of this run, which may have been drawn."""
        node.workerinput[_SEED] = self.run.settings.seed

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """Let the session collect the packers behind the user's own tests."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            for subject in self.run.subjects:
                own = SubjectNode.from_parent(
                    collector, name=subject.label, nodeid=subject.label, conformance=self, subject=subject
                )
                report.result = [*report.result, own]
            if self.held is not None:
                labels = [subject.label for subject in self.run.subjects if isinstance(subject, Subject)]
                lock = ObsoleteItem.from_parent(collector, name="lock", nodeid="lock", held=self.held, labels=labels)
                report.result = [*report.result, lock]
        return report

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what runs, once `-k` and its like have left things out."""
        self.collected = {item.nodeid for item in session.items}
        for item in session.items:
            if isinstance(item, ObsoleteItem):
                item.complete &= all(f"{label}::lock" in self.collected for label in item.labels)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Send the outcome along with the report, across worker processes too."""
        report = yield
        if isinstance(item, RuleItem) and item.result is not None:
            report.packproof = item.result.model_dump(mode="json")
        if isinstance(item, LockItem | ObsoleteItem):
            report.packproof_lock = {label: one.model_dump(mode="json") for label, one in item.findings.items()}
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Gather the outcome that came with a report, from this process or from a worker's."""
        if report.when == "call" and hasattr(report, "packproof"):
            self.outcomes[report.nodeid] = Outcome.model_validate(report.packproof)
        if report.when == "call" and hasattr(report, "packproof_lock"):
            findings = {label: LockFinding.model_validate(one) for label, one in report.packproof_lock.items()}
            self.findings.update(findings)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report file; an outcome that is our own failure has an exit code of its own."""
        if hasattr(self.config, "workerinput"):
            return
        if any(outcome.status == "error" for outcome in self.outcomes.values()):
            session.exitstatus = EXIT_HARNESS
        if self.options.report:
            path = self.options.folder / self.options.report
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.report().model_dump_json(indent=2) + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the summary."""
        lines = summary_lines(self.report()) if self.outcomes and not self.options.replay else []
        if self.held is not None and self.findings:
            lines += ["", *lock_lines(str(self.held.file.path), self.findings)]
        if lines:
            terminalreporter.section("packer conformance")
        for line in lines:
            terminalreporter.write_line(line)

    def report(self) -> Report:
        """The report of what has run so far."""
        found = []
        for subject in self.run.subjects:
            own = [outcome for id, outcome in self.outcomes.items() if id.startswith(f"{subject.label}::")]
            found.append(subject_report(self.run, subject, own))
        return build_report(self.run, found)

    def describe(self, subject: Tested, outcome: Outcome, replayed: str = "") -> str:
        """The failure in full, or one line when another rule of this run shows the same crash or speaks of its cause.

        `replayed` is the path of the case file that was run, if it was one.
        """
        found = outcome.counterexample
        if found is not None and found.crash:
            not_reached = f"{outcome.requirement}  {outcome.level}  not reached:"
            cause = _CAUSE.search(found.fault)
            if cause and f"{subject.label}::{cause[1]}" in self.collected:
                method = found.call.rpartition("; ")[2].partition("(")[0]
                return f"{not_reached} {method} fails, and {found.fault}"
            first = self.crashes.setdefault((subject.label, _same_crash(found.got)), outcome.requirement)
            if first != outcome.requirement:
                return f"{not_reached} the {subject.noun} fails as shown under {first}"
        command = self.options.command(subject, outcome.requirement, self.run.settings.seed, replayed)
        case = replayed or self._keep_case(subject, outcome)
        noun, target = subject.held(requirement(outcome.requirement).needs)
        return failure_text(outcome, target, command, case, noun)

    def _keep_case(self, subject: Tested, outcome: Outcome) -> str:
        """Write the failing case into pytest's cache and name the file as seen from the current folder."""
        folder = _kept(self.config, "packproof-cases") if outcome.case_file is not None else None
        if folder is None or outcome.case_file is None:
            return ""
        path = folder / f"{subject.label}-{outcome.requirement}.json"
        try:
            path.write_text(outcome.case_file.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError:  # the cache was made by another user
            return ""
        return str(path.relative_to(self.options.folder)) if path.is_relative_to(self.options.folder) else str(path)


def _same_crash(got: str) -> str:
    """What two sights of one crash have in common: the place, and the message less its numbers."""
    place = _PLACE.search(got)
    end = place.start() if place else len(got)
    return re.sub(r"\d+(, \d+)*", "N", got[:end]) + got[end:]


class BrokenRule(Exception):
    """Carries the failure text to pytest's report."""


class SubjectNode(pytest.Collector):
    """One packer or source: an item per rule, or per case file to replay."""

    def __init__(self, *, conformance: Conformance, subject: Tested, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.conformance = conformance
        self.subject = subject

    def collect(self) -> list[pytest.Item]:
        """The lock first, while nobody has used the packer; then the rules of the spec, or cases as they were given."""
        if not self.conformance.options.replay:
            held, subject = self.conformance.held, self.subject
            locked = held is not None and isinstance(subject, Subject)
            first = [LockItem.from_parent(self, name="lock", held=held, subject=subject)] if locked else []
            return [*first, *(self._item(check.id, check) for check in self.conformance.run.checks_of(subject))]
        files = self.conformance.options.replayed(self.subject)
        return [
            self._item(f"{file.requirement} replay {number}", check_for(file.requirement), file.case, path)
            for number, (path, file) in enumerate(files, 1)
        ]

    def _item(self, name: str, check: Check, case: Any = None, path: str = "") -> "RuleItem":
        return RuleItem.from_parent(
            self, name=name, conformance=self.conformance, subject=self.subject, check=check, case=case, case_path=path
        )


class RuleItem(pytest.Item):
    """One rule on one packer or source, or one case file of it."""

    def __init__(
        self,
        *,
        conformance: Conformance,
        subject: Tested,
        check: Check,
        case: Any = None,
        case_path: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.conformance = conformance
        self.subject = subject
        self.check = check
        self.case = case
        self.case_path = case_path
        self.result: Outcome | None = None

    def runtest(self) -> None:
        """Run the check and raise what pytest counts as its status."""
        run = self.conformance.run
        if self.case is None:
            outcome = run.one(self.subject, self.check)
        else:
            outcome = replay_case(self.check, self.subject, self.case)
        self.result = outcome
        self.user_properties += [
            ("requirement", outcome.requirement),
            ("level", outcome.level),
            ("status", outcome.status),
        ]
        if outcome.status == "not applicable":
            raise pytest.skip.Exception(outcome.reason)
        if outcome.status == "known":
            raise pytest.xfail.Exception(outcome.reason)
        if breaks_gate(outcome) or outcome.status == "error":
            raise BrokenRule(self.conformance.describe(self.subject, outcome, self.case_path))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Our own text for a broken rule; pytest's for anything else."""
        if isinstance(excinfo.value, BrokenRule):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where pytest says the item is, and its headline, which must not end in the id or pytest drops its dots."""
        return self.config.rootpath / self.subject.label, 0, f"{self.name} on {self.subject.label}"
