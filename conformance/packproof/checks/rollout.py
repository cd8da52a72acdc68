"""Chapter rollout: what the engine is asked to generate from."""

import copy
from collections.abc import Mapping
from typing import Any

from packer_schemas.cases import BatchCase, PretokenizedCase, PromptCase, RefusedPromptCase
from packproof.driver import finished, listed, observation, short
from packproof.expect import as_integer, expect_equal, expect_ids
from packproof.faults import name_text_fault
from packproof.registry import check
from packproof.strategies import ROUTES, batches, pretokenized, prompts
from packproof.strategies_bad import refused_prompts
from packproof.subject import Subject
from packproof.violation import CallFailed, NotTested, Unexercised, Violation
from packproof.wording import plural


@check("ROLL-1", cases=prompts("text"))
def roll_1(subject: Subject, case: PromptCase) -> None:
    """A string prompt passes through verbatim."""
    driver = subject.on(case.model)
    got = _plain(driver.rollout_input(case.prompt))
    expect_equal(driver.last_call, case.prompt, got, fault=name_text_fault(case.prompt, got))


@check("ROLL-2", cases=prompts("conversation", turns=(1, 2, 3, 5, 12), rich=True))
def roll_2(subject: Subject, case: PromptCase) -> None:
    """A conversation is rendered with the tokenizer's chat template and the generation prompt."""
    driver = subject.on(case.model)
    if not driver.vocabulary.has_template:
        raise Unexercised("the tokenizer has no chat template")
    expected = _render(driver.tokenizer, case.prompt, add_generation_prompt=True)
    got = _plain(driver.rollout_input(case.prompt))
    bare = _render(driver.tokenizer, case.prompt, add_generation_prompt=False)
    fault = "generation prompt missing" if got == bare != expected else name_text_fault(expected, got)
    expect_equal(driver.last_call, expected, got, fault=fault)


@check("ROLL-3", cases=refused_prompts)
def roll_3(subject: Subject, case: RefusedPromptCase) -> None:
    """A prompt that is neither a string nor a conversation is refused with ValueError or TypeError."""
    driver = subject.on(case.model)
    call = f"get_rollout_input({case.prompt!r})"
    driver.refuses(call, lambda: driver.packer.get_rollout_input(observation(case.prompt)))


@check("ROLL-4", cases=prompts("conversation", "text"))
def roll_4(subject: Subject, case: PromptCase) -> None:
    """Building a rollout input leaves the sample as it was."""
    driver, item = subject.on(case.model), observation(case.prompt)
    before = copy.deepcopy(item.representations)
    driver.rollout_input(case.prompt, item)
    expect_equal(f"{driver.last_call}, the sample afterwards", before, item.representations, fault="changed")


@check("ROLL-5", cases=pretokenized)
def roll_5(subject: Subject, case: PretokenizedCase) -> None:
    """Pretokenised prompt ids reach the engine exactly."""
    driver, ids = subject.on(case.model), list(case.token_ids)
    call = f"get_pretokenized_rollout_input(sample, {short(case.token_ids)})"
    with driver.calling(call):
        answer = finished(driver.packer.get_pretokenized_rollout_input(observation(case.prompt), ids), call)
    got = answer.get("prompt_token_ids") if isinstance(answer, Mapping) else None
    if got is None:
        raise CallFailed(call, f"returned {type(answer).__name__}", "a mapping with prompt_token_ids")
    tokenizer = driver.tokenizer if "UsesTokenizer" in subject.capabilities else None
    expect_ids(call, case.token_ids, listed(got, call), tokenizer=tokenizer)


@check("ROLL-6", cases=prompts("text", "conversation"))
def roll_6(subject: Subject, case: PromptCase) -> None:
    """rollout_collate_fn returns the rollout inputs it was given, in order."""
    driver = subject.on(case.model)
    inputs = [case.prompt, "second", "second", "a third", "second"]
    given = copy.deepcopy(inputs)
    with driver.calling(f"rollout_collate_fn({inputs})"):
        got = driver.packer.rollout_collate_fn(given)
    expect_equal(driver.last_call, inputs, listed(got, driver.last_call))
    expect_equal(f"{driver.last_call}, the inputs afterwards", inputs, given, fault="changed")


@check("ROLL-7", cases=batches(ROUTES))
def roll_7(subject: Subject, case: BatchCase) -> None:
    """get_rollout_output returns the completions it was given, in order."""
    driver = subject.on(case.model)
    completions = [sample.completion for sample in case.samples]
    with driver.calling(f"get_rollout_output({completions})"):
        got = driver.packer.get_rollout_output(copy.deepcopy(completions))
    expect_equal(driver.last_call, completions, [_as_completion(one) for one in listed(got, driver.last_call)])


@check("ROLL-8", cases=batches(ROUTES))
def roll_8(subject: Subject, case: BatchCase) -> None:
    """batch_size is the number of samples."""
    driver, items = subject.on(case.model), _items(case)
    with driver.calling(f"batch_size({_counted(items)})"):
        got = driver.packer.batch_size(items)
    expect_equal(driver.last_call, len(items), as_integer(got))


@check("ROLL-9", cases=batches(ROUTES))
def roll_9(subject: Subject, case: BatchCase) -> None:
    """slice_batch slices as Python does."""
    driver, items = subject.on(case.model), _items(case)
    count = len(items)
    bounds = [(0, count), (0, 1), (1, count), (count, count + 1), (0, 0), (-1, count), (0, -1), (count, 0), (1, 0)]
    for start, end in (*bounds, (-count - 2, count), (-count - 2, 1), (0, -count - 2)):
        call, batch = f"slice_batch({_counted(items)}, {start}, {end})", list(items)
        with driver.calling(call):
            got = listed(driver.packer.slice_batch(batch, start, end), call)
        _expect_samples(call, items, range(count)[start:end], got)
        _expect_samples(f"{call}, the batch afterwards", items, range(count), batch)


def _expect_samples(call: str, items: list[Any], wanted: range, got: Any) -> None:
    """The very samples `wanted`, by their numbers, and no others."""
    numbers = [next((i for i, item in enumerate(items) if item is one), None) for one in got]
    if numbers != list(wanted):
        raise Violation.of(call, expected=f"samples {list(wanted)}", got=f"samples {numbers}")


def _as_completion(entry: Any) -> Any:
    """A completion of a list: ids are the same ids in whatever they come."""
    entry = entry.tolist() if hasattr(entry, "tolist") else entry
    return list(entry) if isinstance(entry, tuple) else _plain(entry)


def _plain(text: Any) -> Any:
    """A string of a subclass as the string that it is."""
    return str.__str__(text) if isinstance(text, str) else text


def _counted(items: list[Any]) -> str:
    return f"{len(items)} {plural(len(items), 'sample')}"


def _items(case: BatchCase) -> list[Any]:
    return [observation(sample.prompt) for sample in case.samples]


def _render(tokenizer: Any, prompt: Any, *, add_generation_prompt: bool) -> str:
    try:
        return tokenizer.apply_chat_template(
            copy.deepcopy(prompt), tokenize=False, add_generation_prompt=add_generation_prompt
        )
    except Exception as error:
        raise NotTested(f"the chat template does not take this conversation: {error}") from error
