"""What an engine of vLLM's interface answers, matched to what it was asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.rollouts.records import Draw

__all__ = ["draw_of", "in_order"]


def in_order(answers: Any, count: int) -> list[Any]:
    """The answers in the order of the requests; `ValueError` for another number than `count`.

    vLLM counts its requests, and their ids are the numbers as text. Where all of them are, and differ, they decide;
    else the engine's order does. Spec: bodies, BODY-10.
    """
    answers = list(answers)
    if len(answers) != count:
        raise ValueError(
            f"VLLMRollout.generate: the engine answered {len(answers)} of {count} requests; which of the samples "
            "failed cannot be told"
        )
    numbers = [str(getattr(answer, "request_id", "")) for answer in answers]
    if all(number.isdecimal() for number in numbers) and len(set(numbers)) == count:
        answers.sort(key=lambda answer: int(answer.request_id))
    return answers


def draw_of(answer: Any, prompt: Any, where: str) -> Draw:
    """The one completion of a request, with the prompt ids that the engine used.

    Raises `ValueError` that names the request where it failed, has another number of completions than one, or reports
    no prompt ids or those of another prompt. Spec: bodies, BODY-4 to BODY-10.
    """
    used = answer.prompt_token_ids
    if not used:
        raise ValueError(
            f"{where}: the engine reports no prompt_token_ids, and nobody else knows what it generated from"
        )
    prompt_ids = [int(token) for token in used]
    _expect_same_prompt(answer, prompt, prompt_ids, where)
    if len(answer.outputs) != 1:
        raise ValueError(f"{where}: the engine gave {len(answer.outputs)} completions, expected 1; the request failed")
    output = answer.outputs[0]
    if getattr(output, "finish_reason", None) in {"abort", "error"}:
        raise ValueError(f"{where}: the engine gave the request up (finish_reason={output.finish_reason!r})")
    ids = [int(token) for token in output.token_ids]
    return Draw(prompt_ids, ids, _logprobs(output.logprobs, ids), getattr(output, "routed_experts", None))


def _expect_same_prompt(answer: Any, prompt: Any, used: list[int], where: str) -> None:
    """Media are expanded by the engine, and texts are encoded; what else was handed over comes back as it was."""
    if isinstance(prompt, str):
        handed, reported = prompt, getattr(answer, "prompt", None)
    elif prompt.keys() == {"prompt_token_ids"}:
        handed, reported = prompt["prompt_token_ids"], used
    else:
        return
    if reported is not None and reported != handed:
        raise ValueError(
            f"{where}: the engine was handed {_short(handed)}, and answers for {_short(reported)}; requests and "
            "answers cannot be matched"
        )


def _logprobs(steps: Sequence[Mapping[int, Any] | None] | None, ids: Sequence[int]) -> list[float | None]:
    """The logprob of every sampled id, None where the engine's entry does not hold it."""
    found: list[float | None] = []
    for at in range(len(steps or ())):
        step = steps[at] if steps is not None and at < len(ids) else None
        entry = step.get(ids[at]) if step else None
        value = None if entry is None else entry.logprob
        found.append(None if value is None else float(value))
    return found


def _short(prompt: Any) -> str:
    text = repr(prompt)
    return text if len(text) <= 60 else text[:57] + "..."
