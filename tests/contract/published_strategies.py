"""Strategies for every published model, and for its tensors; each draws valid instances only, without a filter."""

import math
from typing import Any

import torch
from case_strategies import (
    case_files,
    cases,
    conversations,
    counts,
    floats,
    json_objects,
    json_values,
    merged,
    names,
    observations,
    rule_ids,
    some_ids,
    token_ids,
)
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from source_strategies import preference_settings, prompt_settings
from state_strategies import dataloader_states

from packer_schemas import (
    Counterexample,
    DataPackerBuildSpec,
    FieldGeometry,
    IdentityDocument,
    KnownFailure,
    KnownFailures,
    Lock,
    LockedSubject,
    LockFinding,
    LockReport,
    Outcome,
    PackerBinding,
    Report,
    RLPolicyInput,
    Row,
    SubjectReport,
    Trajectory,
    WireGeometry,
    identity_digest,
    schema_id,
)
from packer_schemas.lock_report import LockOutcome
from packer_schemas.published import PUBLISHED
from packer_schemas.report import Status, Verdict
from packer_schemas.vectors import VECTOR_FILES
from packproof.vectors import vectors

PINNED = settings(
    derandomize=True,
    max_examples=50,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # deep models, on a busy machine
)

digests = st.text("0123456789abcdef", min_size=64, max_size=64)


def _recorded(prompt_ids: list[int], logprobs: list[float]) -> dict[str, Any]:
    ids = [place % 7 for place in range(len(logprobs))]
    return {"prompt_ids": prompt_ids, "completion_ids": ids, "logprobs": logprobs, "sampled": [1] * len(ids)}


def _over(turns: list[dict[str, Any]]) -> dict[str, Any]:
    return {"turns": turns, "filler": False, "n_ignore_prefix_tokens": len(turns)}


records = st.builds(_recorded, some_ids, st.lists(floats, max_size=5))
several_turns = st.lists(st.builds(merged, json_objects, records), max_size=2).map(_over)
trajectories = st.builds(
    Trajectory,
    obs=observations,
    completion=st.text(max_size=8) | token_ids,
    policy_info=st.builds(merged, json_objects, st.just({}) | records | several_turns),
    reward=st.none() | floats,
)


def _masked(pairs: list[tuple[int, int]], columns: dict[str, Any], routing: Any = None) -> RLPolicyInput:
    ids, masks = [id for id, _ in pairs], [mask for _, mask in pairs]
    units: dict[str, Any] = dict.fromkeys(columns, "image")
    ranges: dict[str, Any] = {"image": [[(place, 1)] for place in range(len(columns))]}
    return RLPolicyInput(
        input_ids=ids,
        logprob_masks=masks,
        forward_routing=routing,
        mm_kwargs=columns,
        mm_units=units,
        mm_ranges=ranges,
    )


pairs = st.tuples(st.integers(0, 200_000), st.integers(0, 1))
policy_inputs = st.builds(_masked, st.lists(pairs, max_size=5), json_objects)

known_failures = st.builds(
    KnownFailures,
    known=st.lists(
        st.builds(
            KnownFailure,
            id=rule_ids,
            packer=st.text(max_size=8),
            witness=cases,
            reason=names.map("because {}".format),
            issue=st.text(max_size=8),
            expires=st.dates(),
        ),
        max_size=3,
    ),
)
rows = st.builds(Row, name=names, values=st.lists(st.integers() | st.text(max_size=8) | st.none(), max_size=3))
counterexamples = st.builds(
    Counterexample,
    call=names,
    rows=st.lists(rows, max_size=2),
    expected=names,
    got=names,
    fault=names,
    crash=st.booleans(),
)
outcomes = st.builds(
    Outcome,
    requirement=rule_ids,
    level=st.sampled_from(["MUST", "SHOULD", "MAY"]),
    status=st.sampled_from(Status.__args__),
    reason=names,
    cases=counts,
    counterexample=st.none() | counterexamples,
    case_file=st.none() | case_files,
)
subject_reports = st.builds(
    SubjectReport,
    label=names,
    target=names,
    models=st.lists(names, max_size=2),
    verdict=st.sampled_from(Verdict.__args__),
    outcomes=st.lists(outcomes, max_size=3),
)
versions = st.dictionaries(names, names, max_size=2)
reports = st.builds(
    Report,
    packproof=names,
    spec=names,
    level=st.lists(names, max_size=2),
    effort=names,
    seed=st.integers(),
    versions=versions,
    subjects=st.lists(subject_reports, max_size=2),
)

declarations = st.dictionaries(st.text(max_size=8), json_values, min_size=1, max_size=3)
parts = st.dictionaries(st.sampled_from(["semantics", "processor"]), declarations, min_size=1)
identities = st.builds(IdentityDocument.make, names, parts)
bindings = st.builds(PackerBinding, identity=st.none() | identities, class_source_sha256=st.none() | digests)


def _locked(
    behaviour: dict[str, dict[str, str]],
    identity: IdentityDocument | None,
    target: str,
    source: str | None,
    reason: str,
) -> LockedSubject:
    return LockedSubject(
        target=target,
        models=list(behaviour),
        identities={model: identity for model in behaviour if identity is not None},
        class_source_sha256=source,
        behaviour=behaviour,
        behaviour_sha256=identity_digest(behaviour),
        reason=reason,
    )


