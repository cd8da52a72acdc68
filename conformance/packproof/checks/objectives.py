"""Chapter objectives, for what is scored: ids that go to the packer, rows without one, and batches with more."""

from collections.abc import Sequence
from typing import Any

from packer_schemas.objective_cases import FieldsCase, HandedOverCase, HandedRow, ScoredCase, ScoredRow, UnshapedCase
from packer_schemas.routing import FORWARD_REPLAY_BATCH_KEY
from packproof.consumers.subject import ObjectiveSubject
from packproof.driver import short
from packproof.expect import expect_ids, expect_mask
from packproof.objective_runs.calls import Scored, call_text, refused, scored
from packproof.objective_runs.compare import expect_loss
from packproof.objective_runs.fields import MEDIA, TYING, added
from packproof.objective_runs.ids_packer import Asked, IdsPacker
from packproof.objective_runs.strategies import fields, handed_over, unshaped
from packproof.objective_runs.strategies import scored as scored_rows
from packproof.objective_runs.trajectories import ids_of, recorded, selected, trajectory
from packproof.registry import check
from packproof.same import same
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []

_GOOD = ScoredRow(prompt_ids=[110, 111], completion_ids=[120])
_LEVEL_LOGPROB = -6.2383246250395075
"""Of every id under a level model."""


@check("OBJ-1", cases=lambda *_: handed_over())
def obj_1(subject: ObjectiveSubject, case: HandedOverCase) -> None:
    """Stored ids go to the packer as they are: the prompt's as prompt_ids, the completion's as the completion."""
    from packproof.objective_runs.probe import Probe

    packer, given = IdsPacker(), [_partly(row) for row in case.rows]
    call = call_text(given, case.objective, packer)
    objective = subject.build(packer, kind=case.objective)
    advantages = [1.0] * len(given)
    if any(row.prompt_ids == [] for row in case.rows):
        refused(subject, call, lambda: objective(Probe(level=True), given, advantages=advantages))
    else:
        scored(subject, objective, Probe(level=True), given, call, advantages=advantages)
    left = list(packer.asked)
    for row, one in zip(case.rows, given, strict=True):
        asked = next((asked for asked in left if same(asked.sample, one.obs)), None)
        if asked is not None:
            left.remove(asked)
            _expect_as_stored(call, row, asked)
        elif not any(one.prompt_ids == [] for one in case.rows):
            raise Violation.of(call, expected="get_policy_input(tr.obs, ...)", got="no call with the trajectory's obs")


def _partly(row: HandedRow) -> Any:
    """The trajectory of a row, with every key that it has."""
    completion = row.completion if row.completion_ids is None else row.completion_ids
    if row.n_ignore_prefix_tokens > len(completion):
        raise Unexercised("n_ignore_prefix_tokens is out of range, of which MASK-4 speaks")
    keys: dict[str, Any] = {
        "prompt_ids": row.prompt_ids,
        "completion_ids": row.completion_ids,
        "logprobs": [_LEVEL_LOGPROB] * len(completion),
        "n_ignore_prefix_tokens": row.n_ignore_prefix_tokens or None,
    }
    own = row.completion if isinstance(row.completion, str) else list(row.completion)
    return trajectory(row.prompt, own, 1.0, **{name: value for name, value in keys.items() if value is not None})


def _expect_as_stored(call: str, row: HandedRow, asked: Asked) -> None:
    completion = row.completion if row.completion_ids is None else row.completion_ids
    for name, wanted, got in (
        ("completion", completion, asked.completion),
        ("prompt_ids", row.prompt_ids, asked.prompt_ids),
        ("n_ignore_prefix_tokens", row.n_ignore_prefix_tokens, asked.n_ignore_prefix_tokens),
    ):
        shown = f"{call}: get_policy_input, {name}"
        if isinstance(wanted, list) and isinstance(got, str):
            expect_ids(shown, wanted, [ord(one) for one in got], fault="the text was handed over, and encoded anew")
        if isinstance(wanted, list) and not isinstance(got, str) and got is not None:
            expect_ids(shown, wanted, list(got))
        elif wanted != got:
            raise Violation.of(shown, expected=wanted, got=short(got))


