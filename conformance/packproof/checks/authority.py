"""Chapter authority: stored ids are data, text is only a view of them."""

import copy
from typing import Any

from packer_schemas.cases import BadIdsCase, IdContainerCase, PolicyCase, RefusedPromptCase, Sample
from packproof.containers import contain
from packproof.driver import REFUSALS, Driver, policy_call
from packproof.expect import expect_ids, expect_mask
from packproof.registry import check
from packproof.strategies import ROUTES, id_containers, policies
from packproof.strategies_bad import bad_ids, refused_completions
from packproof.subject import Subject
from packproof.views import PolicyView
from packproof.violation import CallFailed, Unexercised


@check("AUTH-1", cases=policies(completion=("ids", "text"), completion_len=(0, 6)))
def auth_1(subject: Subject, case: PolicyCase) -> None:
    """Stored prompt ids open the sequence exactly as stored."""
    driver, stored = subject.on(case.model), case.sample.prompt_ids or []
    row = driver.policy_input(case.sample)
    if row.ids[: len(stored)] == stored:
        return  # AUTH-2 and AUTH-3 speak of what follows
    completion = driver.completion_ids(case.sample.completion)
    end = len(row.ids) - len(completion)
    before = row.ids[:end] if row.ids[end:] == completion else row.ids[: len(stored)]
    tokenizer = _tokenizer(subject, driver)
    fault = "the prompt text, encoded" if before == _encoded_or_none(tokenizer, case.sample.prompt) else ""
    expect_ids(row.call, stored, before, tokenizer=tokenizer, fault=fault)


