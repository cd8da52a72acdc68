"""Chapter masks: which predictions a policy input marks."""

import itertools
from functools import partial
from typing import Any

from packer_schemas.cases import BatchCase, PolicyCase, Sample
from packer_schemas.protocols import RolloutPacker
from packproof.capabilities import satisfies
from packproof.driver import Driver, policy_call
from packproof.expect import expect_mask
from packproof.faults import name_ignored_fault, name_length_fault
from packproof.registry import check
from packproof.strategies import ROUTES, batches, policies
from packproof.subject import Subject
from packproof.toy_model import selected_pairs
from packproof.views import BatchView, PolicyView
from packproof.violation import CallFailed, Violation


@check("MASK-1", cases=policies(ROUTES, ignore=True))
def mask_1(subject: Subject, case: PolicyCase) -> None:
    """The mask has one entry per input id."""
    driver = subject.on(case.model)
    row = driver.policy_input(_within_borders(driver, case.sample))
    if len(row.mask) != len(row.ids):
        raise Violation.of(
            row.call,
            rows={"position": list(range(len(row.ids))), "input_ids": row.ids, "got": row.marks},
            fault=name_length_fault(len(row.ids), len(row.mask)),
        )


@check("MASK-2", cases=policies(prompt_len=(2, 6), special=False))
def mask_2(subject: Subject, case: PolicyCase) -> None:
    """The mask marks exactly the predictions of completion tokens."""
    _expect_formula(subject.on(case.model), case.sample)


@check("MASK-3", cases=policies(completion=("ids", "text"), ignore=True))
def mask_3(subject: Subject, case: PolicyCase) -> None:
    """n_ignore_prefix_tokens takes that many predictions off the front of the completion."""
    driver = subject.on(case.model)
    if _keeps_formula(driver, case.sample, n_ignore_prefix_tokens=0):
        _expect_formula(driver, _within_borders(driver, case.sample))


@check("MASK-4", cases=policies(ROUTES, completion_len=(0, 4), special=False), puts_in={"n_ignore_prefix_tokens": 0})
def mask_4(subject: Subject, case: PolicyCase) -> None:
    """An n_ignore_prefix_tokens below zero or above the completion length is refused with ValueError."""
    driver = subject.on(case.model)
    plain = case.sample.model_copy(update={"n_ignore_prefix_tokens": 0})
    driver.policy_input(plain)  # a prompt or a completion that fails by itself is no refusal of n
    if not _as_encoded(driver, case.sample):
        return  # AUTH-3 speaks
    most, own = len(driver.completion_ids(case.sample.completion)), case.sample.n_ignore_prefix_tokens
    outside = [] if 0 <= own <= most else [own]
    for count in dict.fromkeys((*outside, -1, most + 1, most + 3)):
        sample = case.sample.model_copy(update={"n_ignore_prefix_tokens": count}, deep=True)
        call = policy_call(sample, sample.completion, sample.prompt_ids)
        answer = partial(driver.answer, sample, sample.completion, sample.prompt_ids)
        driver.refuses(call, answer, (ValueError,))


@check("MASK-5", cases=policies(prompt_len=(2, 6), completion_len=(0, 0)))
def mask_5(subject: Subject, case: PolicyCase) -> None:
    """An empty completion is legal and its mask is all zero."""
    driver = subject.on(case.model)
    if not _keeps_formula(driver, case.sample, completion=list(case.sample.prompt_ids or ())[:1]):
        return
    _expect_formula(driver, case.sample)
    if not driver.vocabulary.encodes_text or driver.encode(""):
        return
    if _keeps_formula(driver, case.sample, completion="a"):  # else MASK-9 speaks of text completions
        _expect_formula(driver, case.sample.model_copy(update={"completion": ""}))


@check("MASK-6", cases=policies(prompt_len=(1, 1), special=False))
def mask_6(subject: Subject, case: PolicyCase) -> None:
    """With a one-token prompt the mask starts at position zero."""
    driver = subject.on(case.model)
    if _keeps_formula(driver, case.sample, prompt_ids=list(case.sample.prompt_ids or ()) * 2):
        _expect_formula(driver, case.sample)


@check("MASK-7", cases=policies(prompt_len=(2, 4), special=False))
def mask_7(subject: Subject, case: PolicyCase) -> None:
    """A special token in the completion is marked like any other, also when it is the end or the pad token."""
    driver, given = subject.on(case.model), list(case.sample.completion)
    ordinary = next(id for id in itertools.count() if id not in driver.vocabulary.special_ids)
    ids = [ordinary if id in driver.vocabulary.special_ids else id for id in given]
    if not _keeps_formula(driver, case.sample, completion=ids):
        return
    if ids != given:
        _expect_formula(driver, case.sample)
    for id in driver.vocabulary.special_ids:
        for completion in ([*ids, id], [id, *ids], [*ids, id, id]):
            _expect_formula(driver, case.sample.model_copy(update={"completion": completion}))


