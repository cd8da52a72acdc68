"""Chapter collation: from policy inputs to one right-padded batch."""

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from packer_schemas.cases import BatchCase, Sample
from packproof.driver import Driver, sample_lengths
from packproof.expect import as_integer, expect_equal, expect_ids, expect_mask, expect_same_input
from packproof.registry import check
from packproof.same import same
from packproof.strategies import IDS, batches
from packproof.subject import Subject
from packproof.trainer import overwritten, silenced
from packproof.views import BatchView, PolicyView
from packproof.violation import NotTested, Unexercised, Violation

_SEVERAL = batches(IDS, least=2, ignore=True, completion_len=(0, 6))
_ANY = batches(IDS, ignore=True, completion_len=(0, 6))


@check("COLL-1", cases=_SEVERAL)
def coll_1(subject: Subject, case: BatchCase) -> None:
    """The batch holds input_ids as int64 with one row per sample."""
    _, rows, batch = _collated(subject, case)
    _expect_kind(batch, batch.ids, "int64", len(rows))


@check("COLL-2", cases=_SEVERAL)
def coll_2(subject: Subject, case: BatchCase) -> None:
    """The batch holds logprob_masks as bool with one row per sample."""
    _, rows, batch = _collated(subject, case)
    _expect_kind(batch, batch.mask, "bool", len(rows))


@check("COLL-3", cases=_SEVERAL)
def coll_3(subject: Subject, case: BatchCase) -> None:
    """Every row is exactly as wide as the max_len asked for."""
    _, rows, batch = _collated(subject, case)
    width = _width(rows, case)
    for name, column in (("input_ids", batch.ids), ("logprob_masks", batch.mask)):
        if column.shape[-1] != width:
            raise Violation.of(batch.call, expected=f"{name} {width} wide", got=f"{column.shape[-1]} wide")


@check("COLL-4", cases=_SEVERAL)
def coll_4(subject: Subject, case: BatchCase) -> None:
    """Every row begins with its sample's ids, so that filler stands on the right."""
    _, rows, batch = _collated(subject, case)
    for number, row in _readable_rows(batch, rows):
        got = batch.row_ids(number)
        left = got != row.ids and got[len(got) - len(row.ids) :] == row.ids
        other = next((k for k, one in enumerate(rows) if k != number and got[: len(one.ids)] == one.ids), None)
        fault = "padded on the left" if left else "" if other is None else f"the ids of sample {other}"
        expect_ids(f"{batch.call}, row {number}", row.ids, got[: len(row.ids)], fault=fault)


@check("COLL-5", cases=batches(IDS, least=2, ignore=True, completion_len=(0, 6)))
def coll_5(subject: Subject, case: BatchCase) -> None:
    """Filler ids are the pad id, also when that is zero or the end-of-sequence id."""
    driver, rows, batch = _collated(subject, case)
    pad = driver.tokenizer.pad_token_id
    if pad is None:
        raise Unexercised("the tokenizer declares neither a pad token nor an end of sequence")
    for number, row in _placed_rows(batch, rows):
        filler = batch.row_ids(number)[len(row.ids) :]
        call = f"{batch.call}, filler of row {number} (pad id {pad})"
        expect_ids(call, [pad] * len(filler), filler, at=len(row.ids), fault="not the pad id")


@check("COLL-6", cases=_SEVERAL)
def coll_6(subject: Subject, case: BatchCase) -> None:
    """Filler positions are masked out."""
    _, rows, batch = _collated(subject, case)
    for number, row in _placed_rows(batch, rows):
        filler = batch.row_marks(number)[len(row.ids) :]
        if any(filler):
            marks = [*row.marks, *([0] * len(filler))]
            got = [*row.marks, *filler]
            expect_mask(f"{batch.call}, row {number}", batch.row_ids(number), marks, got, fault="padding trained")


