"""Vectors of chapter dataflow: the groups that fixed-size batching and sequential packing make of a stream."""

from typing import Any

from packer_spec.oracle import batching
from packer_spec.vectors.probe import MENTIONS, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "The groups of one stream. kind fixed: epochs (the samples of the stream, epoch by epoch), batch_size, epoch_end, "
    "drop_last, and ends, which is true for a stream that ends behind the last of them; expected: groups, of an "
    "endless stream those that are certain by then, and dropped, the samples that were left out. kind sequential: "
    "sizes (sample_size of each sample of a stream that ends), max_sequence_length, max_samples_per_batch, "
    "lookahead_limit and oversize, where null is not given; expected: the same two, where a sample is told by its "
    f"place in the stream, from 0. {MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    if given["kind"] == "fixed":
        end, dropping = given["ends"], given["drop_last"]
        size, policy = given["batch_size"], given["epoch_end"]
        groups, dropped = batching.fixed_size(given["epochs"], size, policy, ends=end, drop_last=dropping)
        return {"groups": groups, "dropped": dropped}
    settings = {name: value for name, value in given.items() if name not in ("kind", "sizes")}
    groups, dropped = batching.sequential(given["sizes"], batching.Sequential(**settings))
    return {"groups": groups, "dropped": dropped}


def _fixed(
    note: str,
    size: int,
    *epochs: list[int],
    end: str = "span",
    ends: bool = False,
    drop_last: bool = False,
    says: tuple[str, ...] = (),
) -> Probe:
    given = {"kind": "fixed", "epochs": list(epochs), "batch_size": size, "epoch_end": end}
    refusal = Refusal("ValueError", says) if says else None
    return Probe(note, given | {"drop_last": drop_last, "ends": ends}, refusal)


def _packed(
    note: str,
    sizes: list[int],
    tokens: int | None = None,
    count: int | None = None,
    *,
    ahead: int = 1,
    oversize: str = "refuse",
    says: tuple[Any, ...] = (),
) -> Probe:
    given = {
        "kind": "sequential",
        "sizes": sizes,
        "max_sequence_length": tokens,
        "max_samples_per_batch": count,
        "lookahead_limit": ahead,
        "oversize": oversize,
    }
    return Probe(note, given, Refusal("ValueError", tuple(map(str, says))) if says else None)


FIVE = [10, 11, 12, 13, 14], [20, 21, 22, 23, 24]
THREE = [10, 11, 12], [20, 21, 22]

