"""The Python face: `check_packer` for a script or a REPL, `parametrize_with_checks` for an existing test file."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from packer_schemas.report import Outcome, Report
from packproof.effort import Settings
from packproof.failure_text import failure_text
from packproof.known import load_known
from packproof.models import EMBEDDED
from packproof.options import Options
from packproof.registry import Check, select_checks
from packproof.run import Run
from packproof.subject import Subject
from packproof.verdict import breaks_gate

__all__ = ["check_packer", "parametrize_with_checks"]

Target = str | Callable[[], Any]


def check_packer(
    target: Target,
    *,
    models: Sequence[str] = EMBEDDED,
    level: str = "core",
    select: Sequence[str] = (),
    effort: str = "standard",
    seed: int | None = None,
    trust_remote_code: bool = False,
    selection: Any = None,
    known: str | Path | None = None,
    raise_on_failure: bool = True,
) -> Report:
    """Prove a packer and return the report.

    `target` is `module:factory`, a dotted path, or the zero-argument factory itself; `selection` a module with
    `init_data_packer`; `known` the path of a known-failures file. Raises `AssertionError` with the text of every
    failure unless `raise_on_failure` is false, and `packproof.violation.UsageError` for a mistake in an argument.
    """
    entries = load_known(Path(known), ["packer"]) if known is not None else ()
    checks, settings = select_checks(select, [level]), Settings.make(effort, seed)
    subject = Subject(target, models=models, trust_remote_code=trust_remote_code, selection=selection)
    report = Run([subject], checks, settings, [level], entries, selected=bool(select)).all()
    texts = [_text(subject, outcome, settings) for outcome in report.subjects[0].outcomes if _is_red(outcome)]
    if texts and raise_on_failure:
        broken = "one rule" if len(texts) == 1 else f"{len(texts)} rules"
        raise AssertionError("\n\n".join([f"{subject.target} breaks {broken}", *texts]))
    return report


def parametrize_with_checks(
    target: Target,
    *,
    models: Sequence[str] = EMBEDDED,
    level: str = "core",
    select: Sequence[str] = (),
    effort: str = "standard",
    seed: int = 0,
) -> Any:
    """A mark for a test that takes one argument, `check`, and calls it; one test per rule, named after its id.

    The packer is built when the first test runs, not when the file is collected.
    """
    import pytest

    build = _Once(target, models)
    settings = Settings.make(effort, seed)
    bound = [pytest.param(_Bound(build, check, settings), id=check.id) for check in select_checks(select, [level])]
    return pytest.mark.parametrize("check", bound)


class _Once:
    """A subject built on first use."""

    def __init__(self, target: Target, models: Sequence[str]) -> None:
        self._target, self._models = target, models

    @cached_property
    def subject(self) -> Subject:
        return Subject(self._target, models=self._models)


class _Bound:
    """One check, bound to its packer and ready to call."""

    def __init__(self, build: _Once, check: Check, settings: Settings) -> None:
        self._build, self._check, self._settings = build, check, settings

    def __call__(self) -> None:
        import pytest

        subject = self._build.subject
        outcome = Run([subject], [self._check], self._settings).one(subject, self._check)
        if outcome.status == "not applicable":
            pytest.skip(outcome.reason)
        if _is_red(outcome):
            pytest.fail(_text(subject, outcome, self._settings), pytrace=False)


def _is_red(outcome: Outcome) -> bool:
    return breaks_gate(outcome) or outcome.status == "error"


def _text(subject: Subject, outcome: Outcome, settings: Settings) -> str:
    id, effort, seed = outcome.requirement, settings.effort.name, settings.seed
    if "<" in subject.target:  # a local function or a lambda, which no command line can name
        replay = f"check_packer(..., select=[{id!r}], effort={effort!r}, seed={seed})"
    else:
        models = () if subject.built_ready or subject.models == EMBEDDED else [str(model) for model in subject.models]
        options = Options(model=models, trust_remote_code=subject.trust_remote_code, effort=effort)
        replay = options.command(subject, id, seed)
    return failure_text(outcome, subject.target, replay)
