"""Vectors as cases: inputs of chapters in the form that the checks of their rules are run on."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from packer_schemas.cases import BadIdsCase, BatchCase, PolicyCase, RefusedPromptCase, Sample
from packer_schemas.routing_cases import RoutedSample, RoutingBatchCase, RoutingMoveCase, RoutingTurnsCase
from packer_spec.oracle.typed_values import value_of
from packproof.vectors.files import vectors

__all__ = ["case_of", "vector_cases"]


def vector_cases(requirement: str) -> tuple[Any, ...]:
    """The vectors of one rule as cases, without those that a case cannot say, the smallest first.

    What is to come out is not taken along: the checks know it by themselves, and the tests of the project hold both
    against each other.
    """
    return _by_requirement().get(requirement, ())


@cache
def _by_requirement() -> dict[str, tuple[Any, ...]]:
    found: dict[str, dict[str, Any]] = {}
    for vector in (vector for name in _MADE_BY for vector in vectors(name)):
        case = case_of(vector)
        if case is not None:
            found.setdefault(vector.requirement, {})[case.model_dump_json()] = case
    return {id: tuple(cases[text] for text in sorted(cases, key=len)) for id, cases in found.items()}


def case_of(vector: Any) -> Any:
    """A vector of masks, authority, collation or routing as a case of its rule.

    None for samples that no packer would make, and for prompt ids of which AUTH-8 says that the kit does not try them.
    """
    given = vector.model_dump(by_alias=True)["input"]
    model = (given.get("tokenizer") or {}).get("model")
    return _MADE_BY[vector.id.partition("-")[0]](vector.requirement, given, model)


def _of_row(requirement: str, given: dict[str, Any], model: str | None) -> Any:
    """A row is a policy case, and for MASK-9, which looks at batches, a batch of one."""
    sample = Sample(**{name: given[name] for name in ("prompt_ids", "completion", "n_ignore_prefix_tokens")})
    if requirement == "MASK-9":
        return BatchCase(model=model, samples=[sample])
    return PolicyCase(model=model, sample=sample)


def _of_ids(requirement: str, given: dict[str, Any], model: str | None) -> Any:
    prompt, completion = _plain(given["prompt_ids"]), _plain(given["completion"])
    if requirement == "AUTH-9":
        return RefusedPromptCase(model=model, prompt=completion)
    if requirement == "AUTH-8":
        if not _is_list_of_numbers(prompt):
            return None
        stream, ids = ("completion", completion) if _are_ids(prompt) else ("prompt_ids", prompt)
        return BadIdsCase(model=model, stream=stream, ids=ids)
    return PolicyCase(model=model, sample=Sample(prompt_ids=prompt, completion=completion))


def _of_batch(requirement: str, given: dict[str, Any], model: str | None) -> Any:
    width = given["max_len"]
    if requirement == "COLL-11":  # the one sample of its cases says no more than the width
        return BatchCase(model=model, samples=[Sample(prompt_ids=[110], completion=[120] * width)])
    made = [_sample(one["input_ids"], one["logprob_masks"]) for one in given["samples"]]
    samples = [sample for sample in made if sample is not None]
    if len(samples) < len(made):
        return None
    longest = max(len(one["input_ids"]) for one in given["samples"])
    return BatchCase(model=model, samples=samples, extra_width=max(0, width - longest))


def _of_routing(requirement: str, given: dict[str, Any], _: str | None) -> Any:
    """A batch, a move of records, or two turns; None for what COLL-12 says, which looks at ids alone."""
    if not requirement.startswith("ROUTE"):
        return None
    if given["kind"] == "turns":
        earlier, later = given["earlier"], given["later"]
        return RoutingTurnsCase(
            earlier_ids=earlier["input_ids"],
            earlier_record=earlier["record"],
            later_ids=later["input_ids"],
            later_record=later["record"],
            first_row=given["first_row"],
        )
    samples = [_routed(one) for one in given.get("samples", [given.get("sample")])]
    if given["kind"] == "cut":
        return RoutingMoveCase(samples=samples, start=given["start"], end=given["stop"])
    if given["kind"] == "join":
        return RoutingMoveCase(samples=samples)
    longest = max(len(one["input_ids"]) for one in given["samples"])
    return RoutingBatchCase(samples=samples, extra_width=given["max_len"] - longest, experts=given["experts"])


def _routed(given: dict[str, Any]) -> RoutedSample:
    """A sample of these ids, of which the first is taken for the prompt."""
    ids = given["input_ids"]
    return RoutedSample(prompt_ids=ids[:1], completion=ids[1:], record=given["record"])


def _sample(ids: list[int], mask: Sequence[int]) -> Sample | None:
    """The sample whose policy input has these ids and this mask; None where no sample has, as when it was overwritten.

    Where the ones begin, the prompt ends; a row without ones is taken for a prompt alone, which has the same mask.
    """
    prompt_len = mask.index(1) + 1 if 1 in mask else len(ids)
    prompt, completion = ids[:prompt_len], ids[prompt_len:]
    if list(mask) != [0] * (prompt_len - 1) + [1] * len(completion) + [0]:
        return None
    return Sample(prompt_ids=prompt, completion=completion)


def _plain(given: Any) -> Any:
    """What a test hands over: JSON integers and lists are what they seem, the rest is a tagged value."""
    if isinstance(given, list):
        return [_plain(entry) for entry in given]
    return given if isinstance(given, int) else value_of(given)


def _is_list_of_numbers(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(one, int | float) for one in given)


def _are_ids(given: Any) -> bool:
    return all(type(one) is int and one >= 0 for one in given)


_MADE_BY = {"masks": _of_row, "authority": _of_ids, "collation": _of_batch, "routing": _of_routing}
