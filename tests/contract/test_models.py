"""The data of the contract: what validates, what is refused, and in which words."""

import subprocess
import sys

import pytest
import torch
from pydantic import TypeAdapter, ValidationError

import packer_schemas as schemas
from packer_schemas import DataPackerBuildSpec, DataPackerFactories, ObsBundle, PolicyBatch, RLPolicyInput, Trajectory
from packer_schemas.published import PUBLISHED

OBS = {"representations": {"prompt": "hello"}}


def test_importing_the_schemas_loads_neither_torch_nor_transformers() -> None:
    """The schemas import without torch and without transformers."""
    code = "import sys, packer_schemas; print(sorted({'torch', 'transformers', 'hypothesis'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_complete_and_sorted() -> None:
    """`__all__` of the package holds every public name, sorted as ruff sorts it, and each one exists."""
    public = {name for name, value in vars(schemas).items() if not name.startswith("_") and not _is_module(value)}
    assert set(schemas.__all__) == public
    assert len(schemas.__all__) == len(set(schemas.__all__))


def _is_module(value: object) -> bool:
    return type(value).__name__ == "module"


@pytest.mark.parametrize(
    "prompt",
    [
        "a raw string",
        [{"role": "user", "content": "hi"}],
        [{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image", "image": object()}]}],
        [{"role": "user", "content": [{"type": "video", "video": "clip.mp4"}]}],
        [
            {
                "role": "user",
                "content": [
                    {
                        "type": "video_frames",
                        "video": [object(), object()],
                        "fps": 2.0,
                        "total_num_frames": 9,
                        "frames_indices": [0, 4],
                    }
                ],
            }
        ],
        [{"role": "assistant", "content": "", "tool_calls": [{"name": "f"}]}],
    ],
)
def test_prompts_of_every_kind_stay_plain_dicts_and_strings(prompt: object) -> None:
    """A string or a conversation of typed parts validates, and reaches the packer as plain Python data."""
    bundle = ObsBundle.model_validate({"representations": {"prompt": prompt}})
    assert bundle.representations["prompt"] == prompt
    assert type(bundle.representations) is dict


@pytest.mark.parametrize(
    ("prompt", "place"),
    [
        (7, "prompt"),
        ([], "prompt"),
        ([{"role": "user"}], "content"),
        ([{"role": "user", "content": [{"type": "audio"}]}], "content"),
        ([{"role": "user", "content": [{"type": "video", "video": "v", "fps": 0}]}], "fps"),
        ([{"role": "user", "content": [{"type": "text", "text": "a", "txt": "b"}]}], "txt"),
    ],
)
def test_malformed_prompts_are_refused_by_place(prompt: object, place: str) -> None:
    """A prompt that is neither string nor conversation is refused with the path of what is wrong."""
    with pytest.raises(ValidationError) as caught:
        ObsBundle.model_validate({"representations": {"prompt": prompt}})
    assert any(place in [str(step) for step in error["loc"]] for error in caught.value.errors())


def test_policy_input_keeps_ids_and_mask() -> None:
    """A policy input holds plain lists that a trainer may overwrite."""
    row = RLPolicyInput(input_ids=[17, 4, 9], logprob_masks=[1, 1, 0])
    row.logprob_masks = [0, 1, 0]
    assert (row.input_ids, row.logprob_masks, row.forward_routing, row.mm_kwargs) == ([17, 4, 9], [0, 1, 0], None, {})


@pytest.mark.parametrize("ids", [[True], [1.0], [-1], ["1"], None])
def test_policy_input_refuses_what_is_no_id(ids: object) -> None:
    """Bools, floats, negatives and strings are no token ids."""
    with pytest.raises(ValidationError):
        RLPolicyInput(input_ids=ids, logprob_masks=[0])  # pyright: ignore[reportArgumentType]


def test_policy_input_refuses_streams_of_different_length() -> None:
    """A mask of another length than the ids is refused with both lengths."""
    with pytest.raises(ValidationError, match="expected 3 logprob_masks, one for each of the input_ids, got 2"):
        RLPolicyInput(input_ids=[1, 2, 3], logprob_masks=[1, 0])


def test_routing_record_has_a_row_per_position_but_the_last() -> None:
    """forward_routing of L ids has L-1 rows; L rows are refused."""
    record = torch.zeros(2, 4, 2, dtype=torch.int16)
    row = RLPolicyInput(input_ids=[1, 2, 3], logprob_masks=[0, 1, 0], forward_routing=record)
    assert row.forward_routing is record
    with pytest.raises(ValidationError, match=r"expected 1 rows of forward_routing, .*, got 2"):
        RLPolicyInput(input_ids=[1, 2], logprob_masks=[1, 0], forward_routing=record)


def test_policy_batch_takes_long_ids_and_bool_mask() -> None:
    """int64 ids and a bool mask of two dimensions are a policy batch."""
    batch = {"input_ids": torch.zeros(2, 3, dtype=torch.long), "logprob_masks": torch.zeros(2, 3, dtype=torch.bool)}
    assert TypeAdapter(PolicyBatch).validate_python(batch) == batch


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (torch.zeros(2, 3), r"expected a tensor int64 \[B, L\] on cpu, got float32 \[2, 3\] on cpu"),
        (torch.zeros(3, dtype=torch.long), r"got int64 \[3\] on cpu"),
        (torch.zeros(2, 3, dtype=torch.long, device="meta"), r"got int64 \[2, 3\] on meta"),
        ([[1, 2]], "got list"),
    ],
)
def test_policy_batch_refuses_other_tensors_in_words(ids: object, said: str) -> None:
    """A wrong dtype, rank or device is refused with what was expected and what was given."""
    batch = {"input_ids": ids, "logprob_masks": torch.zeros(2, 3, dtype=torch.bool)}
    with pytest.raises(ValidationError, match=said):
        TypeAdapter(PolicyBatch).validate_python(batch)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"logprob_masks": torch.zeros(1, 3).bool()}, r"expected logprob_masks of shape \[2, 3\], .*, got \[1, 3\]"),
        ({"mm_owned_mask": torch.zeros(2, 2).bool()}, r"expected mm_owned_mask of shape \[2, 3\], .*, got \[2, 2\]"),
        (
            {"forward_replay_routing": torch.zeros(2, 4, 1, 2).char()},
            r"expected forward_replay_routing of shape \[2, 3, 1, 2\], .*, got \[2, 4, 1, 2\]",
        ),
        ({"mm_row_counts": {"pixel_values": [1]}}, r"expected 2 entries in mm_row_counts\['pixel_values'\], .*, got 1"),
        ({"input_ids": torch.full((2, 3), -5)}, "expected token ids of at least 0 in input_ids, got -5"),
        ({"input_ids": torch.zeros(0, 3).long()}, "expected at least one row of input_ids, got 0"),
    ],
)
def test_the_published_batch_is_held_together(entry: dict[str, object], said: str) -> None:
    """Entries of a batch that speak of other rows or positions than its ids are refused with both shapes."""
    batch = {"input_ids": torch.zeros(2, 3).long(), "logprob_masks": torch.zeros(2, 3).bool()}
    published = TypeAdapter(PUBLISHED["policy-batch"])
    assert published.validate_python(batch) == batch
    with pytest.raises(ValidationError, match=said):
        published.validate_python(batch | entry)


