"""Options of a run, from the command line or the project's table, checked one by one and turned into a `Run`."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from packer_schemas.cases import CaseFile
from packer_spec import SPEC_VERSION, requirement
from packproof.consumers.subject import CONSUMERS, ConsumerSubject
from packproof.effort import Settings
from packproof.flight_recorder import FlightRecorder
from packproof.kinds import KINDS, held_levels, refuse_unbound
from packproof.known import load_known, refuse_misfits
from packproof.option_values import (
    check_models,
    label_targets,
    load_gate,
    load_selection,
    names,
    refuse_blank,
    refuse_unwritable,
)
from packproof.project_table import KEYS, PROVED
from packproof.registry import check_for, select_checks
from packproof.routed.loading import load_routing
from packproof.run import Run
from packproof.sources.options import kwargs_of, source_subjects, source_words
from packproof.sources.subject import SourceSubject
from packproof.subject import Subject
from packproof.tested import Tested
from packproof.violation import UsageError

__all__ = [
    "Options",
    "check_models",
    "label_targets",
    "load_gate",
    "load_routing",
    "load_selection",
    "names",
    "refuse_unwritable",
]


@dataclass(frozen=True)
class Options:
    """What the user asked for; paths are relative to `folder`."""

    packer: Sequence[str] = ()
    model: Sequence[str] = ()
    trust_remote_code: bool = False
    selection: str = ""
    gate: str = ""
    routing: str = ""
    source: Sequence[str] = ()
    source_kwargs: Mapping[str, Any] | Sequence[str] = ()
    source_run: str = ""
    rollout: Sequence[str] = ()
    objective: Sequence[str] = ()
    trainer: Sequence[str] = ()
    spec: str = SPEC_VERSION
    level: Sequence[str] = ("core",)
    select: Sequence[str] = ()
    effort: str = "standard"
    seed: int | str | None = None
    replay: Sequence[str] = ()
    known: str = ""
    report: str = ""
    lock: str = ""
    folder: Path = Path()

    @classmethod
    def make(cls, given: Mapping[str, Any], table: Mapping[str, Any], folder: Path) -> "Options":
        """Options from the command line (`given`, by long name, None for absent) over those of the table."""
        merged: dict[str, Any] = {"folder": folder}
        table = {name: value for name, value in table.items() if name not in _left_out(given)}
        for name in KEYS:
            value = given.get(name)
            value = table.get(name) if value is None else value
            if value is not None:
                merged[name.removeprefix("packer-").replace("-", "_")] = value
                refuse_blank(name, value)
        for name in ("select", "level"):
            if name in merged:
                merged[name] = [one for text in merged[name] for one in names(text, f"--packer-{name}")]
        options = cls(**merged)
        if options.replay and not given.get("packer"):
            options = replace(options, packer=options.found_on() or options.packer)
        _refuse_without_packer(given, options)
        return options

    @property
    def idle(self) -> bool:
        """Whether nothing is named that could be proved."""
        return not any(getattr(self, name.replace("-", "_")) for name in PROVED)

    @property
    def kinds(self) -> list[type[Tested]]:
        """The kinds of what is named."""
        named = {"packer": self.packer, "source": self.source or self.source_run}
        named |= {kind.noun: self.consumers_of(kind) for kind in CONSUMERS}
        return [kind for kind in KINDS if named[kind.noun]]

    def consumers_of(self, kind: type[ConsumerSubject]) -> Sequence[str]:
        """What is named of one kind of consumers."""
        return getattr(self, kind.noun)

    def found_on(self) -> list[str]:
        """The packers that the case files were found on, labelled as in `packer` where that names them."""
        files = [file for _, file in self.replayed() if _binds(file.requirement, Subject)]
        targets = list(dict.fromkeys(file.packer for file in files if file.packer))
        labelled = {text.rpartition("=")[2]: text for text in self.packer}
        if len(targets) > 1:
            labelled = {target: f"{target.replace(':', '.')}={target}" for target in targets} | labelled
        return [labelled.get(target, target) for target in targets]

    def run(self, database: Path | None = None, recorder: FlightRecorder | None = None) -> Run:
        """Load everything the options name; `UsageError` for the first thing that is wrong."""
        settings = Settings.make(self.effort, self.seed, database)
        levels = held_levels(self.level, self.kinds)
        checks = select_checks(self.select, levels, self.spec)
        refuse_unbound([*self.select, *(file.requirement for _, file in self.replayed())], self.kinds)
        labels = self._labels()
        known = load_known(self.folder / self.known, labels) if self.known else ()
        if self.report:
            refuse_unwritable(self.folder / self.report, f"--packer-report {self.report}")
        subjects = [*self.packers(recorder), *self.sources(recorder), *self.consumers(recorder)]
        refuse_misfits(self.folder / self.known, known, subjects)
        for subject in subjects:
            for path, file in self.replayed(subject):
                misfit = check_for(file.requirement).misfit(subject, file.case)
                if misfit:
                    raise UsageError(f"--packer-replay {path}: {misfit}.")
        partly = bool(self.select or self.replay)
        return Run(subjects, checks, settings, levels, known, selected=partly, spec=self.spec)

    def sources(self, recorder: FlightRecorder | None = None) -> list[SourceSubject]:
        """The data sources, built; `UsageError` for the first one that cannot be."""
        kwargs = kwargs_of(self.source_kwargs)
        return source_subjects(label_targets(self.source, "source"), kwargs, self.source_run, recorder)

    def consumers(self, recorder: FlightRecorder | None = None) -> list[ConsumerSubject]:
        """The rollout bodies, objectives and trainers; `UsageError` for the first one that is none."""
        return [
            kind(target, label=label, recorder=recorder)
            for kind in CONSUMERS
            for label, target in label_targets(self.consumers_of(kind), kind.noun).items()
        ]

    def packers(self, recorder: FlightRecorder | None = None) -> list[Subject]:
        """The packers, built and set up; `UsageError` for the first one that cannot be."""
        check_models(self.model, self.folder)
        selection = load_selection(self.selection) if self.selection else None
        gate = load_gate(self.gate) if self.gate else None
        routing = load_routing(self.routing) if self.routing else None
        return [
            Subject(
                target,
                label=label,
                models=self.model,
                trust_remote_code=self.trust_remote_code,
                selection=selection,
                gate=gate,
                routing=routing,
                recorder=recorder,
            )
            for label, target in label_targets(self.packer).items()
        ]

    def _labels(self) -> list[str]:
        """The labels of all subjects; `UsageError` for one that two kinds of them have."""
        nouns: dict[str, str] = {}
        run = ["run"] if self.source_run and not self.source else []
        own = {"packer": label_targets(self.packer), "source": label_targets(self.source, "source") or run}
        own |= {kind.noun: label_targets(self.consumers_of(kind), kind.noun) for kind in CONSUMERS}
        for noun, label in ((noun, label) for noun, labels in own.items() for label in labels):
            if label in nouns:
                raise UsageError(
                    f"the label {label!r} is that of a {nouns[label]} and of a {noun}; --{noun} label=module:factory."
                )
            nouns[label] = noun
        return list(nouns)

    def replayed(self, subject: Tested | None = None) -> list[tuple[str, CaseFile]]:
        """The case files to replay, by path; of those that bind `subject`, the ones found on it, if any were."""
        files = [(path, _read_case_file(self.folder / path)) for path in self.replay]
        if subject is None:
            return files
        own = [(path, file) for path, file in files if _binds(file.requirement, type(subject))]
        return [(path, file) for path, file in own if file.packer == subject.target] or own

    def command(self, subject: Tested, id: str, seed: int, replay: str = "") -> str:
        """The pytest command that runs one rule on one subject again, or the case file `replay`, as it was run here.

        A file of known failures may name every packer of the run, so with one they all come along.
        """
        words = ["pytest"]
        if isinstance(subject, SourceSubject):
            words += source_words(subject, self.source_run)
        if isinstance(subject, ConsumerSubject):
            words += [f"--{subject.noun}", _named(subject)]
        if isinstance(subject, Subject):
            words += self._packer_words(subject, bool(replay))
        if replay:
            return shlex.join([*words, "--packer-replay", replay])
        words += ["--packer-spec", self.spec] if self.spec != SPEC_VERSION else []
        words += ["--packer-known", self.known] if self.known else []
        words += ["--packer-select", id]
        words += ["--packer-effort", self.effort] if self.effort != "standard" else []
        return shlex.join([*words, "--packer-seed", str(seed)])

    def _packer_words(self, subject: Subject, replay: bool) -> list[str]:
        packers = self.packer if self.known and not replay else [_named(subject)]
        words = [word for text in packers for word in ("--packer", text)]
        words += [word for model in self.model for word in ("--packer-model", model)]
        words += ["--packer-trust-remote-code"] if self.trust_remote_code else []
        words += ["--packer-selection", self.selection] if self.selection else []
        words += ["--packer-gate", self.gate] if self.gate else []
        return words + (["--packer-routing", self.routing] if self.routing else [])


_BESIDE = {"packer": {"packer-lock"}, "source": {"source-kwargs", "source-run"}, "source-run": {"source"}}
"""Keys that go with what an option names."""


_OF_PACKERS = (
    "packer-model",
    "packer-trust-remote-code",
    "packer-selection",
    "packer-gate",
    "packer-routing",
    "packer-lock",
)
"""Options that count for packers alone."""


def _refuse_without_packer(given: Mapping[str, Any], options: Options) -> None:
    """`UsageError` where the command line has an option of packers, and names only what is none."""
    unused = [f"--{name}" for name in _OF_PACKERS if given.get(name)]
    if unused and not options.packer and not options.idle:
        raise UsageError(f"{', '.join(unused)}: for packers, and none is named; add --packer module:factory.")


def _left_out(given: Mapping[str, Any]) -> set[str]:
    """Keys of the table that do not count beside what the command line names."""
    named = [name for name in PROVED if given.get(name)]
    if not named:
        return set()
    kept = {key for name in named for key in (name, *_BESIDE.get(name, ()))}
    everything = {key for name in PROVED for key in (name, *_BESIDE.get(name, ()))}
    return (everything - kept) | ({"source-kwargs"} if given.get("source") else set())


def _named(subject: Tested) -> str:
    """A subject as its option names it."""
    return subject.target if subject.label == subject.noun else f"{subject.label}={subject.target}"


def _binds(id: str, kind: type[Tested]) -> bool:
    return kind.binds(requirement(id))


def _read_case_file(path: Path) -> CaseFile:
    """A stored case; `UsageError` when it cannot be read or is no case file."""
    try:
        file = CaseFile.model_validate_json(path.read_bytes())
        unfit = check_for(file.requirement).unfit(file.case)
    except OSError as error:
        raise UsageError(f"--packer-replay {path}: cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"]) or "the file"
        raise UsageError(f"--packer-replay {path}: not a case file: {place}: {first['msg']}.") from error
    except UsageError as error:
        raise UsageError(f"--packer-replay {path}: {error}") from error
    if unfit:
        raise UsageError(f"--packer-replay {path}: {unfit}.")
    return file
