"""Chapter masks: which predictions a policy input marks."""

from packer_schemas.cases import BatchCase, PolicyCase
from packproof.expect import expect_mask
from packproof.registry import check
from packproof.strategies import ROUTES, batches, policies
from packproof.subject import Subject
from packproof.toy_model import selected_pairs
from packproof.views import PolicyView
from packproof.violation import Violation


@check("MASK-1", cases=policies(ignore=True, completion_len=(0, 6)))
def mask_1(subject: Subject, case: PolicyCase) -> None:
    """The mask has one entry per input id."""
    row = subject.on(case.model).policy_input(case.sample)
    if len(row.mask) != len(row.ids):
        raise Violation.of(
            row.call,
            rows={"position": list(range(len(row.ids))), "input_ids": row.ids, "got": row.marks},
            fault=f"{len(row.mask)} entries for {len(row.ids)} ids",
        )


@check("MASK-2", cases=policies(prompt_len=(2, 6), special=False))
def mask_2(subject: Subject, case: PolicyCase) -> None:
    """The mask marks exactly the predictions of completion tokens."""
    _expect_formula(subject, case)


@check("MASK-3", cases=policies(prompt_len=(2, 6), special=False, ignore=True))
def mask_3(subject: Subject, case: PolicyCase) -> None:
    """n_ignore_prefix_tokens takes that many predictions off the front of the completion."""
    _expect_formula(subject, case)


@check("MASK-4", cases=policies(completion_len=(0, 4), special=False))
def mask_4(subject: Subject, case: PolicyCase) -> None:
    """An n_ignore_prefix_tokens below zero or above the completion length is refused with ValueError."""
    driver = subject.on(case.model)
    for count in (-1, len(case.sample.completion) + 1, len(case.sample.completion) + 3):
        sample = case.sample.model_copy(update={"n_ignore_prefix_tokens": count})
        ids, prompt_ids = list(sample.completion), list(sample.prompt_ids or ())
        call = f"get_policy_input(sample, {ids}, n_ignore_prefix_tokens={count}, prompt_ids={prompt_ids})"
        driver.refuses(call, lambda: driver.answer(sample, ids, prompt_ids), (ValueError,))  # noqa: B023  called at once


@check("MASK-5", cases=policies(prompt_len=(2, 6), completion_len=(0, 0)))
def mask_5(subject: Subject, case: PolicyCase) -> None:
    """An empty completion is legal and its mask is all zero."""
    _expect_formula(subject, case)


@check("MASK-6", cases=policies(prompt_len=(1, 1), special=False))
def mask_6(subject: Subject, case: PolicyCase) -> None:
    """With a one-token prompt the mask starts at position zero."""
    _expect_formula(subject, case)


@check("MASK-7", cases=policies(prompt_len=(2, 4)))
def mask_7(subject: Subject, case: PolicyCase) -> None:
    """A special token in the completion is marked like any other, also when it is the end or the pad token."""
    special = subject.on(case.model).vocabulary.special_ids
    ids = list(case.sample.completion)
    for id in special:
        finished = case.sample.model_copy(update={"completion": [*ids, id]})
        _expect_formula(subject, case.model_copy(update={"sample": finished}))


@check("MASK-8", cases=policies(ignore=True, completion_len=(0, 6)))
def mask_8(subject: Subject, case: PolicyCase) -> None:
    """Mask entries are the integers 0 and 1, or booleans."""
    row = subject.on(case.model).policy_input(case.sample)
    strange = [value for value in row.mask if not isinstance(value, (bool, int)) or value not in (0, 1)]
    if strange:
        raise Violation.of(row.call, expected="0 or 1", got=repr(strange[0]), fault="not a mask entry")


@check("MASK-9", cases=batches(ROUTES, ignore=True))
def mask_9(subject: Subject, case: BatchCase) -> None:
    """On every route, the next-token predictions that the collated mask selects are the completion's, no more and no fewer."""
    driver = subject.on(case.model)
    rows = [driver.policy_input(sample) for sample in case.samples]
    batch = driver.collate(rows, max(len(row.ids) for row in rows) + case.extra_width)
    for number, (sample, row) in enumerate(zip(case.samples, rows, strict=True)):
        completion = _completion_ids(sample.completion, driver)
        prompt_len = len(row.ids) - len(completion)
        if row.ids[prompt_len:] != completion or batch.row_ids(number)[: len(row.ids)] != row.ids:
            return  # AUTH-2, AUTH-3 and COLL-4 speak of the ids
        first = prompt_len + sample.n_ignore_prefix_tokens
        wanted = {(tuple(row.ids[:end]), row.ids[end]) for end in range(first, len(row.ids))}
        if selected_pairs(batch.row_ids(number), batch.row_marks(number)) != wanted:
            got = batch.row_marks(number)
            marks = _formula(prompt_len, len(completion), sample.n_ignore_prefix_tokens)
            padded = marks + [0] * (len(got) - len(marks))
            expect_mask(row.call, batch.row_ids(number), padded, got, prompt_len=prompt_len)


def _expect_formula(subject: Subject, case: PolicyCase) -> None:
    row = subject.on(case.model).policy_input(case.sample)
    prompt_len, completion_len = len(case.sample.prompt_ids or ()), len(case.sample.completion)
    if not _well_formed(row, prompt_len + completion_len):
        return
    expected = _formula(prompt_len, completion_len, case.sample.n_ignore_prefix_tokens)
    expect_mask(row.call, row.ids, expected, row.marks, prompt_len=prompt_len)


def _well_formed(row: PolicyView, length: int) -> bool:
    """Whether ids and mask have the right length; MASK-1 and the AUTH rules speak of those."""
    return len(row.ids) == len(row.mask) == length


def _formula(prompt_len: int, completion_len: int, ignored: int) -> list[int]:
    return [0] * (prompt_len - 1 + ignored) + [1] * (completion_len - ignored) + [0]


def _completion_ids(completion: str | list[int], driver: object) -> list[int]:
    if isinstance(completion, list):
        return completion
    return list(driver.tokenizer(completion, add_special_tokens=False).input_ids)  # pyright: ignore[reportAttributeAccessIssue]
