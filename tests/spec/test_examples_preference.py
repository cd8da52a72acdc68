"""The worked examples of the chapter on preference pairs, assembled again by the chapter's own definitions."""

from collections.abc import Sequence

from transformers import AutoTokenizer
from worked_tables import example, intro

from packer_spec.oracle.masks import mask
from packproof.models import model_path


def filled(values: Sequence[object], width: int, filler: object = "pad") -> list[str]:
    """A row as the tables print it: the values and then filler."""
    return [str(one) for one in [*values, *[filler] * (width - len(values))]]


def test_the_batch_of_two_pairs_is_all_winners_and_then_all_losers() -> None:
    """The introduction's four rows and masks are those of its two pairs at a width of 4."""
    pairs = [([110, 111], [120, 121], [130]), ([210], [220], [230, 231, 232])]
    table = intro("preference", "0")
    answers = [(prompt, winner) for prompt, winner, _ in pairs] + [(prompt, loser) for prompt, _, loser in pairs]
    for number, (prompt, answer) in enumerate(answers):
        _, ids, masks = table.row(str(number))
        assert ids.split(", ") == filled(prompt + answer, 4)
        assert masks.split(", ") == filled(mask(len(prompt), len(answer)), 4, 0)
    assert [table.row(str(number))[0] for number in range(4)] == [
        *("winner of pair 0", "winner of pair 1", "loser of pair 0", "loser of pair 1")
    ]


def test_answers_are_encoded_apart_from_the_prompt() -> None:
    """PREF-2's rows on `tiny-gpt2` are prompt, answer and end, and one encoding of both joins the space and the `4`."""
    tokenizer = AutoTokenizer.from_pretrained(model_path("tiny-gpt2"))
    table = example("preference", "PREF-2")

    def ids(text: str) -> list[int]:
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    for side, answer in (("winner", "4"), ("loser", "$4")):
        assert table.numbers(f"expected, {side}") == [*ids("a "), *ids(answer), tokenizer.eos_token_id]
        assert table.numbers(f"got, {side}") == [*ids("a " + answer), tokenizer.eos_token_id]


def test_a_text_answer_gets_one_terminator_and_no_start() -> None:
    """PREF-3's row on `tiny-llama3` ends in the end-of-sequence id; the defaults put BOS before the answer instead."""
    tokenizer = AutoTokenizer.from_pretrained(model_path("tiny-llama3"))
    table = example("preference", "PREF-3")
    prompt, answer = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("Hi", "yes"))
    assert table.row("reads") == [f"`{one}`" for one in tokenizer.batch_decode([[one] for one in prompt])]
    assert table.numbers("expected") == [*prompt, *answer, tokenizer.eos_token_id]
    assert table.numbers("got") == [*prompt, *tokenizer("yes")["input_ids"]]


def test_the_mask_speaks_of_predictions() -> None:
    """PREF-4's expected mask is the formula's for two ids each; aligned to ids it stands one place to the right."""
    table = example("preference", "PREF-4")
    expected = [bool(one) for one in mask(2, 2)]
    assert table.flags("expected") == expected
    assert table.flags("got") == [False, *expected[:-1]]


def test_the_winners_prompt_hides_that_the_losers_differs() -> None:
    """PREF-5's row of the loser begins with the winner's stored prompt ids instead of its own."""
    table = example("preference", "PREF-5")
    winners, losers = [110, 111], [110, 112]
    assert table.numbers("prompt of the loser") == losers
    assert table.numbers("got, row of the loser") == [*winners, 130]


def test_an_over_long_side_shows_its_length() -> None:
    """PREF-8's winner has five ids, and the rows that come of a cut are both sides at a width of 4."""
    table = example("preference", "PREF-8")
    winner, loser = [110, 111, 120, 121, 122], [110, 111, 130]
    assert f"length {len(winner)} and limit 4" in table.row("expected")[0]
    assert (table.row("got, row 0"), table.row("got, row 1")) == (filled(winner[:4], 4), filled(loser, 4))


def test_reference_logprobs_stand_where_the_mask_is_true() -> None:
    """PREF-10's expected row holds the two logprobs at the two predictions, and 0.0 elsewhere."""
    table = example("preference", "PREF-10")
    recorded = [-0.5, -0.25]
    flags = table.flags("logprob_masks")
    assert flags == [bool(one) for one in mask(2, 2)]
    left = iter(recorded)
    assert table.numbers("expected") == [next(left) if flag else 0.0 for flag in flags]
    assert table.numbers("got") == [0.0, *table.numbers("expected")[:-1]]


def test_filler_is_not_marked() -> None:
    """PREF-12's expected mask is the row's own and then False; filled with ones it marks two places of filler."""
    table = example("preference", "PREF-12")
    own = [bool(one) for one in mask(1, 1)]
    assert table.row("input_ids") == filled([110, 120], 4)
    assert table.flags("expected") == [*own, False, False]
    assert table.flags("got") == [*own, True, True]


def test_a_cached_answer_is_appended_to_once() -> None:
    """PREF-13's expected row is prompt, answer and one terminator; the other has the terminator of two calls."""
    table = example("preference", "PREF-13")
    assert table.row("expected, second call") == filled([110, 120, 102], 4)
    assert table.row("got, second call") == filled([110, 120, 102, 102], 4)