@check("COLL-7", cases=_SEVERAL)
def coll_7(subject: Subject, case: BatchCase) -> None:
    """Every row begins with its sample's mask."""
    driver = subject.on(case.model)
    _, rows, batch = _collated(subject, case)
    _expect_masks(batch, rows, driver.vocabulary.special_ids)
    for end in driver.vocabulary.special_ids:  # real ends are the marks that get lost
        ended = case.model_copy(update={"samples": [_ended(sample, end) for sample in case.samples]})
        _, ended_rows, batch = _collated(subject, ended)
        _expect_masks(batch, ended_rows, lost="special token untrained")
    for in_place, how in ((False, "set their masks to zero"), (True, "written zeros into their masks")):
        with silenced(rows, in_place=in_place) as quiet:
            batch = driver.collate(quiet, _width(rows, case))
            _expect_masks(BatchView(batch.columns, f"{batch.call}, after the trainer has {how}"), quiet)


@check("COLL-8", cases=_SEVERAL)
def coll_8(subject: Subject, case: BatchCase) -> None:
    """A row does not depend on the other samples of its batch."""
    driver = subject.on(case.model)
    rows = _rows(driver, case)
    other = case.samples[0].model_copy(update={"prompt_ids": [7], "completion": [8, 9], "n_ignore_prefix_tokens": 1})
    other_row = driver.policy_input(other)
    width = max(_width(rows, case), len(other_row.ids))
    first = driver.collate(rows, width)
    batch, names, names_of_rows = first.kept(), _names(first), _names_of_rows(driver, rows, first, width)
    for place, word in ((len(rows) - 1, "last"), (0, "first")):
        changed = driver.collate([*rows[:place], other_row, *rows[place + 1 :]], width)
        numbers = [number for number in range(len(rows)) if number != place]
        if first.ids.shape == changed.ids.shape and first.mask.shape == changed.mask.shape:  # else COLL-3 speaks
            call = f"{batch.call}, its {word} sample replaced"
            expect_equal(f"{call}: names in the batch", names, _names(changed))
            _expect_rows(call, batch, changed, dict.fromkeys(names_of_rows, numbers))


@check("COLL-9", cases=_SEVERAL)
def coll_9(subject: Subject, case: BatchCase) -> None:
    """Permuting the samples permutes the rows."""
    driver, rows, first = _collated(subject, case)
    batch = first.kept()
    turned = driver.collate(rows[::-1], _width(rows, case)).kept()
    names = _names_of_rows(driver, rows, batch, _width(rows, case))
    back = {name: column.flip(0) for name, column in turned.columns.items() if column.dim()}
    call = f"{batch.call}, in reverse order"
    _expect_rows(call, batch, BatchView(back, turned.call), dict.fromkeys(names, range(len(rows))))


@check("COLL-10", cases=batches(IDS, most=1, ignore=True, completion_len=(0, 6)))
def coll_10(subject: Subject, case: BatchCase) -> None:
    """A batch of one sample has one row like any other."""
    driver, rows, batch = _collated(subject, case)
    pair = driver.collate(rows * 2, _width(rows, case))
    for name, alone, one_of_two in (("input_ids", batch.ids, pair.ids), ("logprob_masks", batch.mask, pair.mask)):
        expected, got = (f"{_dtype(column)} {list(column.shape)}" for column in (one_of_two[:1], alone))
        if expected != got:
            raise Violation.of(batch.call, expected=f"{name} {expected}", got=got)
        if alone.tolist() != one_of_two[:1].tolist():
            raise Violation.of(batch.call, expected=f"{name} {one_of_two[:1].tolist()}", got=f"{alone.tolist()}")


@check("COLL-11", cases=batches(IDS, most=1, extra=False))
def coll_11(subject: Subject, case: BatchCase) -> None:
    """Zero samples are refused with ValueError."""
    driver = subject.on(case.model)
    for width in (0, len(case.samples[0].completion)):
        call = f"policy_collate_fn([], {width})"
        driver.refuses(call, lambda: driver.packer.policy_collate_fn([], width), (ValueError,))  # noqa: B023  called at once