GROUPS = (
    Group(
        "FLOW-13",
        [
            _fixed("span, as in the chapter: a group holds samples of two epochs", 2, *FIVE),
            _fixed("short, as in the chapter: a group is closed at the edge", 2, *FIVE, end="short"),
            _fixed("drop, as in the chapter: the rest of an epoch is left out", 2, *FIVE, end="drop"),
            _fixed("span over an epoch that is smaller than a group", 4, *THREE, [30, 31, 32]),
            _fixed("short with an epoch that is smaller than a group", 4, *THREE, end="short"),
            _fixed("span: the group that is open at the end is not told", 2, *THREE, [30, 31, 32]),
            _fixed("an epoch without a rest: short", 3, *THREE, end="short"),
            _fixed("an epoch without a rest: drop", 3, *THREE, end="drop"),
            _fixed("groups of one: no edge shows", 1, *THREE, end="drop"),
            _fixed("epochs in another order each, which is kept", 2, [12, 10, 11], [11, 12, 10]),
            _fixed("a stream that ends gives its rest", 2, FIVE[0], ends=True),
            _fixed("a stream that ends, with drop_last", 2, FIVE[0], ends=True, drop_last=True),
            _fixed("a stream that ends, under drop", 2, FIVE[0], end="drop", ends=True),
            _fixed("a stream that ends, under short", 2, FIVE[0], end="short", ends=True),
            _fixed("a stream that ends without a rest", 3, THREE[0], ends=True, drop_last=True),
            _fixed("a stream that ends within its first group", 4, THREE[0], ends=True),
        ],
    ),
    Group(
        "FLOW-15",
        [
            _packed("a full budget is one: 4 and 4 in 8, as in the chapter", [4, 4, 3], 8),
            _packed("5, 4 and 3 at a budget of 8, as in the chapter", [5, 4, 3], 8),
            _packed("two of three in seven", [3, 3], 7),
            _packed("order is kept, though the fourth would fit the first group", [5, 4, 4, 3], 8),
            _packed("each alone", [6, 6, 6], 8),
            _packed("a sample as large as the budget", [8, 1, 8], 8),
            _packed("samples of no tokens fit a full group", [8, 0, 0, 1], 8),
            _packed("no samples, no groups", [], 8),
            _packed("a budget of one", [1, 1, 0, 1], 1),
            _packed("by count: sizes play no part", [9, 1, 9, 1, 9], None, 2),
            _packed("by count, one each", [1, 1, 1], None, 1),
        ],
    ),
    Group(
        "FLOW-15",
        [
            _packed("two may be set aside, as in the chapter on resume", [3, 4, 2, 5], 6, ahead=2),
            _packed("a later sample overtakes one that does not fit", [5, 4, 3], 8, ahead=2),
            _packed("the search ends with the second that does not fit", [5, 4, 4, 3], 8, ahead=2),
            _packed("and goes on for a third", [5, 4, 4, 3], 8, ahead=3),
            _packed("those aside come first, in their order", [6, 5, 4, 2, 3, 1], 8, ahead=3),
            _packed("one that was aside is set aside again", [7, 5, 6, 1, 2, 3], 8, ahead=3),
            _packed("a full group still looks on, for a sample of no tokens", [8, 2, 0, 1], 8, ahead=2),
            _packed("a look-ahead beyond the end of the stream", [5, 4, 3, 2], 8, ahead=10),
        ],
    ),
    Group(
        "FLOW-16",
        [
            _packed("above the budget, as in the chapter", [3, 5, 2], 4, says=(1, 5, 4)),
            _packed("one token above", [3, 2, 9], 8, says=(2, 9, 8)),
            _packed("as large as the budget is not above it", [3, 4, 2], 4),
            _packed("alone, in its place", [3, 5, 1, 2], 4, oversize="alone"),
            _packed("alone, first and last", [9, 1, 1, 9], 4, oversize="alone"),
            _packed("two alone, one after the other", [1, 9, 9, 1], 4, oversize="alone"),
            _packed("dropped, and counted", [3, 5, 1, 2], 4, oversize="drop"),
            _packed("dropped while one is aside", [3, 2, 9, 1], 4, ahead=2, oversize="drop"),
            _packed("by count nothing is above", [100, 1], None, 2, oversize="refuse"),
        ],
    ),
    Group(
        "FLOW-20",
        [
            _fixed("groups of nothing", 0, *THREE, says=("batch_size", "0")),
            _fixed("groups of less than nothing", -2, *THREE, says=("batch_size", "-2")),
            _fixed("an end that there is not", 2, *THREE, end="pad", says=("epoch_end", "pad")),
            _packed("both limits", [1, 2], 8, 2, says=("max_sequence_length", "max_samples_per_batch")),
            _packed("neither limit", [1, 2], says=("max_sequence_length", "max_samples_per_batch")),
            _packed("a budget of nothing", [1, 2], 0, says=("max_sequence_length", 0)),
            _packed("groups of no samples", [1, 2], None, 0, says=("max_samples_per_batch", 0)),
            _packed("no look-ahead at all", [1, 2], 8, ahead=0, says=("lookahead_limit", 0)),
            _packed("a policy that there is not", [1, 2], 8, oversize="cut", says=("oversize", "cut")),
        ],
    ),
    Group(
        "FLOW-12",
        [
            _fixed("drop would leave out every epoch as a whole", 4, *THREE, end="drop", says=("3", "4")),
            _fixed(
                "drop_last would leave out the whole stream", 5, THREE[0], ends=True, drop_last=True, says=("3", "5")
            ),
            _packed(
                "every sample is above the budget, and would be dropped", [5, 6, 7], 4, oversize="drop", says=(3, 4)
            ),
            _packed("no sample is lost at the end of a stream", [2, 2, 2], 2),
        ],
    ),
)
