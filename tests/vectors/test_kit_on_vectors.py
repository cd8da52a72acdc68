"""What the kit's checks expect is what the vectors say: they pass its answers, and nothing one entry beside them."""

from collections.abc import Iterator
from typing import Any

import pytest
from oracle_packer import Script, scripted
from outcomes import ids_of, of

from packproof.checks.masks import _formula
from packproof.registry import check_for
from packproof.runner import replay_case
from packproof.subject import Subject
from packproof.toy_model import selected_pairs
from packproof.vectors import case_of

ROWS, BATCHES = Script(), Script()


@pytest.fixture(scope="module")
def subject() -> Subject:
    """A subject that answers by the scripts, and else as the oracle does; it is built once."""
    return Subject(scripted(ROWS, BATCHES))


@pytest.fixture(autouse=True)
def reset() -> None:
    """Every test begins with empty scripts."""
    ROWS.asked = BATCHES.asked = None


def status(subject: Subject, vector: Any) -> str:
    """How the check of the vector's rule judges the subject on the vector alone."""
    outcome = replay_case(check_for(vector.requirement), subject, case_of(vector))
    assert outcome.status in ("pass", "fail"), outcome
    return outcome.status


def changed(values: list[int]) -> Iterator[list[int]]:
    """The list with one entry changed, for each of its entries."""
    for at, value in enumerate(values):
        yield [*values[:at], 1 - value if value in (0, 1) else value + 1, *values[at + 1 :]]


@of("masks", "MASK-1", "MASK-2", "MASK-3", "MASK-5", "MASK-6", "MASK-7", "MASK-8")
def test_a_mask_is_expected_entry_by_entry(subject: Subject, vector: Any) -> None:
    """The check passes the vector's mask, and fails every mask that differs from it in what the rule speaks of."""
    given, mask = vector.input, vector.expected.logprob_masks
    ids = [*given.prompt_ids, *given.completion]
    ROWS.asked = [given.prompt_ids, given.completion, given.n_ignore_prefix_tokens]
    ROWS.answer = {"input_ids": ids, "logprob_masks": mask}
    assert status(subject, vector) == "pass"
    wrong = {"MASK-1": [mask[:-1], [*mask, 0]], "MASK-8": [[float(one) for one in mask]]}
    for other in wrong.get(vector.requirement) or changed(mask):
        ROWS.answer = {"input_ids": ids, "logprob_masks": other}
        assert status(subject, vector) == "fail", other


@of("masks")
def test_the_formula_of_the_checks_is_that_of_the_vectors(vector: Any) -> None:
    """The checks' own mask equals that of the vector, and the toy model selects what the vector selects."""
    if vector.error is None:
        given = vector.input
        sizes = len(given.prompt_ids), len(given.completion), given.n_ignore_prefix_tokens
        assert _formula(*sizes) == vector.expected.logprob_masks
        ids = [*given.prompt_ids, *given.completion]
        picked = sorted(selected_pairs(ids, vector.expected.logprob_masks), key=lambda pair: len(pair[0]))
        assert [id for _, id in picked] == vector.expected.selected


@of("authority", "AUTH-1", "AUTH-2")
def test_ids_are_expected_entry_by_entry(subject: Subject, vector: Any) -> None:
    """AUTH-1 fails every row with one prompt id changed, AUTH-2 every row with one completion id changed."""
    ids, prompt = vector.expected.input_ids, ids_of(vector.input.prompt_ids)
    border = len(prompt)
    ROWS.asked = [prompt, ids_of(vector.input.completion), 0]
    ROWS.answer = {"input_ids": ids, "logprob_masks": [0] * len(ids)}
    assert status(subject, vector) == "pass"
    for at, other in enumerate(changed(ids)):
        ROWS.answer = {"input_ids": other, "logprob_masks": [0] * len(ids)}
        own = (at < border) == (vector.requirement == "AUTH-1")
        assert status(subject, vector) == ("fail" if own else "pass"), other


