"""Checks by requirement id: one requirement, one check, one exception type."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from packer_schemas.cases import case_adapter
from packer_spec import SPEC_VERSION, Requirement, requirements
from packproof import limits
from packproof.fitting import Build, Cases, holds_ids
from packproof.rules import find_rules, rules_of_levels
from packproof.violation import CallFailed, CaseTimeout, UsageError, Violation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from packproof.tested import Tested

__all__ = ["Check", "all_checks", "check", "check_for", "select_checks"]

Run = Callable[[Any, Any], None]

_checks: dict[str, "Check"] = {}


@dataclass(frozen=True)
class Check:
    """The check of one requirement.

    `run(subject, case)` raises when the case shows the rule broken; `cases(model, vocabulary)` is the strategy of its
    cases on one model; a `heavy` check builds packers for every case and runs a tenth of them. `puts_in` is what the
    check puts in the place of its sample's own, which is therefore free.
    """

    requirement: Requirement
    run: Run
    cases: Cases
    violation: type[Violation]
    heavy: bool = False
    puts_in: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        """The requirement's id."""
        return self.requirement.id

    @property
    def stored_cases(self) -> list[Any]:
        """Cases written in the spec, run before any generated one."""
        return [case_adapter.validate_python(case) for case in self.requirement.cases]

    def stored_cases_for(self, subject: "Tested") -> list[Any]:
        """Those of `stored_cases` that name no model but the subject's, and no id beyond its vocabulary."""
        return _fed(subject, self.stored_cases)

    @property
    def vector_cases(self) -> list[Any]:
        """Cases made of the test vectors.

        They run after the generated ones, when these have found nothing: what a search finds it makes small, and a
        vector is as it stands.
        """
        from packproof.vectors import vector_cases

        return list(vector_cases(self.id))

    def vector_cases_for(self, subject: "Tested") -> list[Any]:
        """Those of `vector_cases` that name no model but the subject's, and no id beyond its vocabulary."""
        return _fed(subject, self.vector_cases)

    @property
    def kind(self) -> type[Any]:
        """The kind of its cases."""
        return self.run.__annotations__["case"]

    def searches(self, subject: "Tested") -> list[tuple[str, "SearchStrategy[Any]"]]:
        """A name and a strategy for each model of the subject; one of each where cases name no model.

        Every model is searched by itself: drawn inside a case, one model of four can get a single case in a hundred.
        """
        feed = list(subject.feed.items())
        own = feed if "model" in self.kind.model_fields else feed[:1]
        return [(model or "as built", self.cases(model, vocabulary)) for model, vocabulary in own]

    def unfit(self, case: Any) -> str:
        """Why the check cannot run on a stored case, which is of another kind, or an empty string."""
        if isinstance(case, self.kind):
            return ""
        wanted = self.kind.model_fields["kind"].default
        return f"{self.id} is tried on {wanted!r} cases, this one is a {case.kind!r} case"

    def misfit(self, subject: "Tested", case: Any) -> str:
        """Why a case that a user gave is none of those that the rule is tried on, or an empty string."""
        if self.missing(subject):
            return ""
        model = getattr(case, "model", None)
        try:
            with limits.guarded(limits.SETUP_LIMIT_S):
                driver = subject.on(model)
        except CallFailed as error:
            why = f"the packer cannot be set up on its model {model!r}: it {error.counterexample.got}"
        except CaseTimeout:
            why = f"the packer was not set up on its model {model!r} within {limits.SETUP_LIMIT_S:g} s"
        else:
            stored = [one.model_dump(exclude={"model"}) for one in (*self.stored_cases, *self.vector_cases)]
            fits = case.model_dump(exclude={"model"}) in stored  # the spec may speak of more than is generated
            why = "" if fits else self.cases.unfit(self._as_tried(case), driver)
        return f"{self.id} is not tried on such a case: {why}" if why else ""

    def _as_tried(self, case: Any) -> Any:
        if self.puts_in is None:
            return case
        return case.model_copy(update={"sample": case.sample.model_copy(update=self.puts_in)})

    def missing(self, subject: "Tested") -> str:
        """Why the rule does not apply to the subject, or an empty string."""
        absent = [name for name in self.requirement.needs if not subject.offers(name)]
        return subject.lacks(absent) if absent else ""


def _fed(subject: "Tested", cases: Sequence[Any]) -> list[Any]:
    """The cases on models of the subject, with ids that its vocabulary has."""
    own = [case for case in cases if getattr(case, "model", None) in (None, *subject.models)]
    return [case for case in own if holds_ids(subject.feed[getattr(case, "model", None) or subject.models[0]], case)]


def check(
    id: str, *, cases: Cases | Build, heavy: bool = False, puts_in: dict[str, Any] | None = None
) -> Callable[[Run], Run]:
    """Register the decorated function as the check of requirement `id`; its docstring is the rule's sentence.

    A bare strategy takes any case of its kind.
    """
    source = cases if isinstance(cases, Cases) else Cases(cases)

    def register(run: Run) -> Run:
        if id in _checks:
            raise ValueError(f"{id} has two checks")
        kind = type(f"{id.replace('-', '')}Violation", (Violation,), {"__doc__": run.__doc__})
        _checks[id] = Check(requirements()[id], run, source, kind, heavy, puts_in)
        return run

    return register


@cache
def all_checks() -> dict[str, Check]:
    """Every check by id, in the order of the spec."""
    import packproof.checks  # noqa: F401  registers them

    return {id: _checks[id] for id in requirements() if id in _checks}


def check_for(id: str) -> Check:
    """The check of one requirement; `UsageError` when there is no such id, or no check of it."""
    return select_checks([id])[0]


def select_checks(
    select: Sequence[str] = (), levels: Sequence[str] = ("core",), version: str = SPEC_VERSION
) -> list[Check]:
    """The checks of `levels` in one version of the spec, or those of the rules and chapters named in `select`.

    `UsageError` for what there is not, and where there is no check to run.
    """
    in_levels = rules_of_levels(levels, version)
    rules = find_rules(select, version) if select else in_levels
    unchecked = [rule for rule in rules if rule.unchecked]
    if unchecked:
        ids = ", ".join(rule.id for rule in unchecked)
        raise UsageError(f"{ids}: not yet checked, so no packer can be held to it. {unchecked[0].unchecked}")
    return [all_checks()[rule.id] for rule in rules]
