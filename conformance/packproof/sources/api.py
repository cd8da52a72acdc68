"""The Python face for data sources: `check_source`, for a script, a REPL or a test."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from packer_schemas.report import Outcome, Report
from packer_spec import SPEC_VERSION, requirement
from packproof.api import raise_red
from packproof.effort import Settings
from packproof.failure_text import failure_text
from packproof.known import load_known, refuse_misfits
from packproof.options import Options, names
from packproof.registry import select_checks
from packproof.rules import held_levels, refuse_unbound
from packproof.run import Run
from packproof.sources.options import load_run
from packproof.sources.subject import SourceSubject

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
    levels = held_levels((), packers=False, sources=True)
    checks = select_checks(names(select, "select"), levels, spec)
    refuse_unbound([one.id for one in checks], packers=False, sources=True)
    settings = Settings.make(effort, seed)
    label = "run" if target is None else "source"
    accepted = () if known is None else load_known(Path(known), [label])
    loaded, run_target = None if run is None else load_run(run), run if isinstance(run, str) else ""
    subject = SourceSubject(target, kwargs, label=label, run=loaded, run_target=run_target)
    refuse_misfits(Path(known or ""), accepted, [subject])
    proof = Run([subject], checks, settings, levels, accepted, selected=bool(select), spec=spec)
    report = proof.all()
    if raise_on_failure:
        nameless = "<" in subject.target or (run is not None and not run_target)  # no command line can name it

        def text(outcome: Outcome) -> str:
            id = outcome.requirement
            replay = f"check_source(..., select=[{id!r}], effort={effort!r}, seed={settings.seed})"
            if not nameless:
                options = Options(source_run=run_target, spec=spec, known=str(known or ""), effort=settings.effort.name)
                replay = options.command(subject, id, settings.seed)
            noun, held = subject.held(requirement(id).needs)
            return failure_text(outcome, held, replay, noun=noun)

        raise_red(report, text)
    return report