@of("masks", "MASK-4")
def test_an_n_that_is_taken_is_found(subject: Subject, vector: Any) -> None:
    """The check tries the very n of the vector: a packer that takes that one alone fails."""
    given = vector.input
    ROWS.asked = [given.prompt_ids, given.completion, given.n_ignore_prefix_tokens]
    ROWS.answer = None
    assert status(subject, vector) == "pass"
    ROWS.answer = {"input_ids": [110], "logprob_masks": [0]}
    assert status(subject, vector) == "fail"


@of("authority", "AUTH-6", "AUTH-8", "AUTH-9")
def test_ids_that_are_taken_are_found(subject: Subject, vector: Any) -> None:
    """The check hands over the very ids of the vector: a packer that takes them fails."""
    if case_of(vector) is None:
        assert vector.requirement == "AUTH-8"  # the kit does not try what is no list of numbers
        return
    ROWS.asked = [ids_of(vector.input.prompt_ids), ids_of(vector.input.completion), 0]
    ROWS.answer = None
    assert status(subject, vector) == "pass"
    ROWS.answer = {"input_ids": [110], "logprob_masks": [0]}
    assert status(subject, vector) == "fail"


def batch_of(vector: Any, pad: int) -> dict[str, list[list[int]]]:
    """The vector's batch, filled up with the pad id of the packer at hand."""
    lengths = [len(one.input_ids) for one in vector.input.samples]
    rows = zip(vector.expected.input_ids, lengths, strict=True)
    ids = [[*row[:length], *[pad] * (len(row) - length)] for row, length in rows]
    return {"input_ids": ids, "logprob_masks": vector.expected.logprob_masks}


@of("collation", "COLL-4", "COLL-5", "COLL-6", "COLL-7")
def test_a_batch_is_expected_cell_by_cell(subject: Subject, vector: Any) -> None:
    """Ids, filler ids, filler masks and masks: a changed cell fails the rule that it belongs to, and no other."""
    case = case_of(vector)
    if case is None:
        assert "the trainer" in vector.note  # COLL-7 overwrites masks by itself
        return
    right = batch_of(vector, subject.on(case.model).tokenizer.pad_token_id)
    BATCHES.asked = [[one.model_dump() for one in vector.input.samples], vector.input.max_len]
    BATCHES.answer = right
    assert status(subject, vector) == "pass"
    owners = {"input_ids": ("COLL-4", "COLL-5"), "logprob_masks": ("COLL-7", "COLL-6")}
    for name, (of_data, of_filler) in owners.items():
        for number, sample in enumerate(vector.input.samples):
            for at, row in enumerate(changed(right[name][number])):
                BATCHES.answer = right | {name: [*right[name][:number], row, *right[name][number + 1 :]]}
                owner = of_data if at < len(sample.input_ids) else of_filler
                assert status(subject, vector) == ("fail" if owner == vector.requirement else "pass"), (name, row)


@of("collation", "COLL-3")
def test_a_batch_of_another_width_is_found(subject: Subject, vector: Any) -> None:
    """COLL-3 passes the vector's batch, and fails one that has a column more or less."""
    right = batch_of(vector, subject.on(None).tokenizer.pad_token_id)
    BATCHES.asked = [[one.model_dump() for one in vector.input.samples], vector.input.max_len]
    for wrong, width in (("pass", 0), ("fail", 1), ("fail", -1)):
        BATCHES.answer = {name: [[*row, 0][: len(row) + width] for row in rows] for name, rows in right.items()}
        assert status(subject, vector) == wrong


@of("collation", "COLL-11", "COLL-12")
def test_a_batch_that_is_made_is_found(subject: Subject, vector: Any) -> None:
    """The check asks for the very batch of the vector: a packer that makes it fails."""
    BATCHES.asked = [[one.model_dump() for one in vector.input.samples], vector.input.max_len]
    BATCHES.answer = None
    assert status(subject, vector) == "pass"
    BATCHES.answer = {"input_ids": [[110]], "logprob_masks": [[0]]}
    assert status(subject, vector) == "fail"
