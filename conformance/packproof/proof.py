"""A proof in Python of one subject that is no packer: what `check_source` and its siblings have in common."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from packer_schemas.report import Outcome, Report
from packer_spec import requirement
from packproof.api import raise_red
from packproof.effort import Settings
from packproof.failure_text import failure_text
from packproof.kinds import held_levels, refuse_unbound
from packproof.known import load_known, refuse_misfits
from packproof.option_values import names
from packproof.options import Options
from packproof.registry import select_checks
from packproof.run import Run
from packproof.tested import Tested

__all__ = ["prove"]


def prove(
    kind: type[Tested],
    label: str,
    make: Callable[[], Tested],
    again: Callable[[], Options | None],
    *,
    spec: str,
    select: str | Sequence[str],
    effort: str,
    seed: int | None,
    known: str | Path | None,
    raise_on_failure: bool,
) -> Report:
    """The report on the subject that `make` builds once the other arguments are found to be right.

    `again` gives the options of the command that runs it again, or None where no command line can name it.
    `AssertionError` with the text of every failure unless `raise_on_failure` is false.
    """
    levels = held_levels((), (kind,))
    selected = names(select, "select")
    checks = select_checks(selected, levels, spec)
    refuse_unbound(selected, (kind,))
    settings = Settings.make(effort, seed)
    accepted = () if known is None else load_known(Path(known), [label])
    subject = make()
    refuse_misfits(Path(known or ""), accepted, [subject])
    report = Run([subject], checks, settings, levels, accepted, selected=bool(select), spec=spec).all()
    if raise_on_failure:
        options = again()

        def text(outcome: Outcome) -> str:
            id = outcome.requirement
            replay = f"check_{kind.noun}(..., select=[{id!r}], effort={effort!r}, seed={settings.seed})"
            if options is not None:
                own = replace(options, spec=spec, known=str(known or ""), effort=settings.effort.name)
                replay = own.command(subject, id, settings.seed)
            noun, held = subject.held(requirement(id).needs)
            return failure_text(outcome, held, replay, noun=noun)

        raise_red(report, text)
    return report