@check("OBJ-2", cases=lambda *_: scored_rows(by_hand=True))
def obj_2(subject: ObjectiveSubject, case: ScoredCase) -> None:
    """Without a packer, a row is the stored prompt ids followed by the stored completion ids, with the mask of the
    masks chapter."""
    from packproof.objective_runs.probe import Probe

    given = [recorded(row, Probe()) for row in case.rows]
    advantages = [row.advantage for row in case.rows]
    call = call_text(given, case.objective)
    objective = subject.build(None, kind=case.objective)
    if any(not 0 <= row.n_ignore_prefix_tokens <= len(row.completion_ids) for row in case.rows):
        refused(subject, call, lambda: objective(Probe(), given, advantages=advantages))
        return
    if not any(map(selected, case.rows)):
        raise Unexercised("nothing is selected, of which OBJ-10 speaks")
    if not all(row.logprobs for row in case.rows):
        raise Unexercised("a row has no logprobs, of which OBJ-8 speaks")
    got = scored(subject, objective, Probe(), given, call, advantages=advantages)
    _expect_rows(call, got, case.rows)
    again = [recorded(row, Probe()) for row in case.rows]
    packed = subject.build(IdsPacker(), kind=case.objective)
    wanted = scored(subject, packed, Probe(), again, f"{call}, with a packer", advantages=advantages)
    rows = [ids_of(row) for row in case.rows]
    if not all(any(given[: len(ids)] == ids for given, _ in wanted.rows) for ids in rows):
        raise Unexercised("with a packer rows do not begin where the batch does, of which OBJ-6 speaks")
    for row, ids, first, second in zip(case.rows, rows, wanted.weights(rows), got.weights(rows), strict=True):
        marks = [[int(one != 0) for one in line] for line in (first, second)]
        expect_mask(call, ids, *marks, prompt_len=len(row.prompt_ids))
    expect_loss(call, wanted.loss, got.loss, "another loss than with a packer")


def _expect_rows(call: str, got: Scored, rows: Sequence[ScoredRow]) -> None:
    """The model was given each row, filled on the right."""
    left = [ids for ids, _ in got.rows]
    for number, row in enumerate(rows):
        wanted = ids_of(row)
        found = next((ids for ids in left if ids[: len(wanted)] == wanted), None)
        if found is not None:
            left.remove(found)
            continue
        nearest = left[min(number, len(left) - 1)] if left else []
        expect_ids(f"{call}: the ids that the model was given for trajectory {number}", wanted, nearest[: len(wanted)])
        raise Violation.of(call, expected=f"{len(rows)} rows", got=f"{len(got.rows)}")


@check("OBJ-3", cases=lambda *_: unshaped())
def obj_3(subject: ObjectiveSubject, case: UnshapedCase) -> None:
    """Without a packer, a trajectory that lacks stored ids or holds media is refused with ValueError that says how to
    supply what is missing."""
    from packproof.objective_runs.probe import Probe

    model = Probe(level=True)
    given = [recorded(_GOOD, model) for _ in range(case.place + 1 + case.after)]
    given[case.place] = _lacking(case.lacks, model)
    call = f"{call_text(given, case.objective)}, trajectory {case.place} without {case.lacks}"
    if case.lacks == "media":
        call = f"{call_text(given, case.objective)}, trajectory {case.place} with an image in its prompt"
    objective = subject.build(None, kind=case.objective)
    named = {"prompt_ids": ["prompt_ids"], "completion_ids": ["completion_ids"]}.get(case.lacks.partition(" ")[0], [])
    refused(subject, call, lambda: objective(model, given, advantages=[1.0] * len(given)), case.place, *named, "packer")
    _expect_not_run(call, model)