def test_a_mask_of_bools_is_read_as_numbers_from_json_too() -> None:
    """MASK-8 allows bools, in Python and in strict JSON; other numbers are still refused."""
    told = '{"input_ids": [1, 2], "logprob_masks": [true, false]}'
    assert RLPolicyInput.model_validate_json(told, strict=True).logprob_masks == [1, 0]
    with pytest.raises(ValidationError):
        RLPolicyInput.model_validate_json(told.replace("true", "2"), strict=True)


def test_tensor_fields_declare_dtype_axes_and_device_in_json_schema() -> None:
    """The JSON Schema of a batch says dtype, axes and device of every tensor."""
    properties = TypeAdapter(PolicyBatch).json_schema()["properties"]
    assert properties["input_ids"]["x-tensor"] == {"dtypes": ["int64"], "axes": ["B", "L"], "device": "cpu"}
    assert properties["logprob_masks"]["x-tensor"]["dtypes"] == ["bool"]
    assert properties["forward_replay_routing"]["x-tensor"]["axes"] == ["B", "L", "layers", "top_k"]


def test_trajectory_records_what_the_engine_did() -> None:
    """Stored ids, logprobs and routing travel in policy_info under their declared keys."""
    record = torch.zeros(2, 4, 2, dtype=torch.int8)
    info = {"prompt_ids": [1], "completion_ids": [2, 3], "logprobs": [-0.5, -1.0], "rollout_routed_experts": record}
    trajectory = Trajectory(obs=OBS, completion=[2, 3], policy_info=info)  # pyright: ignore[reportArgumentType]
    assert trajectory.policy_info["prompt_ids"] == [1]
    assert trajectory.policy_info[schemas.ROLLOUT_ROUTED_EXPERTS_KEY] is record  # pyright: ignore[reportTypedDictNotRequiredAccess]


