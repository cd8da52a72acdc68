"""Cases for the steps around a packer: trajectories, cuts and joins, turns, and batches to be replayed."""

from typing import Any

from hypothesis import strategies as st

from packer_schemas.plain_array import Array
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
    """Samples to be joined, and two borders of the first; now and then borders, or records, that do not go together."""
    kind = draw(st.sampled_from(["good", "good", "good", "borders", "mixture", "layout"]))
    made = draw(samples(vocabulary, _POOLS, (2 if kind in ("mixture", "layout") else 1, 3)))
    length = len(made[0].prompt_ids) + len(made[0].completion)
    start = draw(st.integers(0, length - 1))
    end = draw(st.integers(start + 1, length))
    if kind == "borders":
        start, end = draw(st.sampled_from([(-1, end), (start, length + 1), (start, start), (end, start), (-1, length)]))
    at = draw(st.integers(0, len(made) - 1))
    if kind == "mixture":
        made[at] = made[at].model_copy(update={"record": None})
    array = made[at].record
    if kind == "layout" and array is not None:
        rows, layers, top_k = array.shape
        made[at] = made[at].model_copy(update={"record": record(SOME[1], 0, (rows, layers, top_k + 1))})
    return RoutingMoveCase(model=model, samples=made, start=start, end=end)


_WRONG_TURNS = ("nothing shared", "rows", "layout", "missing", "none", "border")


@st.composite
def _turns(draw: st.DrawFn, _model: str | None, _vocabulary: Vocabulary) -> RoutingTurnsCase:
    """Two turns that share a prefix of any length, as good as they are, or with one thing wrong about them."""
    kind = draw(st.sampled_from(["good", "short prefix", "short prefix", "gap", "gap", *_WRONG_TURNS]))
    layers, top_k = draw(layouts())
    least = 3 if kind in ("short prefix", "gap") else 1
    earlier, later = draw(st.integers(least, 5)), draw(st.integers(least, 6))
    shared = draw(st.integers(1, min(earlier, later)))
    first_row = draw(st.sampled_from([0, *range(later)]))
    if kind in ("short prefix", "gap"):
        shared, first_row = 1, draw(st.integers(2, later - 1)) if kind == "gap" else 0
    if kind == "nothing shared":
        shared = 0
    if kind == "border":
        first_row = draw(st.sampled_from([-1, later, later + 2]))
    pools = draw(st.sampled_from([(range(10, 60), range(60, 110), "int64"), ((255, 0, 1), (2, 3, 4), "uint8")]))
    wrong = draw(st.sampled_from([1, -1])) if kind == "rows" else 0
    of_earlier: Array | None = record(pools[0], 0, (max(0, earlier - 1 + wrong), layers, top_k), pools[2])
    rows = later - 1 - (first_row if kind != "border" else 0)
    of_later: Array | None = record(pools[1], 0, (rows, layers, top_k + (kind == "layout")), pools[2])
    if kind in ("missing", "none"):
        of_earlier = None
        of_later = None if kind == "none" else of_later
    return RoutingTurnsCase(
        earlier_ids=[110 + at for at in range(earlier)],
        earlier_record=of_earlier,
        later_ids=[(110 if at < shared else 130) + at for at in range(later)],
        later_record=of_later,
        first_row=first_row,
    )


@st.composite
def _replays(draw: st.DrawFn, _model: str | None, _vocabulary: Vocabulary) -> RoutingReplayCase:
    """A batch whose routing fits the model, or one of which one thing does not."""
    kind = draw(st.sampled_from(["good", "none", "expert", "below", "type", *_SHAPES]))
    rows, width = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    layers, top_k = draw(layouts())
    experts = draw(st.sampled_from([4, None])) if kind != "expert" else 4
    pool = {"expert": (4, 0, 1), "below": (-2, 0)}.get(kind, FEW[0])
    shape = _SHAPES[kind]([rows, width, layers, top_k]) if kind in _SHAPES else [rows, width, layers, top_k]
    array = record(pool, 0, shape, "float32" if kind == "type" else draw(st.sampled_from(["int8", "int64"])))
    return RoutingReplayCase(
        rows=rows,
        width=width,
        routing=None if kind == "none" else array,
        layers=layers,
        top_k=top_k,
        experts=experts,
    )


_SHAPES: dict[str, Any] = {
    "rows": lambda shape: [shape[0] + 1, *shape[1:]],
    "width": lambda shape: [shape[0], shape[1] + 1, *shape[2:]],
    "layers": lambda shape: [*shape[:2], shape[2] + 1, shape[3]],
    "top_k": lambda shape: [*shape[:3], shape[3] + 1],
    "axes": lambda shape: [*shape[:2], shape[2] * shape[3]],
}

TRAJECTORIES = _trajectories
MOVES = Cases(_moves, _joinable)
TURNS = Cases(_turns)
REPLAYS = Cases(_replays)