def _lacking(lacks: str, model: Any) -> Any:
    one = recorded(_GOOD, model)
    if lacks == "media":
        one.obs.representations["prompt"] = [{"role": "user", "content": [{"type": "image", "image": "a.png"}]}]
    elif lacks == "prompt_ids that are not empty":
        one.policy_info["prompt_ids"] = []
    else:
        del one.policy_info[lacks]
    return one


def _expect_not_run(call: str, model: Any) -> None:
    if model.calls or model.batches:
        raise Violation.of(call, expected="refused before the model runs", got="refused after the model had run")


@check("OBJ-4", cases=lambda *_: fields())
def obj_4(subject: ObjectiveSubject, case: FieldsCase) -> None:
    """A batch with fields that the model or the objective cannot take is refused with ValueError that names them."""
    from packproof.objective_runs.probe import Probe, WholeBatchProbe

    media = MEDIA[case.media]
    tying = [name for name in case.fields if name in TYING] + [FORWARD_REPLAY_BATCH_KEY] * case.routing_replay
    if case.routing_replay and FORWARD_REPLAY_BATCH_KEY not in case.fields:
        raise Unexercised("a batch without routing is replayed, of which ROUTE-13 speaks")
    model = (WholeBatchProbe if case.whole_batches else Probe)(level=True)
    packer = IdsPacker(fields=added(case.fields), media=media)
    given = [recorded(_GOOD, model)]
    objective = subject.build(packer, kind=case.objective, routing_replay=case.routing_replay)
    call = f"{call_text(given, case.objective, packer)}, {_told(case)}"
    if case.objective == "policy_gradient" and any(media.values()):
        refused(subject, call, lambda: objective(model, given, advantages=[1.0]), case.media)
        _expect_not_run(call, model)
    elif tying and not case.whole_batches:
        refused(subject, call, lambda: objective(model, given, advantages=[1.0]), *tying, "forward_policy_batch")
        _expect_not_run(call, model)
    else:
        try:
            scored(subject, objective, model, given, call, advantages=[1.0])
        except CallFailed as error:
            if not isinstance(error.__cause__, ValueError):
                raise
            got = error.counterexample.got
            raise Violation.of(call, expected="a loss", got=got, fault="refused instead of accepted") from error
        _expect_whole_batch(call, case, packer, model, bool(tying))


def _equal(made: Any, got: Any) -> bool:
    """The same values; of dtypes OBJ-16 speaks."""
    if hasattr(made, "double") and hasattr(got, "double"):
        return same(made.double(), got.double())
    return same(made, got)


def _told(case: FieldsCase) -> str:
    parts = [f"a batch with {', '.join(case.fields)}"] if case.fields else []
    parts += [f"policy inputs with {case.media}"] if case.media in ("mm_kwargs", "media") else []
    parts += ["routing replayed"] if case.routing_replay else []
    parts += ["a model with forward_policy_batch" if case.whole_batches else "a model that takes ids only"]
    return ", ".join(parts)


def _expect_whole_batch(call: str, case: FieldsCase, packer: IdsPacker, model: Any, needed: bool) -> None:
    if needed and not model.batches:
        raise Violation.of(call, expected="the batch goes through forward_policy_batch", got="model(input_ids)")
    for batch in model.batches:
        own = dict(packer.batches[-1])
        if not case.routing_replay:
            own.pop(FORWARD_REPLAY_BATCH_KEY, None)
        if set(batch) != set(own):
            where = f"{call}: fields of the batch in forward_policy_batch"
            raise Violation.of(where, expected=", ".join(sorted(own)), got=", ".join(sorted(map(str, batch))))
        for name, value in own.items():
            if name != "logprob_masks" and not _equal(value, batch[name]):
                where = f"{call}: {name} in forward_policy_batch"
                raise Violation.of(where, expected=short(value), got=short(batch[name]))