@check("AUTH-2", cases=policies(ROUTES, completion=("ids",)))
def auth_2(subject: Subject, case: PolicyCase) -> None:
    """Completion ids follow the prompt exactly as sampled."""
    driver, sampled = subject.on(case.model), _streams(case.sample)["completion"]
    prompt = _prompt_ids(subject, driver, case.sample)
    if not prompt:
        return  # AUTH-5 speaks of empty prompts
    row = driver.policy_input(case.sample)
    derived = case.sample.prompt_ids is None and sampled
    if derived and row.ids[len(row.ids) - len(sampled) :] == sampled:
        return  # AUTH-4 speaks of what is in front
    tokenizer = _tokenizer(subject, driver)
    if row.ids[: len(prompt)] == prompt:  # else AUTH-1 or AUTH-4 speaks
        expect_ids(row.call, sampled, row.ids[len(prompt) :], tokenizer=tokenizer, at=len(prompt))
    for repeated in (prompt, prompt[len(prompt) // 2 :] + sampled):
        echo = driver.policy_input(case.sample.model_copy(update={"prompt_ids": prompt, "completion": list(repeated)}))
        if echo.ids[: len(prompt)] == prompt:
            expect_ids(echo.call, repeated, echo.ids[len(prompt) :], tokenizer=tokenizer, at=len(prompt))


@check("AUTH-3", cases=policies(ROUTES, completion=("text",)))
def auth_3(subject: Subject, case: PolicyCase) -> None:
    """A text completion is encoded without special tokens, and nothing is added to it."""
    driver = subject.on(case.model)
    _expect_encoded(subject, driver, case.sample, driver.policy_input(case.sample))
    empty = case.sample.model_copy(update={"completion": ""})
    try:
        row = driver.policy_input(empty)
    except CallFailed:
        return  # MASK-5 speaks
    _expect_encoded(subject, driver, empty, row)


@check("AUTH-4", cases=policies(ROUTES, prompt=("text", "conversation")))
def auth_4(subject: Subject, case: PolicyCase) -> None:
    """Without stored ids the prompt is the rollout input, encoded without special tokens."""
    driver = subject.on(case.model)
    sampled = driver.completion_ids(case.sample.completion)
    expected = _prompt_ids(subject, driver, case.sample)
    if not expected:
        return  # AUTH-5 speaks of empty prompts
    stored = driver.policy_input(case.sample.model_copy(update={"prompt_ids": expected}))
    row = driver.policy_input(case.sample)
    as_one = isinstance(case.sample.completion, str) and row.ids == _encoded_as_one(subject, driver, case.sample)
    known = not as_one and stored.ids[len(expected) :] == sampled  # else AUTH-2 or AUTH-3 speaks
    if known and row.ids[len(row.ids) - len(sampled) :] == sampled:
        got = row.ids[: len(row.ids) - len(sampled)]
        fault = "generation prompt missing" if got == _without_generation_prompt(driver, case.sample.prompt) else ""
        expect_ids(row.call, expected, got, tokenizer=driver.tokenizer, fault=fault)


@check("AUTH-5", cases=policies(special=False), puts_in={"prompt": "", "prompt_ids": [0]})
def auth_5(subject: Subject, case: PolicyCase) -> None:
    """A prompt that encodes to no ids is refused with ValueError."""
    driver, sample = subject.on(case.model), case.sample.model_copy(update={"prompt": "", "prompt_ids": None})
    if driver.encode(""):
        raise Unexercised("the tokenizer encodes the empty string to something")
    if "RolloutPacker" in subject.capabilities and _becomes_text(driver, ""):
        return  # ROLL-1 speaks
    _refuse(driver, sample, list(sample.completion), None, (ValueError,))


@check("AUTH-6", cases=policies(special=False), puts_in={"prompt_ids": [0]})
def auth_6(subject: Subject, case: PolicyCase) -> None:
    """An empty list of stored prompt ids is refused with ValueError, never read as absent."""
    driver, ids = subject.on(case.model), _streams(case.sample)["prompt_ids"]
    for container in ("list", "tuple", "numpy int64", "tensor int64"):
        if container == "list" or _reads(driver, case.sample, contain(ids, container)):  # else AUTH-7 speaks
            _refuse(driver, case.sample, list(case.sample.completion), contain([], container), (ValueError,))


@check("AUTH-7", cases=id_containers)
def auth_7(subject: Subject, case: IdContainerCase) -> None:
    """Ids are accepted alike as lists, tuples, NumPy integers and one-dimensional integer tensors."""
    driver, sample = subject.on(case.model), case.sample
    as_lists = driver.policy_input(sample)
    other = {name: contain(ids, case.container) for name, ids in _streams(sample).items()}
    row = driver.policy_input(sample, **other)
    fault = f"{case.container} read differently"
    expect_ids(row.call, as_lists.ids, row.ids, fault=fault)
    expect_mask(row.call, as_lists.ids, as_lists.marks, row.marks, fault=fault)


@check("AUTH-8", cases=bad_ids)
def auth_8(subject: Subject, case: BadIdsCase) -> None:
    """Ids that are bools, floats or negative numbers are refused with ValueError or TypeError."""
    import numpy as np
    import torch

    arrays = [torch.tensor(case.ids), np.array(case.ids)]  # in which a bool among integers becomes one of them
    wrong = [one for one in arrays if str(one.dtype).removeprefix("torch.") != "int64" or bool((one < 0).any())]
    for ids in (list(case.ids), [_of_numpy(one) for one in case.ids], *wrong):
        streams: dict[str, Any] = {"prompt_ids": [110], "completion": [120], case.stream: ids}
        _refuse(subject.on(case.model), Sample(completion=[]), streams["completion"], streams["prompt_ids"])


@check("AUTH-9", cases=refused_completions)
def auth_9(subject: Subject, case: RefusedPromptCase) -> None:
    """A completion that is neither text nor ids is refused with ValueError or TypeError."""
    _refuse(subject.on(case.model), Sample(completion=[]), case.prompt, [110])


def _of_numpy(one: Any) -> Any:
    """An entry as a NumPy scalar of its kind, as lists of ids hold them too."""
    import numpy as np

    kinds = {bool: np.bool_, float: np.float32, int: np.int64}
    return kinds.get(type(one), lambda same: same)(one)


def _expect_encoded(subject: Subject, driver: Driver, sample: Sample, row: PolicyView) -> None:
    """The row ends with its text completion, encoded alone and without special tokens."""
    stored, text = sample.prompt_ids, str(sample.completion)
    expected = driver.encode(text)
    start = max(len(row.ids) - len(expected), 0) if stored is None else len(stored)
    if row.ids[:start] == (stored or row.ids[:start]):  # else AUTH-1 speaks
        got, fault = row.ids[start:], ""
        if text and got == _encoded_or_none(driver.tokenizer, text.strip()):
            fault = "white space at the ends lost"
        if text and stored is None and row.ids == _encoded_as_one(subject, driver, sample):
            fault = "encoded as one text with the prompt"
        expect_ids(row.call, expected, got, tokenizer=driver.tokenizer, at=start, fault=fault)


def _prompt_ids(subject: Subject, driver: Driver, sample: Sample) -> list[int]:
    """The stored prompt ids, or else the rollout input, encoded."""
    if sample.prompt_ids is not None:
        return list(sample.prompt_ids)
    asked = driver.rollout_input(sample.prompt) if "RolloutPacker" in subject.capabilities else None
    if not isinstance(asked, str):
        raise Unexercised("the rollout input is not text")
    return driver.encode(asked)


def _reads(driver: Driver, sample: Sample, prompt_ids: Any) -> bool:
    """Whether the packer takes prompt ids in this container as it takes a list."""
    try:
        return driver.policy_input(sample, prompt_ids=prompt_ids).ids == driver.policy_input(sample).ids
    except CallFailed:
        return False


def _refuse(
    driver: Driver, sample: Sample, completion: Any, prompt_ids: Any, accept: tuple[type[Exception], ...] = REFUSALS
) -> None:
    call = policy_call(sample, completion, prompt_ids)
    own = copy.deepcopy((completion, prompt_ids))  # the case stays whole, whatever the packer does to them
    driver.refuses(call, lambda: driver.answer(sample, *own), accept)


def _encoded_or_none(tokenizer: Any, *texts: Any) -> list[int] | None:
    """The ids of joined texts, to recognise them; None without a tokenizer, and for a conversation."""
    if tokenizer is None or not all(isinstance(text, str) for text in texts):
        return None
    return list(tokenizer("".join(texts), add_special_tokens=False).input_ids)


def _encoded_as_one(subject: Subject, driver: Driver, sample: Sample) -> list[int] | None:
    if isinstance(sample.prompt, str) or "RolloutPacker" not in subject.capabilities:
        return _encoded_or_none(driver.tokenizer, sample.prompt, sample.completion)
    return _encoded_or_none(driver.tokenizer, driver.rollout_input(sample.prompt), sample.completion)


def _without_generation_prompt(driver: Driver, prompt: Any) -> list[int] | None:
    if isinstance(prompt, str):
        return None
    bare = driver.tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=False)
    return _encoded_or_none(driver.tokenizer, bare)


def _becomes_text(driver: Driver, prompt: str) -> bool:
    """Whether the rollout side makes other text of a prompt; refusing it is no text."""
    try:
        return driver.rollout_input(prompt) != prompt
    except CallFailed:
        return False


def _tokenizer(subject: Subject, driver: Driver) -> Any:
    return driver.tokenizer if "UsesTokenizer" in subject.capabilities else None


def _streams(sample: Sample) -> dict[str, list[int]]:
    return {"prompt_ids": list(sample.prompt_ids or ()), "completion": list(sample.completion)}  # pyright: ignore[reportReturnType]
