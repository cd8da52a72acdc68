"""Vectors of chapter collation: widths, fillers, and rows that do not know of one another."""

from typing import Any

from packer_spec.oracle import collation, masks
from packer_spec.vectors.core import GPT2, LLAMA3, QWEN, SPM, tokenizer
from packer_spec.vectors.probe import MENTIONS, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Batches. input: samples (input_ids and logprob_masks of each), max_len, and the tokenizer's pad_token_id. "
    "expected: input_ids (int64) and logprob_masks (bool, as 0 and 1), both [B, max_len], and longest, which is what "
    "policy_compute_max_len returns for the samples. "
    f"{MENTIONS}"
)

_PAD = tokenizer(7)
_WIDE_ID = 2**31 + 5


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    batch = collation.batch(given["samples"], given["max_len"], given["tokenizer"]["pad_token_id"])
    return {**batch, "longest": collation.longest(given["samples"])}


def _sample(number: int, prompt_len: int, completion_len: int, ignored: int = 0) -> dict[str, Any]:
    """Sample 1 has ids from 110 and 120 on, sample 2 from 210 and 220 on."""
    prompt, completion = (
        list(range(first, first + count)) for first, count in ((10, prompt_len), (20, completion_len))
    )
    ids = [100 * number + id for id in prompt + completion]
    return {"input_ids": ids, "logprob_masks": masks.mask(prompt_len, completion_len, ignored)}


def _given(input_ids: list[int], logprob_masks: list[int]) -> dict[str, Any]:
    return {"input_ids": input_ids, "logprob_masks": logprob_masks}


A, A_LONG = _sample(1, 1, 1), _sample(1, 1, 2)
B, B_LONG = _sample(2, 2, 1), _sample(2, 2, 3)
C = _sample(3, 1, 3)
NO_ANSWER = _sample(2, 3, 0)
IGNORED = _sample(1, 1, 1, 1)


def _batch(note: str, samples: list[dict[str, Any]], max_len: int, tokenizer: Any = _PAD) -> Probe:
    return Probe(note, {"samples": samples, "max_len": max_len, "tokenizer": tokenizer})


def _refused(note: str, samples: list[dict[str, Any]], max_len: int, *mentions: str) -> Probe:
    probe = _batch(note, samples, max_len)
    return Probe(note, probe.input, Refusal("ValueError", mentions))


def _too_narrow(note: str, samples: list[dict[str, Any]], max_len: int, sample: int, length: int) -> Probe:
    return _refused(note, samples, max_len, str(sample), str(length), str(max_len))


def _no_width(note: str, samples: list[dict[str, Any]], max_len: int) -> Probe:
    return _refused(note, samples, max_len, str(max_len))


GROUPS = (
    Group(
        "COLL-1",
        [
            _batch("equal lengths, no filler", [A, _sample(2, 1, 1)], 2),
            _batch("an id beyond 32 bits", [A, _given([210, _WIDE_ID, 220], [0, 1, 0])], 3),
            _batch("three samples, three rows", [A, B, C], 4),
        ],
    ),
    Group("COLL-2", [_batch("masks are bool and the samples' are integers", [A_LONG, B], 3)]),
    Group(
        "COLL-3",
        [
            _batch("one column more than the longest", [A, _sample(2, 1, 1)], 3),
            _batch("rounded up to eight by the trainer", [A, B], 8),
            _batch("two columns of filler alone", [A, B], 5),
        ],
    ),
    Group(
        "COLL-4",
        [
            _batch("filler stands on the right", [A, B], 3),
            _batch("the longer one comes first", [B, A], 3),
            _batch("the longest in the middle", [A, B_LONG, A_LONG], 5),
            _batch("the second row is prompt only", [A, NO_ANSWER], 3),
        ],
    ),
    Group(
        "COLL-5",
        [
            _batch("the pad id is zero", [A, B], 4, LLAMA3),
            _batch("the pad id is the end-of-sequence id", [A, B], 3, GPT2),
            _batch("the pad id stands in a row as data too", [_given([110, 120, 2], [1, 1, 0]), B_LONG], 5, SPM),
            _batch("a row ends with the pad id, and the filler goes on", [_given([110, 0], [1, 0]), B], 4, LLAMA3),
            _batch("the pad id is a high one", [A, B], 3, QWEN),
        ],
    ),
    Group(
        "COLL-6",
        [
            _batch("the first row has no ones, so only filler could have one", [IGNORED, B], 3),
            _batch("filler in every row", [A, B], 5),
            _batch("long filler beside a long row", [A, _sample(2, 4, 4)], 8),
        ],
    ),
    Group(
        "COLL-7",
        [
            _batch("masks are copied, entry by entry", [A_LONG, B], 3),
            _batch("a mask of zeros stays one", [IGNORED, NO_ANSWER], 3),
            _batch("n took one off the front", [_sample(1, 2, 3, 1), B], 5),
            _batch("the trainer wrote zeros into the first mask", [_given([110, 120, 121], [0, 0, 0]), B], 3),
            _batch("the trainer left out one in the middle", [_given([110, 120, 121, 122], [1, 0, 1, 0]), B], 4),
        ],
    ),
    Group(
        "COLL-8",
        [
            _batch("a beside b", [A_LONG, B], 3),
            _batch("a beside another sample: its row is the same", [A_LONG, _sample(3, 1, 1)], 3),
            _batch("a beside itself", [A_LONG, A_LONG], 3),
        ],
    ),
    Group(
        "COLL-9",
        [
            _batch("in the order a, b, c", [A, B, C], 4),
            _batch("in the order c, b, a", [C, B, A], 4),
            _batch("in the order b, c, a", [B, C, A], 4),
        ],
    ),
    Group(
        "COLL-10",
        [
            _batch("one sample, one row", [A], 2),
            _batch("one sample and filler", [A], 4),
            _batch("one sample of one id", [_sample(1, 1, 0)], 1),
        ],
    ),
    Group(
        "COLL-11",
        [
            _refused("no samples", [], 2, "0"),
            _refused("no samples and no width", [], 0, "0"),
        ],
    ),
    Group(
        "COLL-12",
        [
            _too_narrow("one too narrow", [A, B], 2, 1, 3),
            _too_narrow("only one of three is too long", [A, C, B], 3, 1, 4),
            _too_narrow("all are too long", [A, B], 1, 0, 2),
            _no_width("no width", [A], 0),
            _no_width("a width below zero", [A], -1),
            _too_narrow("what would be cut is a pad id", [_given([110, 120, 7], [1, 1, 0]), A], 2, 0, 3),
        ],
    ),
    Group(
        "COLL-15",
        [
            _batch("longest is that of the second", [A, B_LONG], 5),
            _batch("longest is not max_len", [A, B], 6),
            _batch("longest counts prompt and completion", [NO_ANSWER, A], 3),
            _batch("longest of one", [C], 4),
        ],
    ),
)
