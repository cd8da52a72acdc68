"""Strategies for what cases are made of: JSON data, ids, conversations, samples; valid ones only, without a filter."""

from typing import Any

from hypothesis import strategies as st

from packer_schemas import (
    BadIdsCase,
    BatchCase,
    CaseFile,
    IdContainerCase,
    LockCase,
    ObsBundle,
    PolicyCase,
    PretokenizedCase,
    PromptCase,
    RefusedPromptCase,
    Sample,
    SelectionCase,
    SetupCase,
)
from packer_schemas.cases import IdContainer
from packer_schemas.lock_cases import LockRow, LockSide

counts = st.integers(0, 2**40)
names = st.text(min_size=1, max_size=8)
floats = st.floats(allow_nan=False, allow_infinity=False)
token_ids = st.lists(st.integers(0, 200_000), max_size=5)
some_ids = st.lists(st.integers(0, 200_000), min_size=1, max_size=5)
rule_ids = st.builds("{}-{}".format, st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=5), counts)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | floats | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(st.text(max_size=8), json_values, max_size=3)


def merged(extra: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """One dict of both, in which `own` wins."""
    return {**extra, **own}


handles = st.text(max_size=8) | st.fixed_dictionaries({"url": st.text(max_size=8)})
timing: dict[str, Any] = {
    "fps": st.floats(0.1, 240),
    "total_num_frames": st.integers(1, 999),
    "frames_indices": st.lists(st.integers(0, 999), max_size=3),
}
parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=8)}),
    st.fixed_dictionaries({"type": st.just("image"), "image": handles}),
    st.fixed_dictionaries(
        {"type": st.just("video"), "video": handles | st.lists(handles, max_size=2)}, optional=timing
    ),
    st.fixed_dictionaries({"type": st.just("video_frames"), "video": st.lists(handles, max_size=2)}, optional=timing),
)
messages = st.builds(
    merged,
    json_objects,
    st.fixed_dictionaries({"role": st.text(max_size=8), "content": st.text(max_size=8) | st.lists(parts, max_size=3)}),
)
conversations = st.lists(messages, min_size=1, max_size=3)
prompts = st.text(max_size=8) | conversations
representations = st.builds(merged, json_objects, st.fixed_dictionaries({"prompt": prompts}))
observations = st.builds(ObsBundle, representations=representations)


samples = st.builds(
    Sample,
    prompt=prompts,
    prompt_ids=st.none() | token_ids,
    completion=st.text(max_size=8) | token_ids,
    n_ignore_prefix_tokens=st.integers(-3, 9),
)
models = st.none() | names
lock_sides = st.builds(
    LockSide, identity=st.none() | st.integers(), behaviour=st.integers(), source=st.none() | st.integers()
)
lock_rows = st.builds(LockRow, label=names, pinned=st.none() | lock_sides, now=st.none() | lock_sides)
cases = st.one_of(
    st.builds(SetupCase, model=models, prompt=prompts),
    st.builds(PromptCase, model=models, prompt=prompts),
    st.builds(RefusedPromptCase, model=models, prompt=json_values),
    st.builds(PretokenizedCase, model=models, prompt=prompts, token_ids=some_ids),
    st.builds(PolicyCase, model=models, sample=samples),
    st.builds(IdContainerCase, model=models, sample=samples, container=st.sampled_from(IdContainer.__args__)),
    st.builds(
        BadIdsCase,
        model=models,
        stream=st.sampled_from(["prompt_ids", "completion"]),
        ids=st.lists(json_values, min_size=1, max_size=3),
    ),
    st.builds(BatchCase, model=models, samples=st.lists(samples, min_size=1, max_size=3), extra_width=counts),
    st.builds(SelectionCase, config=json_objects, model_backend=models),
    st.builds(LockCase, rows=st.lists(lock_rows, min_size=1, max_size=3), probe_corpus=st.integers(1, 9)),
)
case_files = st.builds(CaseFile, requirement=rule_ids, packer=st.text(max_size=8), case=cases)
