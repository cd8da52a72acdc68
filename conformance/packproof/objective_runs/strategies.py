"""Strategies for what objectives are tried on: few rows, short, with ids that say where they come from.

Prompt ids of the first row are 110, 111, ..., its completion ids 120, 121, ...; those of the second 210 and 220. The
first id of a row is its own, so that a row is found again in whatever batch it stands.
"""

from functools import cache
from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.objective_cases import (
    BatchField,
    CalledTwiceCase,
    ClippedCase,
    DividedCase,
    FieldsCase,
    Filler,
    FillerCase,
    GradientCase,
    HandedOverCase,
    HandedRow,
    ObjectiveKind,
    PairedCase,
    RearrangedCase,
    ScoredCase,
    ScoredRow,
    UnshapedCase,
    WeightlessCase,
)
from packproof.objective_runs.fields import MEDIA

__all__ = [
    "called_twice",
    "clipped",
    "divided",
    "fields",
    "fillers",
    "gradients",
    "handed_over",
    "paired",
    "rearranged",
    "scored",
    "unshaped",
    "weightless",
]

_kinds: st.SearchStrategy[ObjectiveKind] = st.sampled_from(get_args(ObjectiveKind))
_advantages = st.sampled_from([1.0, -1.0, 2.0, 0.5, -0.25])
_ratios = st.sampled_from([1.35, 0.65, 10.0, 0.1, 0.9, 1.1, 3.0, 1.0])
_odd = st.sampled_from([0, 3, 1, 511])


@cache
def _ids(origin: int, least: int, most: int) -> st.SearchStrategy[list[int]]:
    counted = st.integers(least, most).map(lambda count: list(range(origin, origin + count)))
    return counted | st.lists(st.integers(origin, origin + 9) | _odd, min_size=least, max_size=most)


@cache
def _row(
    number: int, prompt: tuple[int, int], completion: tuple[int, int], *, ignored: bool, ratios: bool, advantages: Any
) -> st.SearchStrategy[ScoredRow]:
    first = 100 * number + 10
    least, most = prompt

    def built(rest: list[int], ids: list[int], n: int, given: list[float], advantage: float) -> ScoredRow:
        return ScoredRow(
            prompt_ids=[first, *rest],
            completion_ids=ids,
            n_ignore_prefix_tokens=min(n, len(ids)),
            ratios=given[: len(ids)],
            advantage=advantage,
        )

    return st.builds(
        built,
        _ids(first + 1, least - 1, most - 1),
        _ids(first + 10, *completion),
        st.integers(0, completion[1]) if ignored else st.just(0),
        st.lists(_ratios, min_size=completion[1], max_size=completion[1]) if ratios else st.just([]),
        advantages,
    )


@cache
def _rows(
    least: int = 1,
    most: int = 3,
    *,
    prompt: tuple[int, int] = (2, 4),
    completion: tuple[int, int] = (1, 4),
    ignored: bool = False,
    ratios: bool = False,
    advantages: st.SearchStrategy[float] = _advantages,
) -> st.SearchStrategy[list[ScoredRow]]:
    """Rows of an own number each."""

    def of(count: int) -> st.SearchStrategy[list[ScoredRow]]:
        return st.tuples(
            *[
                _row(number, prompt, completion, ignored=ignored, ratios=ratios, advantages=advantages)
                for number in range(1, count + 1)
            ]
        ).map(list)

    return st.integers(least, most).flatmap(of)


def _weighing(rows: list[ScoredRow]) -> list[ScoredRow]:
    """Rows that have a selected prediction each."""
    kept = []
    for row in rows:
        n = min(row.n_ignore_prefix_tokens, len(row.completion_ids) - 1)
        kept.append(row.model_copy(update={"n_ignore_prefix_tokens": n}))
    return kept


def _silenced(rows: list[ScoredRow], recorded: tuple[bool, ...]) -> list[ScoredRow]:
    """Rows, some of which have no logprobs."""
    pairs = zip(rows, recorded, strict=False)
    return [row.model_copy(update={"logprobs": one}) for row, one in pairs]


