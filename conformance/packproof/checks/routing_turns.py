"""Chapter routing, what is asked of batches before they are replayed, records of several turns, and their transport."""

from collections.abc import Sequence
from typing import Any

from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY
from packer_schemas.routing_cases import RoutingBatchCase, RoutingReplayCase, RoutingTurnsCase
from packer_spec.oracle import records as oracle
from packer_spec.oracle.arrays import Array
from packproof.registry import check
from packproof.routed.batches import raws
from packproof.routed.compared import expect_array, told_rows
from packproof.routed.records import array_of, handed, length_of, plain, rows_of
from packproof.routed.steps import Steps
from packproof.routed.strategies import SOME, WITH_MISSING, batches
from packproof.routed.strategies_steps import REPLAYS, TURNS
from packproof.routed.variants import wrong_replays, wrong_turns
from packproof.subject import Subject
from packproof.violation import Violation


@check("ROUTE-13", cases=REPLAYS)
def route_13(subject: Subject, case: RoutingReplayCase) -> None:
    """With replay on, a consumer refuses a batch without forward_replay_routing."""
    steps = Steps(subject)
    _expect_replay(steps, case)
    if case.routing is not None and _wrong_for_replay(case) is None:
        for wrong in wrong_replays(case):
            _expect_replay(steps, wrong)


def _expect_replay(steps: Steps, case: RoutingReplayCase) -> None:
    sizes = f"{case.layers}, {case.top_k}" + ("" if case.experts is None else f", {case.experts}")
    told = "without routing" if case.routing is None else f"with routing {case.routing.dtype} {case.routing.shape}"
    call = f"expect_replay_batch(a batch [{case.rows}, {case.width}] {told}, {sizes})"
    wrong = _wrong_for_replay(case)
    if wrong is None:
        with steps.calling(call) as module:
            module.expect_replay_batch(_batch(case), case.layers, case.top_k, case.experts)
        return
    for key, how in ((True, ""), (False, ", and without its key")):
        if key or case.routing is None:
            given = _batch(case, key=key)
            run = lambda: steps.module.expect_replay_batch(given, case.layers, case.top_k, case.experts)  # noqa: B023, E731
            steps.refuses(f"{call}{how}", run, (FORWARD_REPLAY_BATCH_KEY, *wrong))


def _wrong_for_replay(case: RoutingReplayCase) -> tuple[str, ...] | None:
    """What a refusal of the batch names beside the key; None for a batch that can be replayed."""
    if case.routing is None:
        return ()
    array, expected = array_of(case.routing), (case.rows, case.width, case.layers, case.top_k)
    if array.shape != expected:
        return tuple(map(str, (*array.shape, *expected)))
    if not array.dtype.startswith("int"):
        return ()
    beyond = [one for one in array.values if one < -1 or (case.experts is not None and one >= case.experts)]
    return (str(beyond[0]),) if beyond else None


def _batch(case: RoutingReplayCase, *, key: bool = True) -> dict[str, Any]:
    import torch

    shape = case.rows, case.width
    batch: dict[str, Any] = {
        "input_ids": torch.ones(shape, dtype=torch.int64),
        "logprob_masks": torch.ones(shape, dtype=torch.bool),
    }
    return batch | {FORWARD_REPLAY_BATCH_KEY: handed(case.routing)} if key else batch


@check("ROUTE-14", cases=TURNS)
def route_14(subject: Subject, case: RoutingTurnsCase) -> None:
    """A joined record of several turns takes its rows from the later turn from the shared-prefix border on."""
    steps = Steps(subject)
    if _expect_turns(steps, case) and case.earlier_record is not None:
        for wrong in wrong_turns(case):
            _expect_turns(steps, wrong)


def _expect_turns(steps: Steps, case: RoutingTurnsCase) -> bool:
    """Demand the joined record, or a refusal; whether the turns are to be joined."""
    arrays = [None if one is None else array_of(one) for one in (case.earlier_record, case.later_record)]
    call = f"join_turn_routing({case.earlier_ids}, {_brief(arrays[0])}, {case.later_ids}, {_brief(arrays[1])}"
    call += f", first_row={case.first_row})" if case.first_row else ")"

    def run() -> Any:
        records = handed(case.earlier_record), handed(case.later_record)
        more = (case.first_row,) if case.first_row else ()
        return steps.module.join_turn_routing([*case.earlier_ids], records[0], [*case.later_ids], records[1], *more)

    try:
        expected = oracle.of_turns(case.earlier_ids, arrays[0], case.later_ids, arrays[1], case.first_row)
    except ValueError:
        steps.refuses(call, run)
        return False
    with steps.calling(call):
        found = run()
    expect_array(call, case.later_ids, expected, found, _border_fault(case, arrays, found))
    return True


def _border_fault(case: RoutingTurnsCase, arrays: Sequence[Array | None], found: Any) -> str:
    """At which row two turns were joined, where it is a row other than the border."""
    got = plain(found)
    if case.first_row or got is None or None in arrays:
        return ""
    earlier, later = (rows_of(one) for one in arrays if one is not None)
    joined = [at for at in range(min(len(earlier), len(later)) + 1) if earlier[:at] + later[at:] == rows_of(got)]
    return f"joined at row {joined[0]}" if joined else ""


def _brief(array: Array | None) -> str:
    return "None" if array is None else f"a record {list(array.shape)}"


@check("ROUTE-15", cases=batches((*SOME, *WITH_MISSING)))
def route_15(subject: Subject, case: RoutingBatchCase) -> None:
    """Records travel unpadded, each with its number of rows, until the batch is made."""
    steps, driver = Steps(subject), subject.on(case.model)
    lengths = [length_of(one) for one in case.samples]
    call = f"flatten_routing(policy inputs of {', '.join(map(str, lengths))} ids)"
    given = raws(driver, case.samples)
    with steps.calling(call) as module:
        sent = module.flatten_routing(given)
    expected = [array_of(one.record) for one in case.samples if one.record is not None]
    found = _unflattened(sent)
    if found is None:
        raise Violation.of(call, expected="(rows, counts), or a list of records", got=f"a {type(sent).__name__}")
    counts, wanted = [len(one) for one in found], [one.shape[0] for one in expected]
    if counts != wanted:
        rectangle = len(set(counts)) == 1 and counts[0] >= max(wanted)
        raise Violation.of(call, expected=wanted, got=counts, fault="a rectangle" if rectangle else "rows lost")
    for number, (want, have) in enumerate(zip(expected, found, strict=True)):
        if rows_of(want) != have:
            ids = [*case.samples[number].prompt_ids, *case.samples[number].completion]
            raise told_rows(f"{call}, sample {number}", ids, rows_of(want), have, "")


def _unflattened(sent: Any) -> list[list[tuple[int | float, ...]]] | None:
    """The rows of every sample, from all rows and their numbers or from a list of records; None for anything else."""
    if isinstance(sent, tuple) and len(sent) == 2 and not isinstance(sent[1], (int, float)):
        rows = plain(sent[0])
        try:
            counts = [int(one) for one in sent[1]]
        except (TypeError, ValueError):
            return None
        if rows is None or len(rows.shape) != 3:
            return None
        own, ends = rows_of(rows), [sum(counts[: at + 1]) for at in range(len(counts))]
        parts = [own[end - count : end] for end, count in zip(ends, counts, strict=True)]
        return [*parts[:-1], own[ends[-1] - counts[-1] :]] if parts else []
    records = [plain(one) for one in sent] if isinstance(sent, (list, tuple)) else [None]
    return None if None in records else [rows_of(one) for one in records if one is not None]
