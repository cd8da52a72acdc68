"""The kinds of subjects: packers, data sources, rollout bodies, objectives, trainers; and which rules bind which."""

from collections.abc import Collection, Iterable, Sequence

from packer_spec import requirements
from packproof.consumers.subject import ObjectiveSubject, RolloutSubject, TrainerSubject
from packproof.sources.subject import SourceSubject
from packproof.subject import Subject
from packproof.tested import Tested
from packproof.violation import UsageError

__all__ = ["KINDS", "held_levels", "refuse_unbound"]

Kind = type[Tested]

KINDS: tuple[Kind, ...] = (Subject, SourceSubject, RolloutSubject, ObjectiveSubject, TrainerSubject)


def held_levels(levels: Sequence[str], kinds: Collection[Kind]) -> list[str]:
    """The levels of a run: those asked of its packers, and those of the other kinds of subjects that it has.

    `UsageError` where one is asked that binds none of its subjects; `core` is what is asked where nothing is.
    """
    for level in levels:
        others = [kind for kind in KINDS if level in kind.levels and kind is not Subject]
        if level in Subject.levels and level != "core" and Subject not in kinds:
            raise UsageError(f"--packer-level {level!r}: its rules bind packers; name one with {Subject.named_with}.")
        if others and not any(kind in kinds for kind in others):
            bound = " and ".join(kind.bound for kind in others)
            named = ", or ".join(kind.named_with for kind in others)
            text = f"its rules bind {bound}, and no packer; leave it out and name one with {named}."
            raise UsageError(f"--packer-level {level!r}: {text}")
    own = [level for kind in KINDS if kind in kinds and kind is not Subject for level in kind.levels]
    asked = [level for level in levels if level not in own] if Subject in kinds else []
    return [*asked, *dict.fromkeys(own)]


def refuse_unbound(named: Iterable[str], kinds: Collection[Kind]) -> None:
    """`UsageError` for a rule, or a chapter, of which nothing binds what is there to be proved."""
    for name in named:
        rules = [rule for rule in requirements().values() if name.upper() in (rule.id, rule.id.partition("-")[0])]
        binding = [kind for kind in KINDS if any(kind.binds(rule) for rule in rules)]
        if binding and not any(kind in kinds for kind in binding):
            raise UsageError(f"{name.upper()} binds {binding[0].bound}; name one with {binding[0].named_with}.")