_sampled: st.SearchStrategy[list[Any]] = st.sampled_from([[], [0, 1, 1, 1], [1, 0, 1, 0], [0, 1, 0, 0]])


def _marked(rows: list[ScoredRow], said: list[Any]) -> list[ScoredRow]:
    """Rows that were sampled as `said`, if anything is; those of one id, or with n, wholly."""
    free = [bool(said) and len(row.completion_ids) > 1 and not row.n_ignore_prefix_tokens for row in rows]
    pairs = zip(rows, free, strict=True)
    return [row.model_copy(update={"sampled": said[: len(row.completion_ids)] if one else None}) for row, one in pairs]


_texts = st.sampled_from(["a", "Hi", "two words", "xyz"])


@cache
def handed_over() -> st.SearchStrategy[HandedOverCase]:
    """Rows with both kinds of ids, with one, with none, with empty ones, beside texts that say something else."""

    def row(number: int) -> st.SearchStrategy[HandedRow]:
        first = 100 * number + 10
        completion = _ids(first + 10, 0, 3)
        return st.builds(
            HandedRow,
            prompt=_texts,
            prompt_ids=_ids(first, 1, 3) | st.none() | st.just([]),
            completion=_texts | completion,
            completion_ids=completion | st.none(),
            n_ignore_prefix_tokens=st.integers(0, 1),
        ).map(_counted)

    return st.builds(
        HandedOverCase,
        objective=_kinds,
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
    rows = _rows(prompt=(1, 3), completion=(0, 4), ratios=True, ignored=ignored)
    if by_hand:
        beyond = st.integers(1, 2).map(
            lambda more: [ScoredRow(prompt_ids=[110], completion_ids=[120], n_ignore_prefix_tokens=more * 3 - 4)]
        )
        rows = st.one_of(rows, rows, rows, beyond)
    plain = st.builds(ScoredCase, objective=_kinds, with_packer=st.booleans(), rows=rows)
    if not unrecorded:
        return plain
    several = _rows(2, 3, prompt=(1, 3), completion=(0, 4), ratios=True, ignored=ignored)
    silent = st.sampled_from([(True, False, True), (False, True, True), (False, True, False), (False, False, False)])
    some = st.builds(_silenced, several, silent)
    return plain | st.builds(ScoredCase, objective=st.just("policy_gradient"), rows=some)


@cache
def called_twice() -> st.SearchStrategy[CalledTwiceCase]:
    """Rows with n, shaped by a packer or by hand; one case of four asks for an accelerator."""
    return st.builds(
        CalledTwiceCase,
        objective=_kinds,
        with_packer=st.booleans(),
        rows=_rows(prompt=(1, 3), completion=(0, 4), ratios=True, ignored=True),
        on_accelerator=st.sampled_from([False, False, False, True]),
    )


@cache
def unshaped() -> st.SearchStrategy[UnshapedCase]:
    """A trajectory that lacks something, among others that lack nothing."""
    lacks = st.sampled_from(["prompt_ids", "prompt_ids that are not empty", "completion_ids", "media"])
    return st.builds(UnshapedCase, objective=_kinds, lacks=lacks, place=st.integers(0, 3), after=st.integers(0, 2))


@cache
def fields() -> st.SearchStrategy[FieldsCase]:
    """Any few fields, both kinds of models; replay with routing in the batch."""
    some = st.lists(st.sampled_from(get_args(BatchField)), max_size=3, unique=True).map(_one_of_a_name)
    plain = st.builds(
        FieldsCase,
        objective=_kinds,
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
        fields=some.map(lambda given: sorted({*given, "forward_replay_routing", "pixel_values"})),
        whole_batches=st.just(True),
    )
    return st.one_of(plain, plain, replayed, taken)


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
        rows=_rows(prompt=(1, 4), completion=(0, 4), ignored=True),
        **plain,
    ) | st.builds(GradientCase, objective=st.just("clipped"), rows=_rows(prompt=(1, 4), completion=(0, 4)), **plain)


