"""The zoo: known-bad packers and sources, each with one deliberate fault, and known-good ones, to test the kit on."""

from functools import cache

from packproof.consumers.subject import ObjectiveSubject, RolloutSubject, TrainerSubject
from packproof.zoo.member import Member, fault
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_gate import MiniatureGate
from packproof.zoo.miniature_identity import MiniatureDeclared
from packproof.zoo.miniature_lock import MiniatureLock
from packproof.zoo.miniature_objective import MiniatureObjective
from packproof.zoo.miniature_rollout import MiniatureRollout, MiniatureTextRollout
from packproof.zoo.miniature_routed import MiniatureRouted
from packproof.zoo.miniature_run import MiniatureRun
from packproof.zoo.miniature_selection import MiniatureSelection
from packproof.zoo.miniature_source import MiniatureLines, MiniaturePairs, MiniatureSource
from packproof.zoo.miniature_steps import MiniatureSteps
from packproof.zoo.miniature_trainer import MiniatureTrainer

__all__ = ["Member", "fault", "good_members", "member", "members"]


@cache
def members() -> tuple[Member, ...]:
    """Every known-bad member, chapter by chapter."""
    from packproof.zoo import (  # noqa: F401
        authority,
        authority_kinds,
        bodies,
        bodies_calls,
        bodies_draws,
        bodies_records,
        bodies_routing,
        bodies_trainer,
        collation,
        collation_calls,
        devices,
        identity,
        identity_fields,
        identity_gates,
        identity_locks,
        lifecycle,
        lifecycle_arguments,
        lifecycle_calls,
        masks,
        masks_ignored,
        objective_batch,
        objective_loss,
        objective_shaping,
        objective_streams,
        objective_sum,
        objective_turns,
        rollout,
        rollout_hooks,
        routing,
        routing_rows,
        routing_steps,
        routing_values,
        selection,
        source_items,
        source_names,
        source_runs,
        source_runs_held_out,
        source_runs_items,
        source_runs_places,
        source_runs_settings,
        source_triples,
    )
    from packproof.zoo.member import known_bad

    return known_bad()


def good_members() -> tuple[Member, ...]:
    """The members that must pass every rule of their levels."""
    plain = Member(
        "miniature",
        MiniaturePacker,
        story="Keeps every rule of the core level.",
        selection=MiniatureSelection,
        levels=("core",),
    )
    declared = Member(
        "miniature-declared",
        MiniatureDeclared,
        story="Keeps every rule on declared identity, and so do the gate and the lock beside it.",
        gate=MiniatureGate,
        lock=MiniatureLock,
        levels=("core", "resume"),
    )
    routed = Member(
        "miniature-routed",
        MiniatureRouted,
        story="Keeps every rule on recorded routing, and so do the steps beside it.",
        routing=MiniatureSteps,
        levels=("core", "routing"),
    )
    sources = [
        Member(
            f"miniature-{name}",
            cls,
            story="Keeps every rule of the level `source` that binds it, beside a run that keeps the others.",
            arguments=cls.arguments,
            run=MiniatureRun,
            levels=("source",),
        )
        for name, cls in (("source", MiniatureSource), ("lines", MiniatureLines), ("pairs", MiniaturePairs))
    ]
    run = Member(
        "miniature-run",
        None,
        story="Keeps every rule of the level `source` that binds a run.",
        run=MiniatureRun,
        levels=("source",),
    )
    consumers = [
        Member(
            f"miniature-{name}",
            cls,
            story=f"Keeps every rule of the level `consumer` that binds {what}.",
            consumer=kind,
            levels=("consumer",),
            left_out=left_out,
        )
        for name, cls, kind, what, left_out in (
            ("rollout", MiniatureRollout, RolloutSubject, "a rollout body which encodes itself", ("BODY-14",)),
            ("text-rollout", MiniatureTextRollout, RolloutSubject, "a rollout body whose engine encodes", ("BODY-2",)),
            ("objective", MiniatureObjective, ObjectiveSubject, "an objective", ()),
            ("trainer", MiniatureTrainer, TrainerSubject, "the parts of a trainer", ()),
        )
    ]
    return plain, declared, routed, *sources, run, *consumers


def member(name: str) -> Member:
    """The member of this name; `KeyError` when there is none."""
    return {one.name: one for one in (*good_members(), *members())}[name]
