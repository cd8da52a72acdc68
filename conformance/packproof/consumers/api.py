"""The Python face for consumers: `check_rollout`, `check_objective` and `check_trainer`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from packer_schemas.report import Report
from packer_spec import SPEC_VERSION
from packproof.consumers.subject import ConsumerSubject, ObjectiveSubject, RolloutSubject, TrainerSubject
from packproof.options import Options
from packproof.proof import prove
from packproof.tested import can_be_named

__all__ = ["check_objective", "check_rollout", "check_trainer"]

Target = str | Callable[..., Any]
Names = str | Sequence[str]


def check_rollout(
    target: Target,
    *,
    spec: str = SPEC_VERSION,
    select: Names = (),
    effort: str = "standard",
    seed: int | None = None,
    known: str | Path | None = None,
    raise_on_failure: bool = True,
) -> Report:
    """Prove a rollout body and return the report.

    `target` is `module:factory`, a dotted path, or the factory itself, called as
    `factory(model, packer=..., sampling=..., routing_replay=...)`; the other arguments are those of `check_packer`.
    Raises `AssertionError` with the text of every failure unless `raise_on_failure` is false, and
    `packproof.violation.UsageError` for a mistake in an argument. Spec: bodies, BODY-1 to BODY-16 and BODY-21.
    """
    return _prove(
        RolloutSubject,
        target,
        spec=spec,
        select=select,
        effort=effort,
        seed=seed,
        known=known,
        raise_on_failure=raise_on_failure,
    )


def check_objective(
    target: Target,
    *,
    spec: str = SPEC_VERSION,
    select: Names = (),
    effort: str = "standard",
    seed: int | None = None,
    known: str | Path | None = None,
    raise_on_failure: bool = True,
) -> Report:
    """Prove an objective and return the report.

    `target` is `module:factory`, a dotted path, or the factory itself, called as
    `factory(packer, kind=..., clip_low=..., clip_high=..., eps=..., routing_replay=...)`; the rest is as in
    `check_rollout`. Spec: objectives, OBJ-1 to OBJ-17.
    """
    return _prove(
        ObjectiveSubject,
        target,
        spec=spec,
        select=select,
        effort=effort,
        seed=seed,
        known=known,
        raise_on_failure=raise_on_failure,
    )


def check_trainer(
    target: Target,
    *,
    spec: str = SPEC_VERSION,
    select: Names = (),
    effort: str = "standard",
    seed: int | None = None,
    known: str | Path | None = None,
    raise_on_failure: bool = True,
) -> Report:
    """Prove the parts of a trainer and return the report.

    `target` is `module:factory`, a dotted path, or the factory itself, without arguments, of a
    `packer_schemas.TrainerParts`; the rest is as in `check_rollout`. Spec: bodies, BODY-17 to BODY-20.
    """
    return _prove(
        TrainerSubject,
        target,
        spec=spec,
        select=select,
        effort=effort,
        seed=seed,
        known=known,
        raise_on_failure=raise_on_failure,
    )


def _prove(kind: type[ConsumerSubject], target: Target, **given: Any) -> Report:
    def again() -> Options | None:
        return Options() if can_be_named(target) else None

    return prove(kind, kind.noun, lambda: kind(target), again, **given)