@cache
def rearranged() -> st.SearchStrategy[RearrangedCase]:
    """Several rows of different length, turned round, and up to many columns of fill."""
    return st.builds(
        RearrangedCase,
        objective=_kinds,
        rows=_rows(1, 4, ratios=True, ignored=True).map(_weighing),
        rotated=st.integers(0, 3),
        backwards=st.booleans(),
        extra_width=st.integers(0, 4) | st.just(33),
    )


@cache
def paired() -> st.SearchStrategy[PairedCase]:
    """Rows with n, or with ids nobody sampled; logprobs for the clipped objective, lists of advantages for both."""
    weighing = _rows(most=2, completion=(1, 3), ignored=True, advantages=st.just(1.0)).map(_weighing)
    rows = st.builds(_marked, weighing, _sampled)
    logprobs = st.builds(PairedCase, stream=st.just("logprobs"), rows=rows)
    advantages = st.builds(PairedCase, objective=_kinds, stream=st.just("advantages"), rows=rows)
    return logprobs | advantages


@cache
def divided() -> st.SearchStrategy[DividedCase]:
    """Rows of different length, scored at once or in parts; advantages of 0 count in the denominator too.

    Ids that were not sampled do not, and logits are in half precision too.
    """
    advantages = st.sampled_from([1.0, -1.0, 2.0, 0.0])
    return st.builds(
        DividedCase,
        objective=_kinds,
        rows=st.builds(_marked, _rows(1, 4, advantages=advantages), _sampled),
        logits=st.sampled_from(["float32", "float32", "bfloat16", "float16"]),
        denominator=st.sampled_from(["of the call", "of the call", "of the step", "of the step", "zero", "below zero"]),
        part=st.integers(1, 3),
    )


@cache
def weightless() -> st.SearchStrategy[WeightlessCase]:
    """Rows without weight behind others, alone, and no rows at all."""
    added = st.sampled_from(["no completion", "all ignored", "none sampled"])
    return st.builds(
        WeightlessCase,
        objective=_kinds,
        rows=_rows(1, 2) | st.just([]),
        added=st.lists(added, min_size=1, max_size=2) | st.just([]),
        advantages_from=st.sampled_from(["numbers", "rewards"]),
        denominator=st.booleans(),
    )


@cache
def fillers() -> st.SearchStrategy[FillerCase]:
    """Copies of real rows in any place, with whatever may be absent of a filler; and filler rows alone."""
    one = st.builds(
        Filler,
        of=st.integers(0, 3),
        place=st.integers(0, 3),
        reward=st.booleans(),
        logprobs=st.booleans(),
        turns=st.booleans(),
    )
    return st.builds(
        FillerCase,
        objective=_kinds,
        rows=_rows(1, 3) | _rows(2, 3) | st.just([]),
        fillers=st.lists(one, min_size=1, max_size=2),
        advantages_from=st.sampled_from(["numbers", "rewards"]),
    )


@cache
def clipped() -> st.SearchStrategy[ClippedCase]:
    """All sides of the clip, several ratios in a row, other bounds, and bounds that are refused."""
    bounds = st.sampled_from([(0.2, 0.2), (0.1, 0.28), (0.5, 0.05), (0.0, 0.5)])
    refused = st.sampled_from([(-0.1, 0.2), (1.0, 0.2), (0.2, -0.1)])

    def built(rows: list[ScoredRow], clip: tuple[float, float]) -> ClippedCase:
        return ClippedCase(rows=rows, clip_low=clip[0], clip_high=clip[1])

    single = _rows(1, 4, completion=(1, 1), ratios=True)
    rows = single | _rows(1, 2, completion=(1, 4), ratios=True)
    return st.builds(built, rows, bounds | bounds | bounds | refused)
