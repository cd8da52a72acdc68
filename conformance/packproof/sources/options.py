"""Data sources and runs as options name them: targets, keyword arguments, and the command that names them again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from packer_schemas.source_run import SourceRun
from packproof.flight_recorder import FlightRecorder
from packproof.load import load_made
from packproof.sources.subject import SourceSubject
from packproof.violation import UsageError

__all__ = ["kwargs_of", "load_run", "source_subjects", "source_words"]


def kwargs_of(given: Mapping[str, Any] | Sequence[str]) -> dict[str, Any]:
    """Keyword arguments from a table, or from texts `NAME=VALUE`: the value as JSON, or as text where it is none."""
    if isinstance(given, Mapping):
        return dict(given)
    kwargs: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"--source-kwargs {text!r}: expected NAME=VALUE, such as count=12 or path=rows.jsonl.")
        if name in kwargs:
            raise UsageError(f"--source-kwargs {text!r}: {name!r} is given twice.")
        try:
            kwargs[name] = json.loads(value)
        except ValueError:
            kwargs[name] = value
    return kwargs


def load_run(given: Any) -> Any:
    """A run that takes sources in, from its factory's name or as it is; `UsageError` when it is none."""
    return load_made(given, "--source-run", SourceRun, "a run that takes sources in")


def source_subjects(
    labelled: Mapping[str, str],
    kwargs: Mapping[str, Any],
    run: str,
    recorder: FlightRecorder | None = None,
) -> list[SourceSubject]:
    """The sources, built; the run beside each of them, or alone where no source is named."""
    if kwargs and len(labelled) != 1:
        named = f"{len(labelled)} sources are" if labelled else "no source is"
        raise UsageError(f"--source-kwargs: {named} named, expected one; --source module:factory.")
    loaded = load_run(run) if run else None
    if not labelled:
        return [SourceSubject(label="run", run=loaded, run_target=run, recorder=recorder)] if run else []
    return [
        SourceSubject(target, kwargs, label=label, run=loaded, recorder=recorder) for label, target in labelled.items()
    ]


def source_words(subject: SourceSubject, run: str) -> list[str]:
    """The words of a command that name one source and the run."""
    named = subject.target if subject.label == "source" else f"{subject.label}={subject.target}"
    words = [] if subject.factory is None else ["--source", named]
    for name, value in subject.given.items():
        words += ["--source-kwargs", f"{name}={_as_given(value)}"]
    return [*words, *(["--source-run", run] if run else [])]


def _as_given(value: Any) -> str:
    """A value as `kwargs_of` reads it: text as it is where that is no JSON."""
    try:
        json.loads(value)
    except (ValueError, TypeError):
        if isinstance(value, str):
            return value
    return json.dumps(value, default=str)
