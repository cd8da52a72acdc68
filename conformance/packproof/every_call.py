"""Every call that a packer answers, one after the other, for rules that speak of each of them."""

import tempfile
from collections.abc import Iterator
from typing import Any

from packer_schemas.cases import Sample
from packproof.driver import Driver, observation
from packproof.subject import Subject
from packproof.views import fields_of
from packproof.violation import CallFailed

__all__ = ["SECOND", "calls", "calls_from_setup"]

SECOND = Sample(prompt_ids=[7, 8], completion=[9, 10], n_ignore_prefix_tokens=1)
"""A second sample, for batches of several rows and for packers that have been used before."""


def calls_from_setup(subject: Subject, model: str | None, sample: Sample) -> Iterator[tuple[str, Any]]:
    """As `calls`, on a packer of its own, with what made it ready in front, and `save_state` at the end."""
    driver = subject.fresh(model)
    yield f"{subject.target}()" if subject.built_ready else f"setup({driver.model!r})", None
    yield from calls(subject, driver, sample)
    if "SavesState" in subject.capabilities:
        with tempfile.TemporaryDirectory(prefix="packproof-") as folder:
            yield _tried(driver, "save_state(folder)", folder)


def calls(subject: Subject, driver: Driver, sample: Sample) -> Iterator[tuple[str, Any]]:
    """Makes each call once, and those on batches once more with padding; yields it as text, and its answer.

    Policy inputs come as their fields. A call beside the policy side that fails has None for its answer: other rules
    speak of that, and what it did before it failed is still its doing.
    """
    rows = []
    for one in (sample, SECOND):
        rows.append(driver.policy_input(one))
        yield driver.last_call, fields_of(rows[-1].raw)
    for some, spare in ((rows[:1], 0), (rows, 1)):
        width = driver.max_len(some)
        yield driver.last_call, width
        batch = driver.collate(some, max(len(row.ids) for row in some) + spare)
        yield driver.last_call, batch.columns
    for protocol, call, arguments in _beside(sample):
        if protocol in subject.capabilities:
            yield _tried(driver, call, *arguments)


def _tried(driver: Driver, call: str, *arguments: Any) -> tuple[str, Any]:
    try:
        with driver.calling(call):
            return call, getattr(driver.packer, call.partition("(")[0])(*arguments)
    except CallFailed:
        return call, None


def _beside(sample: Sample) -> list[tuple[str, str, tuple[Any, ...]]]:
    item, prompts = observation(sample.prompt), ["one prompt", "another"]
    return [
        ("RolloutPacker", "get_rollout_input(sample)", (item,)),
        ("PretokenizedRolloutPacker", "get_pretokenized_rollout_input(sample, [7, 8])", (item, [7, 8])),
        ("RolloutHooks", "rollout_collate_fn(inputs)", (prompts,)),
        ("RolloutHooks", "get_rollout_output(texts)", (prompts,)),
        ("RolloutHooks", "get_rollout_output(ids)", ([[9, 10], [7]],)),
        ("BatchSlicer", "batch_size(samples)", ([item, item],)),
        ("BatchSlicer", "slice_batch(samples, 0, 1)", ([item, item], 0, 1)),
        ("SpecialTokenGuard", "adds_special_tokens()", ()),
        ("SpecialTokenGuard", "assert_no_special_tokens()", ()),
    ]
