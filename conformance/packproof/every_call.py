"""Every call that a packer answers, one after the other, for rules that speak of each of them."""

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
    """As `calls`, on a packer of its own, with what made it ready in front."""
    driver = subject.fresh(model)
    yield f"{subject.target}()" if subject.built_ready else f"setup({driver.model!r})", None
    yield from calls(subject, driver, sample)


def calls(subject: Subject, driver: Driver, sample: Sample) -> Iterator[tuple[str, Any]]:
    """Makes each call once, and those on batches once more with padding; yields it as text, and its answer.

    Policy inputs come as their fields. A call of the rollout side that fails is left out: chapter rollout speaks.
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
    for protocol, call, arguments in _rollout_side(sample):
        if protocol in subject.capabilities:
            try:
                with driver.calling(f"{call}(...)"):
                    answer = getattr(driver.packer, call)(*arguments)
            except CallFailed:
                continue
            yield driver.last_call, answer


def _rollout_side(sample: Sample) -> list[tuple[str, str, tuple[Any, ...]]]:
    item, prompts = observation(sample.prompt), ["one prompt", "another"]
    return [
        ("RolloutPacker", "get_rollout_input", (item,)),
        ("PretokenizedRolloutPacker", "get_pretokenized_rollout_input", (item, [7, 8])),
        ("RolloutHooks", "rollout_collate_fn", (prompts,)),
        ("RolloutHooks", "get_rollout_output", (prompts,)),
        ("BatchSlicer", "batch_size", ([item, item],)),
        ("BatchSlicer", "slice_batch", ([item, item], 0, 1)),
        ("SpecialTokenGuard", "adds_special_tokens", ()),
    ]
