"""Cases for the steps around a packer: trajectories, cuts and joins, turns, and batches to be replayed."""

from typing import Any

from hypothesis import strategies as st

from packer_schemas.routing_cases import (
    RoutingMoveCase,
    RoutingReplayCase,
    RoutingTrajectoryCase,
    RoutingTurnsCase,
)
from packproof.fitting import Cases, only
from packproof.routed.broken import broken_rules
from packproof.routed.strategies import FEW, SOME, WITH_MISSING, layouts, record, samples
from packproof.vocabulary import Vocabulary

__all__ = ["MOVES", "REPLAYS", "TRAJECTORIES", "TURNS"]

_POOLS = (*SOME, (255, 0, 3), (300, 2, 1, 0), *WITH_MISSING)


def _good_or_none(case: RoutingTrajectoryCase, _: Any) -> str:
    broken = broken_rules([case.sample])
    return f"its record is for {', '.join(broken)} to refuse" if broken else ""


@only(_good_or_none)
def _trajectories(model: str | None, vocabulary: Vocabulary) -> st.SearchStrategy[RoutingTrajectoryCase]:
    """A trajectory with or without a record, for a packer whose policy inputs have room for it, or have none."""

    def case(made: Any, recorded: bool, kind: Any) -> RoutingTrajectoryCase:
        one = made[0] if recorded else made[0].model_copy(update={"record": None})
        return RoutingTrajectoryCase(model=model, sample=one, policy_input=kind)

    kinds = st.sampled_from(["own", "without room", "mapping"])
    return st.builds(case, samples(vocabulary, _POOLS, (1, 1)), st.sampled_from([True, True, True, False]), kinds)


def _joinable(case: RoutingMoveCase, _: Any) -> str:
    broken = [one for one in broken_rules(case.samples) if one not in ("ROUTE-8", "ROUTE-9")]
    return f"its records are for {', '.join(broken)} to refuse" if broken else ""


@st.composite
def _moves(draw: st.DrawFn, model: str | None, vocabulary: Vocabulary) -> RoutingMoveCase:
    """Samples to be joined, and two borders of the first."""
    made = draw(samples(vocabulary, _POOLS, (1, 3)))
    length = len(made[0].prompt_ids) + len(made[0].completion)
    start = draw(st.integers(0, length - 1))
    return RoutingMoveCase(model=model, samples=made, start=start, end=draw(st.integers(start + 1, length)))


@st.composite
def _turns(draw: st.DrawFn, _model: str | None, _vocabulary: Vocabulary) -> RoutingTurnsCase:
    """Two turns that share a prefix: of any length, or a short one, or with rows that were recorded in neither."""
    kind = draw(st.sampled_from(["any", "short prefix", "gap"]))
    layers, top_k = draw(layouts())
    least = 1 if kind == "any" else 3
    earlier, later = draw(st.integers(least, 5)), draw(st.integers(least, 6))
    shared, first_row = draw(st.integers(1, min(earlier, later))), 0
    if kind != "any":
        shared, first_row = 1, draw(st.integers(2, later - 1)) if kind == "gap" else draw(st.integers(0, 1))
    ids, dtype = draw(
        st.sampled_from([((range(10, 60), range(60, 110)), "int64"), (((255, 0, 1), (2, 3, 4)), "uint8")])
    )
    of_earlier, of_later = (
        record(pool, 0, (rows, layers, top_k), dtype)
        for pool, rows in zip(ids, (earlier - 1, later - 1 - first_row), strict=True)
    )
    return RoutingTurnsCase(
        earlier_ids=[110 + at for at in range(earlier)],
        earlier_record=of_earlier,
        later_ids=[(110 if at < shared else 130) + at for at in range(later)],
        later_record=of_later,
        first_row=first_row,
    )


@st.composite
def _replays(draw: st.DrawFn, _model: str | None, _vocabulary: Vocabulary) -> RoutingReplayCase:
    """A batch whose routing fits the model, or has a number that is no expert, or a type that is none."""
    kind = draw(st.sampled_from(["good", "beyond", "below", "type"]))
    shape = [draw(st.integers(1, 3)), draw(st.integers(1, 4)), *draw(layouts())]
    pool = {"beyond": (4, 0, 1), "below": (-2, 0)}.get(kind, FEW[0])
    array = record(pool, 0, shape, "float32" if kind == "type" else draw(st.sampled_from(["int8", "int64"])))
    experts = 4 if kind == "beyond" else draw(st.sampled_from([4, None]))
    rows, width, layers, top_k = shape
    return RoutingReplayCase(rows=rows, width=width, routing=array, layers=layers, top_k=top_k, experts=experts)


TRAJECTORIES = _trajectories
MOVES = Cases(_moves, _joinable)
TURNS = Cases(_turns)
REPLAYS = Cases(_replays)