@pytest.mark.parametrize(
    ("info", "said"),
    [
        ({"prompt_ids": []}, "prompt_ids"),
        (
            {"completion_ids": [2, 3], "logprobs": [-0.5]},
            "expected 2 logprobs in policy_info, .*, got 1",
        ),
        ({"logprobs": [-0.1, float("nan")]}, r"expected a finite number in policy_info.logprobs\[1\], got nan"),
        ({"reference_logprobs": [float("inf")]}, r"expected a finite number in policy_info.reference_logprobs\[0\]"),
        ({"completion_ids": [2, 3], "sampled": [1]}, "expected 2 sampled in policy_info, .*, got 1"),
        (
            {"logprobs": [-0.1], "logprobs_missing": [0]},
            "expected logprobs or logprobs_missing in policy_info, got both",
        ),
        (
            {"completion_ids": [2, 3], "logprobs_missing": [0, 2]},
            r"expected a position among 2 completion_ids in policy_info.logprobs_missing\[1\], got 2",
        ),
        (
            {"completion_ids": [2, 3], "n_ignore_prefix_tokens": 3},
            "expected n_ignore_prefix_tokens in policy_info up to 2, the completion_ids, got 3",
        ),
        (
            {"prompt_ids": [1], "completion_ids": [2, 3], "rollout_routed_experts": torch.zeros(3, 1, 1).char()},
            "expected 2 rows of rollout_routed_experts in policy_info, .*, got 3",
        ),
        (
            {"turns": [{"prompt_ids": [1], "completion_ids": []} | more for more in ({}, {"logprobs": [0.0]})]},
            r"expected 0 logprobs in policy_info.turns\[1\], .*, got 1",
        ),
    ],
)
def test_trajectory_refuses_streams_that_disagree(info: dict[str, object], said: str) -> None:
    """Empty stored prompts, missing and non-finite logprobs are refused by name."""
    with pytest.raises(ValidationError, match=said):
        Trajectory(obs=OBS, completion="text", policy_info=info)  # pyright: ignore[reportArgumentType]


def test_build_spec_is_immutable_and_comparable() -> None:
    """Equal build specs are equal and hash alike, and none can be changed."""
    spec = DataPackerBuildSpec(name_or_path="m")
    assert {spec, DataPackerBuildSpec(name_or_path="m")} == {spec}
    assert spec.trust_remote_code is False
    with pytest.raises(ValidationError):
        spec.name_or_path = "other"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValidationError):
        DataPackerBuildSpec(name_or_path="")


def test_student_and_teacher_build_from_their_own_factory() -> None:
    """The factories give each role a spec with its own factory; an empty one means the registry."""
    factories = DataPackerFactories(factory="a.b", teacher_model_factory="c.d")
    assert factories.spec("m").factory == "a.b"
    assert factories.spec("m", role="teacher", trust_remote_code=True).factory == "c.d"
    assert DataPackerFactories().spec("m").factory == ""
