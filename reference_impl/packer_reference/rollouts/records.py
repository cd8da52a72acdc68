"""What a body writes down of every generation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from packer_reference.rollouts.hooks import shaped_completions
from packer_reference.routing.records import as_record, expect_experts, read_record
from packer_schemas import ROLLOUT_ROUTED_EXPERTS_KEY, Trajectory

__all__ = ["Draw", "trajectories"]


@dataclass(frozen=True)
class Draw:
    """One completion as the engine tells it.

    `logprobs` holds a number or None for each of `completion_ids`, and may be absent or short. `routed_experts` is
    integer `[rows, layers, top_k]`, all rows that the engine ran: P + C - 1, and P where nothing was sampled.
    """

    prompt_ids: list[int]
    completion_ids: list[int]
    logprobs: Sequence[float | None] | None = None
    routed_experts: Any = None


def trajectories(packer: Any, samples: Sequence[Any], draws: Sequence[Draw], body: str, *, routing: bool) -> list[Any]:
    """The trajectories of the draws, G for each sample, those of the first sample first.

    Their completion is what `get_rollout_output` makes of the ids; ids, logprobs and routing do not depend on it. A
    missing logprob costs the list of its trajectory, whose `logprobs_missing` then names the positions. Raises
    `ValueError` for an answer of another length from the hook, for more logprobs than ids, and, with `routing`, for a
    draw whose record is absent or cannot be placed. Spec: bodies, BODY-3, BODY-6 to BODY-10; routing, ROUTE-2.
    """
    where = f"{body}.generate"
    group = len(draws) // len(samples)
    completions = shaped_completions(packer, [list(draw.completion_ids) for draw in draws], where)
    made = []
    for at, (draw, completion) in enumerate(zip(draws, completions, strict=True)):
        info: dict[str, Any] = {"prompt_ids": list(draw.prompt_ids), "completion_ids": list(draw.completion_ids)}
        info |= _scores(draw, f"{where}: sample {at // group}, completion {at % group}")
        if routing:
            info[ROLLOUT_ROUTED_EXPERTS_KEY] = _record(draw, f"{where}: trajectory {at}")
        # Unvalidated: the sample is the packer's business and stays the very object; the streams were checked above.
        made.append(Trajectory.model_construct(None, obs=samples[at // group], completion=completion, policy_info=info))
    return made


def _scores(draw: Draw, where: str) -> dict[str, Any]:
    count = len(draw.completion_ids)
    values = list(draw.logprobs or ())
    if len(values) > count:
        raise ValueError(f"{where}: the engine gave {len(values)} logprobs for {count} sampled ids; whose are they?")
    values += [None] * (count - len(values))
    missing = [at for at, value in enumerate(values) if value is None or not math.isfinite(value)]
    return {"logprobs_missing": missing} if missing else {"logprobs": values}


def _record(draw: Draw, where: str) -> Any:
    wanted = len(draw.prompt_ids) + len(draw.completion_ids) - 1
    where = f"{where}: {ROLLOUT_ROUTED_EXPERTS_KEY}"
    if draw.routed_experts is None:
        raise ValueError(
            f"{where} is absent: the engine recorded 0 rows, expected {wanted}; switch its recording of routed experts "
            "on, or build the body with routing_replay=False"
        )
    record = read_record(where, draw.routed_experts)
    # Where nothing was sampled the engine ran one id more than is recorded (ROUTE-2).
    if len(record) != wanted and (draw.completion_ids or len(record) != wanted + 1):
        raise ValueError(
            f"{where} has {len(record)} rows, expected {wanted}: one for each of {len(draw.prompt_ids)} prompt ids and "
            f"{len(draw.completion_ids)} sampled ids but the last; nothing is cut or filled, for nobody knows where"
        )
    expect_experts(where, record)
    return as_record([record[:wanted]])
