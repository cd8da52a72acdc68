"""The decoding loop: several rows, one id at a time, each with its own draws."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from packer_reference.moe.record import RoutingRecorder
from packer_reference.rollouts.forward_pass import ForwardPass, can_fill, length_limit
from packer_reference.rollouts.records import Draw

__all__ = ["Request", "decode"]


@dataclass(frozen=True)
class Request:
    """One completion to draw; `where` names it in messages. Temperature 0 takes the likeliest id."""

    where: str
    prompt_ids: list[int]
    temperature: float
    max_tokens: int
    stop_token_ids: frozenset[int]
    seed: int


def decode(model: Any, requests: Sequence[Request], recorder: RoutingRecorder | None = None) -> list[Draw]:
    """A draw for every request, in order, made by `model` in evaluation mode and without grad.

    Rows of all lengths run together where the model takes mask and positions, else those of one length do. What a row
    draws depends on its own seed alone. Logprobs are natural ones of the model's own distribution, in float32, before
    temperature. A generation ends after a stop token, which stays, at `max_tokens`, or where the model's positions end.
    `ValueError` names the request and the place where the model gives no distribution. The mode of every module is put
    back. Spec: bodies, BODY-6, BODY-7, BODY-12 and BODY-13.
    """
    import torch

    together = can_fill(model)
    rows = [_Row(request, length_limit(model)) for request in requests]
    batches: dict[int, list[_Row]] = {}
    for row in rows:
        batches.setdefault(0 if together else len(row.request.prompt_ids), []).append(row)
    with torch.no_grad(), _evaluating(model):
        for batch in batches.values():
            with recorder.recording() if recorder else contextlib.nullcontext():
                run = _decode(model, batch)
            if recorder:
                ends = [start + row.length - 1 for start, row in zip(run.starts, batch, strict=True)]
                for row, record in zip(batch, recorder.rows(run.starts, ends), strict=True):
                    row.routed_experts = record
    return [Draw(row.request.prompt_ids, row.ids, row.logprobs, row.routed_experts) for row in rows]


class _Row:
    """A request and what was drawn for it so far."""

    def __init__(self, request: Request, limit: int | None) -> None:
        import torch

        self.request = request
        self.generator = torch.Generator().manual_seed(request.seed)
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.routed_experts: Any = None
        most = request.max_tokens
        self._room = most if limit is None else min(most, limit - len(request.prompt_ids))

    @property
    def live(self) -> bool:
        """Whether another id is to be drawn."""
        return not self.ids or (len(self.ids) < self._room and self.ids[-1] not in self.request.stop_token_ids)

    @property
    def length(self) -> int:
        """The ids of prompt and completion."""
        return len(self.request.prompt_ids) + len(self.ids)


def _decode(model: Any, rows: Sequence[_Row]) -> ForwardPass:
    import torch

    run = ForwardPass(model, [row.request.prompt_ids for row in rows])
    while any(row.live for row in rows):
        logits = run.logits().float()
        scores = logits.log_softmax(-1)
        _expect_distributions(scores, rows)
        chosen = _choose(logits, rows)
        of_chosen = scores.gather(1, chosen[:, None])[:, 0]
        for row, token, score in zip(rows, chosen.tolist(), of_chosen.tolist(), strict=True):
            if row.live:
                row.ids.append(token)
                row.logprobs.append(score)
        run.append(chosen, torch.tensor([row.live for row in rows], device=chosen.device))
    return run


def _choose(logits: Any, rows: Sequence[_Row]) -> Any:
    """An id for every row, `[rows]`: the likeliest, or one drawn with the row's own generator."""
    import torch

    likeliest = logits.argmax(-1)
    drawing = [row.live and row.request.temperature > 0 for row in rows]
    if not any(drawing):
        return likeliest
    # By the inverse of the summed probabilities, in float64: one number a row decides, whatever the device.
    heat = [row.request.temperature or 1.0 for row in rows]
    raised = (logits - logits.max(-1, keepdim=True).values).double()
    summed = (raised / torch.tensor(heat, dtype=torch.float64, device=logits.device)[:, None]).exp().cumsum(-1)
    numbers = torch.zeros(len(rows), dtype=torch.float64)
    for at in (at for at, draws in enumerate(drawing) if draws):
        numbers[at] = torch.rand((), generator=rows[at].generator, dtype=torch.float64)
    reached = numbers.to(logits.device)[:, None] * summed[:, -1:]
    picked = torch.searchsorted(summed, reached, right=True)[:, 0].clamp(max=logits.shape[-1] - 1)
    return torch.where(torch.tensor(drawing, device=logits.device), picked, likeliest)


def _expect_distributions(scores: Any, rows: Sequence[_Row]) -> None:
    for row, bad in zip(rows, scores.isnan().any(-1).tolist(), strict=True):
        if bad and row.live:
            raise ValueError(
                f"{row.request.where}: the model's logits after {len(row.ids)} sampled ids are no distribution (NaN or "
                "infinite), so nothing can be drawn; look at its weights and its precision"
            )


@contextlib.contextmanager
def _evaluating(model: Any) -> Iterator[None]:
    """Evaluation mode, and afterwards every module's own mode again: a model can be frozen in part."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training
