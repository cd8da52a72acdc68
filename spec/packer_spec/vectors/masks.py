"""Vectors of chapter masks: every border of P, C and n, and ids that a mask must not look at."""

from typing import Any

from packer_spec.oracle import masks
from packer_spec.vectors.core import LLAMA3, QWEN, SPM, completion_ids, prompt_ids
from packer_spec.vectors.probe import MENTIONS, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Masks of one row. input: prompt_ids (P of them), completion (C ids), n_ignore_prefix_tokens (n), and where the "
    "row holds special ids, the tokenizer they belong to. expected: logprob_masks, P + C entries of 0 and 1, and "
    "selected, the ids whose predictions logprob_masks[:-1] selects. "
    f"{MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    prompt, completion = given["prompt_ids"], given["completion"]
    mask = masks.mask(len(prompt), len(completion), given["n_ignore_prefix_tokens"])
    return {"logprob_masks": mask, "selected": masks.selected(prompt + completion, mask)}


def _row(prompt: list[int], completion: list[int], ignored: int = 0, tokenizer: Any = None) -> dict[str, Any]:
    special = {} if tokenizer is None else {"tokenizer": tokenizer}
    return {"prompt_ids": prompt, "completion": completion, "n_ignore_prefix_tokens": ignored} | special


def _sized(prompt_len: int, completion_len: int, ignored: int = 0, note: str = "") -> Probe:
    told = f"P = {prompt_len}, C = {completion_len}, n = {ignored}"
    row = _row(prompt_ids(prompt_len), completion_ids(completion_len), ignored)
    return Probe(f"{told}: {note}" if note else told, row)


def _outside(prompt_len: int, completion_len: int, ignored: int) -> Probe:
    sized = _sized(prompt_len, completion_len, ignored)
    return Probe(sized.note, sized.input, Refusal("ValueError", (str(ignored), str(completion_len))))


def _special(note: str, prompt: list[int], completion: list[int], tokenizer: Any, ignored: int = 0) -> Probe:
    return Probe(note, _row(prompt, completion, ignored, tokenizer))


GROUPS = (
    Group("MASK-1", [_sized(1, 1), _sized(3, 0), _sized(2, 3, 1), _sized(1, 4, 4), _sized(6, 2)]),
    Group(
        "MASK-2",
        [
            _sized(2, 1, note="aligned to ids it would be 0 0 1"),
            _sized(2, 2),
            _sized(3, 1),
            _sized(3, 2, note="the example of the chapter"),
            _sized(2, 6, note="a long answer to a short prompt"),
            _sized(6, 2, note="a short answer to a long prompt"),
            _sized(4, 4),
            _special("an end token in the middle of the prompt", [110, 2, 111], [120, 121], SPM),
            _special("a prompt that ends with its end token", [110, 2], [120, 121], SPM),
            _special("the same id over and over", [110, 110], [110, 110], None),
        ],
    ),
    Group(
        "MASK-3",
        [
            _sized(2, 2, 1),
            _sized(2, 2, 2, "n = C leaves no ones"),
            _sized(3, 3, 1),
            _sized(3, 3, 2),
            _sized(3, 3, 3),
            _sized(1, 1, 1, "nothing is left of a row of two"),
            _sized(1, 2, 1),
            _sized(1, 3, 2),
            _sized(2, 5, 4, "only the last token is left"),
            _sized(5, 1, 1),
            _special("n counts special ids like others", [110, 111], [2, 120, 2], SPM, 1),
            _special("n takes off an end token", [110], [120, 2], SPM, 2),
        ],
    ),
    Group(
        "MASK-4",
        [
            _outside(2, 1, -1),
            _outside(1, 1, -1),
            _outside(1, 1, 2),
            _outside(2, 1, 4),
            _outside(2, 2, 3),
            _outside(3, 2, -3),
            _outside(2, 0, 1),
            _outside(2, 0, -1),
            _outside(1, 0, 1),
            _outside(3, 4, 7),
        ],
    ),
    Group("MASK-5", [_sized(1, 0), _sized(2, 0), _sized(3, 0), _sized(6, 0)]),
    Group(
        "MASK-6",
        [
            _sized(1, 1, note="P - 1 is zero"),
            _sized(1, 2),
            _sized(1, 3),
            _sized(1, 6),
            _special("the prompt is id 0", [0], [120, 121], LLAMA3),
            _special("the prompt is BOS alone", [1], [120, 121], SPM),
        ],
    ),
    Group(
        "MASK-7",
        [
            _special("an end token at the end, which is the pad id too", [110, 111], [120, 2], SPM),
            _special("two end tokens at the end", [110, 111], [120, 2, 2], SPM),
            _special("an end token and nothing else", [110, 111], [2], SPM),
            _special("an end token in the middle, as between turns", [110, 111], [120, 2, 121], SPM),
            _special("an end token in front", [110, 111], [2, 120], SPM),
            _special("BOS and the unknown id", [110, 111], [1, 120, 0], SPM),
            _special("pad id 0 at both ends", [110, 111], [0, 120, 0], LLAMA3),
            _special("pad id 0 and nothing else", [110, 111], [0, 0], LLAMA3),
            _special("an end token that is not the pad id", [110, 111], [120, 556], LLAMA3),
            _special("an end token and then a pad id, both sampled", [110, 111], [120, 578, 576], QWEN),
        ],
    ),
    Group("MASK-8", [_sized(2, 2), _sized(1, 2, 1), _sized(2, 0)]),
    Group(
        "MASK-9",
        [
            _sized(3, 3, note="selected is the completion"),
            _sized(1, 2, 1, "selected is the completion without its first id"),
            _sized(3, 0, note="nothing is selected"),
            _special("the completion repeats its prompt", [110, 111], [110, 111], None),
            _special("end tokens on both sides", [1, 110, 2], [120, 2], SPM),
        ],
    ),
    Group("MASK-4", [_outside(2, 3, -1), _outside(1, 2, -3), _outside(3, 4, 9)]),
)
