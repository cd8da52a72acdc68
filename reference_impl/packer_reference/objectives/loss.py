"""The numbers: next-token logprobs at the selected positions, the term of each, and their sum over N."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    _Tensor = torch.Tensor
else:
    _Tensor = Any

__all__ = ["clipped_terms", "logprob_gap", "next_token_logprobs"]


def next_token_logprobs(logits: _Tensor, input_ids: _Tensor, rows: _Tensor, positions: _Tensor) -> _Tensor:
    """`log_softmax(logits[b, i])[input_ids[b, i + 1]]` for N pairs of row b and position i; nothing else is read.

    `logits` is [B, W, V]; the result is [N], in float32 or the logits' own wider type. Raises `ValueError` for an id
    that the logits have no entry for. Spec: objectives, OBJ-5.
    """
    import torch

    width, vocabulary = logits.shape[1:]
    targets = input_ids[rows, positions + 1]
    highest = int(targets.max()) if len(targets) else -1
    if highest >= vocabulary:
        raise ValueError(
            f"the id {highest} is to be predicted, and the model has logits for {vocabulary} ids only; "
            "is the packer set up with the tokenizer of this model?"
        )
    # Selected before anything is computed: what is not selected costs nothing, and a NaN there stays there.
    chosen = logits.flatten(0, 1).index_select(0, (rows * width + positions).to(logits.device))
    chosen = chosen.to(torch.promote_types(chosen.dtype, torch.float32))
    return chosen.log_softmax(-1).gather(1, targets.to(logits.device)[:, None]).squeeze(1)


def clipped_terms(
    logprobs: _Tensor, recorded: _Tensor, advantages: _Tensor, clip_low: float, clip_high: float
) -> tuple[_Tensor, _Tensor]:
    """min(ratio * A, clip(ratio, 1 - clip_low, 1 + clip_high) * A) for every prediction, and where the clip is smaller.

    All are [N]. Spec: objectives, OBJ-13.
    """
    import torch

    difference = logprobs - recorded
    ratio = difference.detach().exp()
    # Not of two numbers: `where` makes those of torch's default type, which may be coarse.
    bound = torch.where(advantages > 0, torch.full_like(ratio, 1 + clip_high), torch.full_like(ratio, 1 - clip_low))
    stopped = torch.where(advantages > 0, ratio > bound, (advantages < 0) & (ratio < bound)) | (advantages == 0)
    # Not torch.minimum: where a ratio overflows, its derivative of infinity times zero would be a gradient of NaN.
    ratio = torch.where(stopped, bound, torch.where(stopped, 0, difference).exp())
    return ratio * advantages, stopped & (advantages != 0)


def logprob_gap(logprobs: _Tensor, recorded: _Tensor) -> dict[str, float]:
    """Mean and maximum of |lp - q| where q is a number; 0.0 where there is none. Spec: objectives, OBJ-17."""
    import torch

    gap = (logprobs.detach() - recorded).abs()[recorded.isfinite()]
    mean, most = torch.stack([gap.mean(), gap.max()]).tolist() if len(gap) else (0.0, 0.0)
    return {"logprob_gap_mean": mean, "logprob_gap_max": most}
