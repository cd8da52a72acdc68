"""The Python face for data sources: `check_source`, for a script, a REPL or a test."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from packer_schemas.report import Report
from packer_spec import SPEC_VERSION
from packproof.options import Options
from packproof.proof import prove
from packproof.sources.options import load_run
from packproof.sources.subject import SourceSubject
from packproof.tested import can_be_named

__all__ = ["check_source"]


def check_source(
    target: str | Callable[..., Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    run: Any = None,
    spec: str = SPEC_VERSION,
    select: str | Sequence[str] = (),
    effort: str = "standard",
    seed: int | None = None,
    known: str | Path | None = None,
    raise_on_failure: bool = True,
) -> Report:
    """Prove a data source, a run that takes sources in, or both, and return the report.

    `target` is `module:factory`, a dotted path, or the factory itself, called with `kwargs`; `run` a `SourceRun`, or
    the `module:factory` of one; the other arguments are those of `check_packer`. Raises `AssertionError` with the text
    of every failure unless `raise_on_failure` is false, and `packproof.violation.UsageError` for a mistake in an
    argument. Spec: sources, SOURCE-1 to SOURCE-17.
    """
    label = "run" if target is None else "source"
    run_target = run if isinstance(run, str) else ""

    def make() -> SourceSubject:
        loaded = None if run is None else load_run(run)
        return SourceSubject(target, kwargs, label=label, run=loaded, run_target=run_target)

    def again() -> Options | None:
        nameless = (target is not None and not can_be_named(target)) or (run is not None and not run_target)
        return None if nameless else Options(source_run=run_target)

    return prove(
        SourceSubject,
        label,
        make,
        again,
        spec=spec,
        select=select,
        effort=effort,
        seed=seed,
        known=known,
        raise_on_failure=raise_on_failure,
    )