@check("COLL-12", cases=batches(IDS, ignore=True, extra=False))
def coll_12(subject: Subject, case: BatchCase) -> None:
    """A max_len below the longest sample is refused with ValueError."""
    driver = subject.on(case.model)
    rows = _rows(driver, case)
    for width in dict.fromkeys((_longest(rows) - 1, 1, 0, -1)):
        raws = [row.raw for row in _rows(driver, case)]  # new ones: COLL-14 speaks of what a refusal leaves
        call = f"policy_collate_fn({sample_lengths(rows)}, {width})"
        driver.refuses(call, lambda: driver.packer.policy_collate_fn(raws, width), (ValueError,))  # noqa: B023  called at once


@check("COLL-13", cases=_ANY)
def coll_13(subject: Subject, case: BatchCase) -> None:
    """Collating the same samples again gives an equal batch of its own."""
    driver = subject.on(case.model)
    rows = _rows(driver, case)
    raws, width = [row.raw for row in rows], _longest(rows) + case.extra_width
    first = driver.collate(rows, width, raws)
    kept = first.kept()
    with overwritten(first) as columns:
        second = driver.collate(rows, width, raws)
        call = f"{first.call}, again after the first batch was overwritten"
        sizes = {name: range(column.shape[0] if column.dim() else 1) for name, column in kept.columns.items()}
        _expect_rows(call, kept, second, sizes)
        for name, column in columns.items():
            if not bool((column == 1).all()):
                got = "the second one in the memory of the first"
                raise Violation.of(f"{call}: {name}", expected="two batches", got=got)


@check("COLL-14", cases=_ANY)
def coll_14(subject: Subject, case: BatchCase) -> None:
    """Collation leaves its samples as they were."""
    driver = subject.on(case.model)
    rows = _rows(driver, case)
    raws = [row.raw for row in rows]
    longest, before = _longest(rows), [PolicyView.of(one, "") for one in _copied(raws)]

    def expect_untouched(call: str) -> None:
        call = f"{call}, the samples afterwards"
        expect_equal(call, len(before), len(raws), fault="samples added or removed")
        for number, (old, new) in enumerate(zip(before, raws, strict=True)):
            expect_same_input(f"{call}, sample {number}", old, PolicyView.of(new, call), "changed")

    driver.max_len(rows, raws)
    expect_untouched(driver.last_call)
    batch = driver.collate(rows, longest + case.extra_width, raws)
    expect_untouched(batch.call)
    with overwritten(batch):
        expect_untouched(f"{batch.call}, and the batch overwritten")
    call = f"policy_collate_fn({sample_lengths(rows)}, {longest - 1})"
    with suppress(Exception):  # COLL-12 speaks of what it raises
        driver.packer.policy_collate_fn(raws, longest - 1)
    expect_untouched(call)


@check("COLL-15", cases=_ANY)
def coll_15(subject: Subject, case: BatchCase) -> None:
    """policy_compute_max_len is the length of the longest sample."""
    driver = subject.on(case.model)
    rows = _rows(driver, case)
    got = driver.max_len(rows)
    expect_equal(driver.last_call, _longest(rows), as_integer(got))


def _rows(driver: Driver, case: BatchCase) -> list[PolicyView]:
    return [driver.policy_input(sample) for sample in case.samples]


def _longest(rows: Sequence[PolicyView]) -> int:
    return max(len(row.ids) for row in rows)


def _width(rows: Sequence[PolicyView], case: BatchCase) -> int:
    return _longest(rows) + case.extra_width


def _ended(sample: Sample, end: int) -> Sample:
    if isinstance(sample.completion, str):
        return sample
    return sample.model_copy(update={"completion": [*sample.completion, end]})


