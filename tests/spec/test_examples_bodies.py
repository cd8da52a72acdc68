"""The worked examples of the chapter on rollout bodies, with its tokenizers, logarithms and filter."""

import math
from collections.abc import Sequence

import pytest
from transformers import AutoTokenizer
from worked_tables import example, intro, tables

from packer_spec.oracle.masks import mask
from packproof.models import model_path

LLAMA = AutoTokenizer.from_pretrained(model_path("tiny-llama3"))
QWEN = AutoTokenizer.from_pretrained(model_path("tiny-qwen"))


def bare(text: str) -> list[int]:
    """The ids of a text on `tiny-llama3` without special tokens."""
    return LLAMA(text, add_special_tokens=False)["input_ids"]


def test_the_record_of_the_example_is_that_of_the_engines_ids() -> None:
    """Entries of logprobs, rows of routing and the mask follow from P = 3 and C = 3; text loses both ends."""
    table = intro("bodies", "the model's ids")
    prompt, completion = LLAMA("Hi")["input_ids"], [*bare("yes"), LLAMA.eos_token_id]
    assert table.numbers("the model's ids") == prompt + completion
    assert table.row("recorded in") == ["`prompt_ids`"] * 3 + ["`completion_ids`"] * 3
    assert table.row("entry of `logprobs`") == ["", "", "", "0", "1", "2"]
    assert table.numbers("row of routing") == list(range(5))
    assert table.numbers("the mask a packer makes of it") == mask(len(prompt), len(completion))
    assert table.row("a record rebuilt from text") == ["", *(str(one) for one in [*bare("Hi"), *bare("yes")])]


@pytest.mark.parametrize(("rule_id", "expected", "got"), [("BODY-2", False, True), ("BODY-4", True, False)])
def test_the_prompt_with_and_without_special_tokens(rule_id: str, expected: bool, got: bool) -> None:
    """BODY-2 and BODY-4 print the ids of `Hi` on `tiny-llama3`: by the defaults, and without special tokens."""
    table = example("bodies", rule_id)
    assert table.numbers("expected") == LLAMA("Hi", add_special_tokens=expected)["input_ids"]
    assert table.numbers("got") == LLAMA("Hi", add_special_tokens=got)["input_ids"]


def test_sampled_ids_are_not_what_their_text_encodes_to() -> None:
    """BODY-3 and BODY-5: 71 and 68 read `he` on `tiny-qwen`, which is one id where the text is encoded."""
    text = QWEN.decode([71, 68])
    assert example("bodies", "BODY-3").row("expected") == [f"`{text}`", "71 68"]
    table = example("bodies", "BODY-5")
    assert table.numbers("given") == table.numbers("expected") == [71, 68]
    assert table.numbers("got") == QWEN(text, add_special_tokens=False)["input_ids"]


def test_the_stop_token_is_among_the_sampled_ids() -> None:
    """BODY-6's sampled ids end in the end-of-sequence id, which text without special tokens does not give back."""
    table = example("bodies", "BODY-6")
    sampled = [*bare("yes"), LLAMA.eos_token_id]
    assert table.numbers("sampled") == table.numbers("expected") == sampled
    assert table.numbers("got") == bare(LLAMA.decode(sampled, skip_special_tokens=True))


def test_logprobs_are_natural_logarithms_of_the_ids_probabilities() -> None:
    """BODY-7's entries are the logarithms of 0.5, 0.25 and 0.1, and the other list is one place off."""
    table = example("bodies", "BODY-7")
    entries = [math.log(one) for one in (0.5, 0.25, 0.1)]
    assert table.numbers("expected") == pytest.approx(entries, abs=1e-6)
    assert table.numbers("got") == pytest.approx([*entries[1:], 0.0], abs=1e-6)


def test_a_missing_logprob_is_marked_by_its_position() -> None:
    """BODY-8's expected mark is the place of the entry that is no number; 0.0 stands there otherwise."""
    table = example("bodies", "BODY-8")
    engine = table.numbers("engine")
    missing = [at for at, one in enumerate(engine) if not math.isfinite(one)]
    assert table.row("expected") == [f"no `logprobs`, and `logprobs_missing` is `{missing}`"]
    assert table.numbers("got") == [one if math.isfinite(one) else 0.0 for one in engine]


def test_a_record_has_a_row_less_than_the_ids() -> None:
    """BODY-9's rows are L - 1 for P = 2 and C = 2."""
    table = example("bodies", "BODY-9")
    length = 2 + 2
    assert table.numbers("ids, L") == [length] * 2
    assert table.row("expected, record") == [f"{length - 1} rows"] * 2


def test_a_critic_that_encodes_again_loses_the_start() -> None:
    """BODY-17's ids are `Hi` by the defaults and 120; encoded by the packer they lack the first."""
    table = example("bodies", "BODY-17")
    assert table.numbers("policy") == table.numbers("expected, critic") == [*LLAMA("Hi")["input_ids"], 120]
    assert table.numbers("got, critic") == [*bare("Hi"), 120]


Completion = tuple[str, list[int], float]


def shared(one: Sequence[int], other: Sequence[int]) -> int:
    """The number of equal ids at the beginning of both."""
    return next(
        (i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )


def candidates(group: Sequence[Completion], at: int, least: int) -> list[tuple[str, int]]:
    """The pairs that count for the completion at this place, by the formula of BODY-20."""
    _, ids, reward = group[at]
    found = [(name, shared(ids, other)) for name, other, rewarded in group if rewarded != reward]
    return [(name, number) for name, number in found if least <= number < len(ids)]


def test_the_shared_prefix_is_the_longest_with_another_reward() -> None:
    """BODY-20's table of five follows from its ids and rewards with m = 2, and the break from its first three rows."""
    table, broken = tables("bodies")["BODY-20"]
    group = [(name, [int(one) for one in ids.split()], float(reward)) for name, (ids, reward, *_) in table.rows.items()]
    for at, (name, ids, _) in enumerate(group):
        found = candidates(group, at, 2)
        number = max((length for _, length in found), default=0)
        _, _, printed, n, left = table.row(name)
        assert int(n) == number
        assert left.split() == [str(one) for one in ids[number:]]
        if found:
            assert printed == ", ".join(f"{other}: {length}" for other, length in found)
        else:
            assert printed.startswith("none: ")
    first = group[:3]
    assert broken.numbers("expected") == [
        max(length for _, length in candidates(first, at, 2)) for at in range(len(first))
    ]
    common = min(shared(first[0][1], ids) for _, ids, _ in first)
    assert broken.numbers("got") == [common] * 3