@check("MASK-8", cases=policies(ROUTES, ignore=True))
def mask_8(subject: Subject, case: PolicyCase) -> None:
    """Mask entries are the integers 0 and 1, or booleans."""
    driver = subject.on(case.model)
    row = driver.policy_input(_within_borders(driver, case.sample))
    dtype = str(getattr(row.raw_mask, "dtype", "int")).removeprefix("torch.")
    if not dtype.startswith(("int", "uint", "bool")):
        raise Violation.of(row.call, expected="integers or booleans", got=f"dtype {dtype}", fault="not a mask entry")
    strange = [value for value in row.mask if not isinstance(value, (bool, int)) or value not in (0, 1)]
    if strange:
        raise Violation.of(row.call, expected="0 or 1", got=repr(strange[0]), fault="not a mask entry")


@check("MASK-9", cases=batches(ROUTES, ignore=True))
def mask_9(subject: Subject, case: BatchCase) -> None:
    """On every route, the next-token predictions that the collated mask selects are the completion's, no more and no
    fewer.
    """
    driver = subject.on(case.model)
    samples = [_within_borders(driver, sample) for sample in case.samples]
    rows = [driver.policy_input(sample) for sample in samples]
    batch = driver.collate(rows, max(len(row.ids) for row in rows) + case.extra_width)
    for number, (sample, row) in enumerate(zip(samples, rows, strict=True)):
        completion = driver.completion_ids(sample.completion)
        prompt_len, ignored = len(row.ids) - len(completion), sample.n_ignore_prefix_tokens
        prompt = row.ids[:prompt_len]
        if not _intact(driver, sample, row, completion) or not _kept(batch, number, row):
            continue
        as_ids = Sample(prompt_ids=prompt, completion=completion, n_ignore_prefix_tokens=ignored)
        ids, marks = batch.row_ids(number)[: len(row.ids)], batch.row_marks(number)[: len(row.ids)]
        wanted = {(tuple(row.ids[:end]), row.ids[end]) for end in range(prompt_len + ignored, len(row.ids))}
        if selected_pairs(ids, marks) != wanted and _keeps_formula(driver, as_ids):
            expected = _formula(prompt_len, len(completion), ignored)
            expect_mask(row.call, ids, expected, marks, prompt_len=prompt_len)


def _expect_formula(driver: Driver, sample: Sample) -> None:
    row = driver.policy_input(sample)
    prompt_len, completion_len = len(sample.prompt_ids or ()), len(driver.completion_ids(sample.completion))
    if len(row.ids) == len(row.mask) == prompt_len + completion_len:  # else MASK-1 and the AUTH rules speak
        ignored, special = sample.n_ignore_prefix_tokens, driver.vocabulary.special_ids
        expected = _formula(prompt_len, completion_len, ignored)
        fault = name_ignored_fault(row.marks, prompt_len, completion_len, ignored) if ignored else ""
        expect_mask(row.call, row.ids, expected, row.marks, prompt_len=prompt_len, special=special, fault=fault)


def _keeps_formula(driver: Driver, sample: Sample, **changes: Any) -> bool:
    """Whether the mask of a simpler sample is right; where it is not, the rule of that sample speaks."""
    try:
        _expect_formula(driver, sample.model_copy(update=changes))
    except CallFailed:
        raise
    except Violation:
        return False
    return True


def _within_borders(driver: Driver, sample: Sample) -> Sample:
    """The sample with no more tokens to ignore than its completion has, which for text the tokenizer has to say."""
    if not sample.n_ignore_prefix_tokens or not isinstance(sample.completion, str):
        return sample
    most = len(driver.completion_ids(sample.completion)) if _as_encoded(driver, sample) else 0
    return sample.model_copy(update={"n_ignore_prefix_tokens": min(sample.n_ignore_prefix_tokens, most)})


def _as_encoded(driver: Driver, sample: Sample) -> bool:
    """Whether the completion becomes the ids that it should; of text that does not, AUTH-3 speaks."""
    if not isinstance(sample.completion, str):
        return True
    stored = list(sample.prompt_ids or [0])  # with a text prompt nobody could tell where the completion begins
    row = driver.policy_input(sample.model_copy(update={"prompt_ids": stored, "n_ignore_prefix_tokens": 0}))
    return row.ids == [*stored, *driver.completion_ids(sample.completion)]


def _formula(prompt_len: int, completion_len: int, ignored: int) -> list[int]:
    return [0] * (prompt_len - 1 + ignored) + [1] * (completion_len - ignored) + [0]


def _intact(driver: Driver, sample: Sample, row: PolicyView, completion: list[int]) -> bool:
    """Whether the row's ids are what its route gives; the AUTH rules and MASK-1 speak of others."""
    prompt = sample.prompt_ids
    if prompt is None and satisfies(driver.packer, RolloutPacker):
        asked = driver.rollout_input(sample.prompt)
        prompt = driver.encode(asked) if isinstance(asked, str) else None
    if prompt is None:
        prompt = row.ids[: max(len(row.ids) - len(completion), 1)]
    return row.ids == [*prompt, *completion] and len(row.mask) == len(row.ids)


def _kept(batch: BatchView, number: int, row: PolicyView) -> bool:
    """Whether collation kept the row's ids and mask in their place; the COLL rules speak of that."""
    if not batch.holds(number, len(row.ids)):
        return False
    return batch.row_ids(number)[: len(row.ids)] == row.ids and batch.row_marks(number)[: len(row.ids)] == row.marks