def _collated(subject: Subject, case: BatchCase) -> tuple[Driver, list[PolicyView], BatchView]:
    driver = subject.on(case.model)
    rows = _rows(driver, case)
    return driver, rows, driver.collate(rows, _width(rows, case))


def _readable_rows(batch: BatchView, rows: Sequence[PolicyView]) -> list[tuple[int, PolicyView]]:
    """The rows that both tensors hold in full; COLL-1 to COLL-3 and MASK-1 speak of the others."""
    count = min(batch.ids.shape[0], batch.mask.shape[0]) if batch.ids.dim() == batch.mask.dim() == 2 else 0
    return [
        (number, row)
        for number, row in enumerate(rows[:count])
        if len(row.ids) == len(row.mask) <= min(batch.ids.shape[1], batch.mask.shape[1])
    ]


def _placed_rows(batch: BatchView, rows: Sequence[PolicyView]) -> list[tuple[int, PolicyView]]:
    """The readable rows, where each begins with its sample's ids; where one does not, COLL-4 speaks of the batch."""
    readable = _readable_rows(batch, rows)
    placed = all(batch.row_ids(number)[: len(row.ids)] == row.ids for number, row in readable)
    return readable if placed else []


def _copied(raws: list[Any]) -> list[Any]:
    try:
        return copy.deepcopy(raws)
    except Exception as error:
        raise NotTested(f"the policy inputs cannot be copied: {error}") from error


def _names_of_rows(driver: Driver, rows: list[PolicyView], batch: BatchView, width: int) -> list[str]:
    """The tensors with one entry per sample on their first axis: twice the samples, twice the entries."""
    both = batch, driver.collate(rows * 2, width)
    once, twice = ({name: tuple(column.shape[:1]) for name, column in one.column_tensors().items()} for one in both)
    return [name for name, size in once.items() if size == (len(rows),) and twice.get(name) == (2 * len(rows),)]


def _expect_masks(batch: BatchView, rows: Sequence[PolicyView], special: Sequence[int] = (), *, lost: str = "") -> None:
    """Every row begins with its sample's mask; `lost` names the fault where there are too few marks."""
    for number, row in _placed_rows(batch, rows):
        got = batch.row_marks(number)[: len(row.marks)]
        fault = lost if sum(got) < sum(row.marks) else ""
        expect_mask(f"{batch.call}, row {number}", row.ids, row.marks, got, special=special, fault=fault)


def _names(batch: BatchView) -> list[str]:
    return sorted(map(str, batch.columns))


def _dtype(column: Any) -> str:
    return str(column.dtype).removeprefix("torch.")


def _expect_kind(batch: BatchView, column: Any, dtype: str, rows: int) -> None:
    kind = _dtype(column)
    if kind != dtype or column.dim() != 2 or column.shape[0] != rows:
        raise Violation.of(batch.call, expected=f"{dtype} [{rows}, L]", got=f"{kind} {list(column.shape)}")


def _expect_rows(call: str, expected: BatchView, got: BatchView, rows: Mapping[str, Sequence[int]]) -> None:
    """The `rows` of each named tensor are equal in both batches, in dtype and values."""
    import torch

    now = got.column_tensors()
    for name, numbers in rows.items():
        before, after = torch.atleast_1d(expected.columns[name]), torch.atleast_1d(now.get(name, torch.empty(0)))
        for number in numbers:
            want, have = before[number], after[number] if number < len(after) else None
            if not same(want, have):
                told = _told(want, have)
                raise Violation.of(f"{call}: {name}, row {number}", expected=told[0], got=told[1])


def _told(want: Any, have: Any) -> tuple[Any, Any]:
    """Two different rows: by their values, or by their dtypes where the values are the same."""
    if have is None:
        return want.tolist(), "absent"
    if want.dtype != have.dtype and want.tolist() == have.tolist():
        return _dtype(want), _dtype(have)
    return want.tolist(), have.tolist()
