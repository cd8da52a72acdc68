"""The Python face: `check_packer` for a script or a REPL, `parametrize_with_checks` for an existing test file."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from packer_schemas.report import Outcome, Report
from packer_spec import SPEC_VERSION
from packproof.effort import Settings
from packproof.failure_text import failure_text
from packproof.kinds import held_levels, refuse_unbound
from packproof.known import load_known, refuse_misfits
from packproof.models import EMBEDDED
from packproof.option_values import check_models, load_gate, load_selection, names
from packproof.options import Options
from packproof.registry import Check, select_checks
from packproof.routed.loading import load_routing
from packproof.run import Run
from packproof.subject import Subject
from packproof.tested import can_be_named
from packproof.verdict import breaks_gate

__all__ = ["check_packer", "parametrize_with_checks", "raise_red"]

Target = str | Callable[[], Any]
Names = str | Sequence[str]


def check_packer(
    target: Target,
    *,
    models: Names = EMBEDDED,
    spec: str = SPEC_VERSION,
    level: Names = "core",
    select: Names = (),
    effort: str = "standard",
    seed: int | None = None,
    trust_remote_code: bool = False,
    selection: Any = None,
    gate: Any = None,
    routing: Any = None,
    known: str | Path | None = None,
    raise_on_failure: bool = True,
) -> Report:
    """Prove a packer and return the report.

    `target` is `module:factory`, a dotted path, or the zero-argument factory itself; `models`, `level` and `select`
    take one name or several; `spec` is the version to hold the packer to; `selection` is a module with
    `init_data_packer`, or its name; `gate` a resume gate, or the `module:factory` of one; `routing` what carries
    recorded routing, a module or object of `RoutingSteps`, or its name; `known` the path of a known-failures file.
    Raises `AssertionError` with the text of every failure unless `raise_on_failure` is false, and
    `packproof.violation.UsageError` for a mistake in an argument.
    """
    proof = _Proof(
        target,
        models=models,
        spec=spec,
        level=level,
        select=select,
        effort=effort,
        seed=seed,
        trust_remote_code=trust_remote_code,
        selection=selection,
        gate=gate,
        routing=routing,
        known=known,
    )
    report = proof.run.all()
    if raise_on_failure:
        raise_red(report, proof.text)
    return report


def parametrize_with_checks(
    target: Target,
    *,
    models: Names = EMBEDDED,
    spec: str = SPEC_VERSION,
    level: Names = "core",
    select: Names = (),
    effort: str = "standard",
    seed: int = 0,
    trust_remote_code: bool = False,
    selection: Any = None,
    gate: Any = None,
    routing: Any = None,
    known: str | Path | None = None,
) -> Any:
    """A mark for a test that takes one argument, `check`, and calls it; one test per rule, named after its id.

    Arguments are those of `check_packer`. The packer is built when the first test runs, not when the file is collected.
    """
    import pytest

    proof = _Proof(
        target,
        models=models,
        spec=spec,
        level=level,
        select=select,
        effort=effort,
        seed=seed,
        trust_remote_code=trust_remote_code,
        selection=selection,
        gate=gate,
        routing=routing,
        known=known,
    )
    return pytest.mark.parametrize("check", [pytest.param(_Bound(proof, one), id=one.id) for one in proof.checks])


class _Proof:
    """The arguments, checked at once, and the packer, which is built on first use."""

    def __init__(
        self,
        target: Target,
        *,
        models: Names,
        spec: str,
        level: Names,
        select: Names,
        effort: str,
        seed: int | None,
        trust_remote_code: bool,
        selection: Any,
        gate: Any,
        routing: Any,
        known: str | Path | None,
    ) -> None:
        self._target, self._selection, self._gate, self._routing = target, selection, gate, routing
        self._trust_remote_code = trust_remote_code
        self._models = names(models, "models", commas=False)
        self._levels = held_levels(names(level, "level"), (Subject,))
        check_models(self._models, Path())
        self._selected, self._spec = bool(select), spec
        selected = names(select, "select")
        self.checks = select_checks(selected, self._levels, spec)
        refuse_unbound(selected, (Subject,))
        self._settings = Settings.make(effort, seed)
        self._known_path, self._known = known, load_known(Path(known), ["packer"]) if known is not None else ()

    @cached_property
    def run(self) -> Run:
        """The run of all its checks; `UsageError` when there is no packer."""
        refuse_misfits(Path(self._known_path or ""), self._known, [self.subject])
        return Run(
            [self.subject],
            self.checks,
            self._settings,
            self._levels,
            self._known,
            selected=self._selected,
            spec=self._spec,
        )

    @cached_property
    def subject(self) -> Subject:
        """The packer; `UsageError` when there is none."""
        return Subject(
            self._target,
            models=self._models,
            trust_remote_code=self._trust_remote_code,
            selection=None if self._selection is None else load_selection(self._selection),
            gate=None if self._gate is None else load_gate(self._gate),
            routing=None if self._routing is None else load_routing(self._routing),
        )

    def text(self, outcome: Outcome) -> str:
        """A failure in full."""
        return failure_text(outcome, self.subject.target, self._replay(outcome.requirement))

    def _replay(self, id: str) -> str:
        subject, effort, seed = self.subject, self._settings.effort.name, self._settings.seed
        module, steps = _named(self._selection), _named(self._routing)
        gate = self._gate if isinstance(self._gate, str) or self._gate is None else "<"
        if not can_be_named(self._target) or "<" in f"{gate}{module}{steps}":  # no command line can name it
            return f"check_packer(..., select=[{id!r}], effort={effort!r}, seed={seed})"
        options = Options(
            packer=[subject.target],
            model=() if subject.built_ready or subject.models == EMBEDDED else [*map(str, subject.models)],
            trust_remote_code=subject.trust_remote_code,
            selection=module,
            gate=gate or "",
            routing=steps,
            spec=self._spec,
            known=str(self._known_path or ""),
            effort=effort,
        )
        return options.command(subject, id, seed)


def _named(given: Any) -> str:
    """The name of a module, "" for none and "<" for an object."""
    if isinstance(given, ModuleType):
        return given.__name__
    return given or "" if isinstance(given, str) or given is None else "<"


class _Bound:
    """One check, bound to its packer and ready to call."""

    def __init__(self, proof: _Proof, check: Check) -> None:
        self._proof, self._check = proof, check

    def __call__(self) -> None:
        import pytest

        outcome = self._proof.run.one(self._proof.subject, self._check)
        if outcome.status == "not applicable":
            pytest.skip(outcome.reason)
        if outcome.status == "known":
            pytest.xfail(outcome.reason)
        if _is_red(outcome):
            pytest.fail(self._proof.text(outcome), pytrace=False)


def raise_red(report: Report, text: Callable[[Outcome], str]) -> None:
    """`AssertionError` with the text of every failure of the one subject of a report, if there is any."""
    (subject,) = report.subjects
    texts = [text(outcome) for outcome in subject.outcomes if _is_red(outcome)]
    if texts:
        broken = "one rule" if len(texts) == 1 else f"{len(texts)} rules"
        raise AssertionError("\n\n".join([f"{subject.target} breaks {broken}", *texts]))


def _is_red(outcome: Outcome) -> bool:
    return breaks_gate(outcome) or outcome.status == "error"
