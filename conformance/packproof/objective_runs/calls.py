"""Calls of an objective under test, and what they left behind: a loss, gradients at the logits and at the weights."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from packproof.driver import calling, finished, refusal, short
from packproof.load import describe
from packproof.objective_runs.single_turns import expect_conversations_taken
from packproof.objective_runs.trajectories import found_in
from packproof.random_state import scrambled_random_state
from packproof.violation import CallFailed, Unexercised, Violation

if TYPE_CHECKING:
    from packproof.consumers.subject import ObjectiveSubject
    from packproof.objective_runs.probe import Probe

__all__ = ["Pull", "Scored", "call_text", "expect_named", "refused", "scored", "told"]

_RESULT = "a result with loss, a tensor without dimensions, and metrics"


@dataclass(frozen=True)
class Pull:
    """What the gradient does at one position: the derivative of N * loss by the logprob of `id`, and its sign turned.

    0 where no logit is reached.
    """

    weight: float = 0.0
    id: int | None = None


@dataclass(frozen=True)
class Scored:
    """One call: its loss, the device of that and whether it has a graph, metrics, and gradients of weights, by name."""

    call: str
    loss: float
    device: str
    graph: bool
    metrics: Any
    gradients: dict[str, Any]
    rows: list[tuple[list[int], list[Pull]]] = field(default_factory=list)
    """The ids of every row that the model was given, and the pull at each of its positions."""

    def pulls(self, wanted: Sequence[Sequence[int]]) -> list[list[Pull]]:
        """The pulls at the positions of rows with these ids; `Unexercised` where the model was given no such row."""
        left, found = list(self.rows), []
        for ids in wanted:
            for place, (given, pulls) in enumerate(left):
                start = found_in(given, ids)
                if start is not None:
                    found.append(pulls[start : start + len(ids)])
                    del left[place]
                    break
            else:
                raise Unexercised(f"the model was not given the row {short(list(ids))}, of which OBJ-1 and OBJ-2 speak")
        return found

    def weights(self, wanted: Sequence[Sequence[int]]) -> list[list[float]]:
        """The weights of `pulls`."""
        return [[one.weight for one in row] for row in self.pulls(wanted)]


def scored(
    subject: "ObjectiveSubject", objective: Any, model: "Probe", trajectories: Sequence[Any], call: str, **given: Any
) -> Scored:
    """Score and go back; `CallFailed` where that raises, or gives no loss.

    `Unexercised` for a conversation where the objective takes single turns only.
    """
    model.calls.clear()
    model.batches.clear()
    try:
        with calling(call, subject.note), scrambled_random_state():
            result = finished(objective(model, trajectories, **given), call)
            loss = _loss_of(result, call)
            if loss.requires_grad:
                loss.backward()
    except CallFailed as error:
        if any("turns" in one.policy_info for one in trajectories):
            expect_conversations_taken(subject, error.__cause__)
        raise
    gradients = {name: weight.grad for name, weight in model.named_parameters()}
    for weight in model.parameters():
        weight.grad = None
    rows = [(ids, pulls) for grid, logits in model.calls for ids, pulls in zip(grid, _pulls(logits), strict=True)]
    metrics = getattr(result, "metrics", None)
    return Scored(call, loss.item(), loss.device.type, loss.requires_grad, metrics, gradients, rows)


def refused(subject: "ObjectiveSubject", call: str, run: Callable[[], Any], *names: str | int) -> None:
    """The call raises `ValueError` that names all of this; a number has to stand there as one.

    `Unexercised` for a conversation where the objective takes single turns only.
    """
    wanted = f"ValueError that names {', '.join(map(str, names))}" if names else "ValueError"
    with scrambled_random_state():
        error = refusal(
            call, run, subject.note, accept=(ValueError,), wording=wanted, show=lambda found: short(_shown(found))
        )
    expect_conversations_taken(subject, error)
    expect_named(call, error, *names)


def expect_named(call: str, error: BaseException, *names: str | int, wording: str = "") -> None:
    """The message of an error names all of this; a number has to stand there as one. `wording` says what was wanted."""
    text = " ".join([str(error), *getattr(error, "__notes__", ())])
    for name in names:
        if not re.search(rf"(?<![\w.]){name}(?![\w.]*\d)" if isinstance(name, int) else re.escape(name), text):
            wanted = wording or f"ValueError that names {', '.join(map(str, names))}"
            fault = f"the message does not name {name}"
            raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)


def told(one: Any) -> str:
    """A trajectory in a call: its prompt ids, behind a bar its completion, and how many ids of it are ignored.

    Of turns, those are ids of the first.
    """
    info = one.policy_info
    turns = info.get("turns", [{"completion_ids": one.completion} | info])
    ids = [_told(turn.get("prompt_ids"), turn["completion_ids"]) for turn in turns]
    n = info.get("n_ignore_prefix_tokens")
    return ", then ".join([f"{ids[0]} ({n} ignored)" if n else ids[0], *ids[1:]])


def call_text(trajectories: Sequence[Any], kind: str = "clipped", packer: Any = None, **given: Any) -> str:
    """`make_objective(...)(model, ...)` as one would type it, with the rows in short."""
    made = [*(["packer"] if packer is not None else []), *([f"kind={kind!r}"] if kind != "clipped" else [])]
    rows = "; ".join(told(one) for one in trajectories[:4]) + ("; ..." if len(trajectories) > 4 else "")
    options = "".join(f", {name}={short(value)}" for name, value in given.items() if value is not None)
    return f"make_objective({', '.join(made)})(model, [{rows}]{options})"


def _told(prompt: Any, completion: Any) -> str:
    sides = (prompt, completion)
    return " | ".join(" ".join(map(str, one)) if isinstance(one, list) else repr(one) for one in sides)


def _loss_of(result: Any, call: str) -> Any:
    import torch

    loss = getattr(result, "loss", None)
    if not isinstance(loss, torch.Tensor):
        shown = f"a {type(result).__name__} whose loss is {short(loss)}" if hasattr(result, "loss") else short(result)
        raise CallFailed(call, f"returned {shown}", _RESULT)
    if loss.dim():
        raise CallFailed(call, f"returned a loss of shape {list(loss.shape)}", _RESULT)
    return loss


def _shown(result: Any) -> Any:
    loss = getattr(result, "loss", None)
    return result if loss is None else f"a loss of {loss.item():g}" if hasattr(loss, "item") else loss


def _pulls(logits: Any) -> list[list[Pull]]:
    """By row and position."""
    import torch

    if not logits.requires_grad or logits.grad is None:
        return [[Pull()] * logits.shape[1] for _ in range(logits.shape[0])]
    gradient = logits.grad
    strongest = gradient.nan_to_num(nan=torch.inf).abs().argmax(-1, keepdim=True)
    there = gradient.gather(-1, strongest)[..., 0]
    share = logits.detach().softmax(-1).gather(-1, strongest)[..., 0]
    weights = torch.where(there == 0, there, -there / (1 - share))
    return [
        [Pull(weight, id) if weight else Pull() for weight, id in zip(row, ids, strict=True)]
        for row, ids in zip(weights.tolist(), strongest[..., 0].tolist(), strict=True)
    ]
