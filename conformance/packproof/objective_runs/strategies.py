"""Strategies for what objectives are tried on: what is scored, what the loss reaches, and what it is divided by."""

from functools import cache
from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.objective_cases import (
    BatchField,
    ClippedCase,
    DividedCase,
    FieldsCase,
    GradientCase,
    HandedOverCase,
    HandedRow,
    PairedCase,
    ScoredCase,
    ScoredRow,
    UnshapedCase,
)
from packproof.objective_runs.fields import MEDIA, TYING
from packproof.objective_runs.strategies_rows import (
    counted_ids,
    kinds,
    marked,
    sampled_or_not,
    silenced,
    some_rows,
    weighing,
)

__all__ = ["clipped", "divided", "fields", "gradients", "handed_over", "paired", "scored", "unshaped"]

_texts = st.sampled_from(["a", "Hi", "two words", "xyz"])


@cache
def handed_over() -> st.SearchStrategy[HandedOverCase]:
    """Rows with both kinds of ids, with one, with none, with empty ones, beside texts that say something else."""

    def row(number: int) -> st.SearchStrategy[HandedRow]:
        first = 100 * number + 10
        completion = counted_ids(first + 10, 0, 3)
        return st.builds(
            HandedRow,
            prompt=_texts,
            prompt_ids=counted_ids(first, 1, 3) | st.none() | st.just([]),
            completion=_texts | completion,
            completion_ids=completion | st.none(),
            n_ignore_prefix_tokens=st.integers(0, 1),
        ).map(_counted)

    return st.builds(
        HandedOverCase,
        objective=kinds,
        rows=st.integers(1, 2).flatmap(lambda count: st.tuples(*map(row, range(1, count + 1))).map(list)),
    )


def _counted(row: HandedRow) -> HandedRow:
    completion = row.completion if row.completion_ids is None else row.completion_ids
    return row.model_copy(update={"n_ignore_prefix_tokens": min(row.n_ignore_prefix_tokens, len(completion))})


@cache
def scored(*, by_hand: bool = False, ignored: bool = True, unrecorded: bool = False) -> st.SearchStrategy[ScoredCase]:
    """Rows with ratios; with n, and with n out of range where rows are to be shaped `by_hand`.

    Where they may be `unrecorded`, the policy gradient is given some without logprobs.
    """
    rows = some_rows(prompt=(1, 3), completion=(0, 4), ratios=True, ignored=ignored)
    if by_hand:
        beyond = st.integers(1, 2).map(
            lambda more: [ScoredRow(prompt_ids=[110], completion_ids=[120], n_ignore_prefix_tokens=more * 3 - 4)]
        )
        rows = st.one_of(rows, rows, rows, beyond)
    plain = st.builds(ScoredCase, objective=kinds, with_packer=st.booleans(), rows=rows)
    if not unrecorded:
        return plain
    several = some_rows(2, 3, prompt=(1, 3), completion=(0, 4), ratios=True, ignored=ignored)
    silent = st.sampled_from([(True, False, True), (False, True, True), (False, True, False), (False, False, False)])
    some = st.builds(silenced, several, silent)
    return plain | st.builds(ScoredCase, objective=st.just("policy_gradient"), rows=some)


@cache
def unshaped() -> st.SearchStrategy[UnshapedCase]:
    """A trajectory that lacks something, among others that lack nothing."""
    lacks = st.sampled_from(["prompt_ids", "prompt_ids that are not empty", "completion_ids", "media"])
    return st.builds(UnshapedCase, objective=kinds, lacks=lacks, place=st.integers(0, 3), after=st.integers(0, 2))


@cache
def fields() -> st.SearchStrategy[FieldsCase]:
    """Any few fields, both kinds of models; replay with routing in the batch."""
    some = st.lists(st.sampled_from(get_args(BatchField)), max_size=3, unique=True).map(_one_of_a_name)
    plain = st.builds(
        FieldsCase,
        objective=kinds,
        fields=some,
        media=st.sampled_from(list(MEDIA)),
        whole_batches=st.booleans(),
    )
    replayed = st.builds(
        FieldsCase,
        fields=some.map(lambda given: sorted({*given, "forward_replay_routing"})),
        whole_batches=st.booleans(),
        routing_replay=st.just(True),
    )
    taken = st.builds(
        FieldsCase,
        objective=kinds,
        fields=some.map(lambda given: sorted({*given, "forward_replay_routing", "pixel_values"})),
        whole_batches=st.just(True),
    )
    untying = [one for one in get_args(BatchField) if one not in TYING and one != "forward_replay_routing"]
    kept_for_others = st.builds(
        FieldsCase,
        objective=kinds,
        fields=st.lists(st.sampled_from(untying), min_size=1, max_size=3, unique=True),
    )
    return st.one_of(plain, plain, replayed, taken, kept_for_others)


def _one_of_a_name(given: list[Any]) -> list[Any]:
    return list({field.partition(" ")[0]: field for field in given}.values())


@cache
def gradients() -> st.SearchStrategy[GradientCase]:
    """Rows of all lengths; n for the policy gradient, which reads no stream."""
    values = st.sampled_from(["numbers", "NaN", "infinity"])
    plain = {"unselected": values}
    return st.builds(
        GradientCase,
        objective=st.just("policy_gradient"),
        rows=some_rows(prompt=(1, 4), completion=(0, 4), ignored=True),
        **plain,
    ) | st.builds(GradientCase, objective=st.just("clipped"), rows=some_rows(prompt=(1, 4), completion=(0, 4)), **plain)


@cache
def paired() -> st.SearchStrategy[PairedCase]:
    """Rows with n, or with ids nobody sampled; logprobs for the clipped objective, lists of advantages for both."""
    plain = some_rows(most=2, completion=(1, 3), ignored=True, advantages=st.just(1.0)).map(weighing)
    rows = st.builds(marked, plain, sampled_or_not)
    logprobs = st.builds(PairedCase, stream=st.just("logprobs"), rows=rows)
    advantages = st.builds(PairedCase, objective=kinds, stream=st.just("advantages"), rows=rows)
    return logprobs | advantages


@cache
def divided() -> st.SearchStrategy[DividedCase]:
    """Rows of different length, scored at once or in parts; advantages of 0 count in the denominator too.

    Ids that were not sampled do not, and logits are in half precision too.
    """
    advantages = st.sampled_from([1.0, -1.0, 2.0, 0.0])
    return st.builds(
        DividedCase,
        objective=kinds,
        rows=st.builds(marked, some_rows(1, 4, advantages=advantages), sampled_or_not),
        logits=st.sampled_from(["float32", "float32", "bfloat16", "float16"]),
        denominator=st.sampled_from(
            ["of the call", "of the call", "of the step", "of the step", "one", "zero", "below zero"]
        ),
        part=st.integers(1, 3),
    )


@cache
def clipped() -> st.SearchStrategy[ClippedCase]:
    """All sides of the clip, several ratios in a row, other bounds, and bounds that are refused."""
    bounds = st.sampled_from([(0.2, 0.2), (0.1, 0.28), (0.5, 0.05), (0.0, 0.5)])
    refused = st.sampled_from([(-0.1, 0.2), (1.0, 0.2), (0.2, -0.1)])

    def built(rows: list[ScoredRow], clip: tuple[float, float]) -> ClippedCase:
        return ClippedCase(rows=rows, clip_low=clip[0], clip_high=clip[1])

    single = some_rows(1, 4, completion=(1, 1), ratios=True)
    rows = single | some_rows(1, 2, completion=(1, 4), ratios=True)
    return st.builds(built, rows, bounds | bounds | bounds | refused)