locked_subjects = st.builds(
    _locked,
    st.dictionaries(names, st.dictionaries(names, digests, max_size=2), max_size=2),
    st.none() | identities,
    names,
    st.none() | digests,
    st.text(max_size=8),
)
lock_findings = st.builds(
    LockFinding,
    outcome=st.sampled_from(LockOutcome.__args__),
    passes=st.booleans(),
    written=st.booleans(),
    target=names,
    models=st.lists(names, max_size=2),
    identity=st.dictionaries(names, st.lists(names, max_size=2), max_size=2),
    behaviour=st.dictionaries(names, st.lists(names, max_size=2), max_size=2),
    notes=st.lists(names, max_size=2),
    message=names,
    advice=st.text(max_size=8),
)
lock_reports = st.builds(
    LockReport,
    packproof=names,
    spec=names,
    file=names,
    complete=st.booleans(),
    passes=st.booleans(),
    written=st.booleans(),
    note=st.text(max_size=8),
    findings=st.dictionaries(names, lock_findings, max_size=2),
)
locks = st.builds(
    Lock,
    schema_version=st.just(1),
    spec=names,
    packproof=names,
    probe_corpus=st.integers(1, 99),
    versions=versions,
    subjects=st.dictionaries(names, locked_subjects, max_size=2),
)

shapes = st.lists(st.lists(st.integers(0, 999), max_size=4), max_size=3)
field_names = st.text("abcXYZ019_.-", min_size=1, max_size=8)
patch_sizes = st.fixed_dictionaries({"patch_dim": st.integers(1, 64)})
plain_geometries = st.builds(
    FieldGeometry,
    shapes=shapes,
    preprocess_mode=st.sampled_from([None, "pad_to_max_shape"]),
    preprocess_kwargs=st.just({}) | patch_sizes,
)
patchified = st.builds(FieldGeometry, shapes=shapes, preprocess_mode=st.just("patchify"), preprocess_kwargs=patch_sizes)
geometries = st.builds(
    WireGeometry, st.dictionaries(field_names.map("{}__row_shapes".format), plain_geometries | patchified, max_size=3)
)


def _excerpts(name: str) -> st.SearchStrategy[Any]:
    """Files of a few of the published vectors each."""
    head = {"$schema": schema_id(f"vectors-{name}"), "spec": "0.2", "description": ""}
    chosen = st.lists(st.sampled_from(vectors(name)), min_size=1, max_size=3)
    return chosen.map(lambda some: VECTOR_FILES[name].model_validate({**head, "vectors": some}))


DATA: dict[str, st.SearchStrategy[Any]] = {
    "build-spec": st.builds(
        DataPackerBuildSpec,
        name_or_path=names,
        model_backend=st.sampled_from([None, "i4", "hf"]),
        factory=st.text(max_size=8),
        trust_remote_code=st.booleans(),
    ),
    "case-file": case_files,
    "conversation": conversations,
    "dataloader-state": dataloader_states,
    "identity-document": identities,
    "known-failures": known_failures,
    "lock": locks,
    "lock-report": lock_reports,
    "observation": observations,
    "packer-binding": bindings,
    "policy-input": policy_inputs,
    "preference-source-settings": preference_settings,
    "prompt-source-settings": prompt_settings,
    "report": reports,
    "trajectory": trajectories,
    "wire-geometry": geometries,
    **{f"vectors-{name}": _excerpts(name) for name in VECTOR_FILES},
}
"""Instances without tensors, by the name of their schema."""

dtypes = st.sampled_from([torch.int8, torch.int16, torch.int32, torch.int64])


def _experts(dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
    return torch.arange(math.prod(shape)).reshape(shape).remainder(101).sub(1).to(dtype)


@st.composite
def _routed_inputs(draw: st.DrawFn) -> RLPolicyInput:
    drawn = draw(st.lists(pairs, min_size=1, max_size=5))
    record = _experts(draw(dtypes), [len(drawn) - 1, draw(st.integers(1, 3)), draw(st.integers(1, 3))])
    return _masked(drawn, {}, record)


def _batch(shape: tuple[int, int], layers: int, dtype: torch.dtype) -> dict[str, Any]:
    ids = torch.arange(math.prod(shape)).reshape(shape)
    return {
        "input_ids": ids,
        "logprob_masks": ids % 2 == 0,
        "forward_replay_routing": _experts(dtype, [*shape, layers, 2]),
        "mm_owned_mask": ids < 0,
        "mm_units": {"pixel_values": "image"},
        "mm_row_counts": {"pixel_values": [1] * shape[0]},
    }


blocks = st.builds(_experts, dtypes, st.lists(st.integers(1, 3), min_size=3, max_size=3))


@st.composite
def _routed_records(draw: st.DrawFn) -> dict[str, Any]:
    recorded = draw(records)
    rows = len(recorded["prompt_ids"]) + len(recorded["completion_ids"]) - 1
    record = _experts(draw(dtypes), [rows, draw(st.integers(1, 3)), draw(st.integers(1, 3))])
    return {**recorded, "rollout_routed_experts": draw(st.sampled_from([None, record]))}


routed_records = _routed_records()

TENSORS: dict[str, st.SearchStrategy[Any]] = {
    "policy-batch": st.builds(_batch, st.tuples(st.integers(1, 3), st.integers(1, 4)), st.integers(1, 3), dtypes),
    "policy-input": _routed_inputs(),
    "routing-record": blocks,
    "trajectory": st.builds(
        Trajectory,
        obs=observations,
        completion=token_ids,
        policy_info=routed_records | st.lists(routed_records, max_size=2).map(_over),
    ),
}
"""Instances that hold tensors: JSON has them as nested lists, which no model reads back as tensors."""


def as_json(name: str, instance: Any) -> bytes:
    """The JSON text of an instance of the published type `name`."""
    return TypeAdapter(PUBLISHED[name]).dump_json(instance, by_alias=True)


def read(name: str, text: bytes | str) -> Any:
    """The instance that a JSON text is; `pydantic.ValidationError` when it is none."""
    return TypeAdapter(PUBLISHED[name]).validate_json(text, strict=True)
