"""Recorded expert routing: attached to a policy input, collated into a batch."""

import copy
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from packer_reference import DecoderOnlyLLMDataPacker, add_forward_routing, shape_policy_input
from packer_schemas import FORWARD_REPLAY_BATCH_KEY, ObsBundle, RLPolicyInput, Trajectory
from packproof.models import model_path

OBS = ObsBundle(representations={"prompt": "x"})


def routed(length: int, fill: Any = 1, layers: int = 2, top_k: int = 3, dtype: Any = torch.int64) -> RLPolicyInput:
    """A sample of `length` ids with every expert id `fill`."""
    record = torch.full((length - 1, layers, top_k), fill, dtype=dtype)
    return RLPolicyInput(input_ids=[*range(length)], logprob_masks=[0] * length, forward_routing=None).model_copy(
        update={"forward_routing": record}
    )


def collated(samples: list[Any], max_len: int) -> torch.Tensor:
    """The batch's routing."""
    batch: dict[str, Any] = {}
    add_forward_routing(batch, samples, max_len)
    return batch[FORWARD_REPLAY_BATCH_KEY]


def test_rows_and_filler(packer: DecoderOnlyLLMDataPacker) -> None:
    """Rows keep their place and layout, and every position without a record is -1, never expert 0."""
    sample = routed(3)
    sample.forward_routing = torch.arange(12).reshape(2, 2, 3)
    batch = packer.policy_collate_fn([routed(5, 0), sample], 6)
    routing = batch[FORWARD_REPLAY_BATCH_KEY]
    assert routing.shape == (2, 6, 2, 3)
    assert routing[0, :4].eq(0).all()
    assert routing[0, 4:].eq(-1).all()
    assert torch.equal(routing[1, :2].long(), torch.arange(12).reshape(2, 2, 3))
    assert routing[1, 2:].eq(-1).all()


BORDERS = [
    (0, torch.int8),
    (127, torch.int8),
    (128, torch.int16),
    (255, torch.int16),
    (256, torch.int16),
    (32767, torch.int16),
    (32768, torch.int32),
    (65535, torch.int32),
    (2**31 - 1, torch.int32),
    (2**31, torch.int64),
    (2**63 - 1, torch.int64),
]


@pytest.mark.parametrize(("highest", "dtype"), BORDERS)
def test_smallest_signed_type(highest: int, dtype: torch.dtype) -> None:
    """The batch takes the smallest signed type that holds the largest expert id of any sample."""
    routing = collated([routed(3, 0), routed(3, highest)], 4)
    assert routing.dtype == dtype
    assert routing[1, 0, 0, 0].item() == highest
    assert routing[1, 3, 0, 0].item() == -1


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64]
)
def test_recorded_types(dtype: torch.dtype) -> None:
    """Records of every integer type that int64 holds are read by value."""
    assert collated([routed(3, 127, dtype=dtype)], 3)[0, :2].eq(127).all()


def test_unsigned_byte_does_not_wrap() -> None:
    """Expert 255 in an unsigned byte stays 255 and is not the filler."""
    assert collated([routed(2, 255, dtype=torch.uint8)], 2)[0, 0, 0, 0].item() == 255


def test_numpy_record() -> None:
    """A NumPy record does as well."""
    sample = routed(3)
    sample.forward_routing = np.ones((2, 1, 1), np.int16)
    assert collated([sample], 3).tolist() == [[[[1]], [[1]], [[-1]]]]


def test_missing_rows_in_a_record() -> None:
    """A record may itself say that a row was not recorded."""
    assert collated([routed(3, -1)], 3).eq(-1).all()


def test_one_token_sequence() -> None:
    """A sequence of one id has no rows, and is all filler."""
    assert collated([routed(1), routed(2)], 2).shape == (2, 2, 2, 3)
    assert collated([routed(1)], 2).eq(-1).all()


def test_no_routing(packer: DecoderOnlyLLMDataPacker) -> None:
    """Without records the batch has no routing key."""
    batch: dict[str, Any] = {}
    add_forward_routing(batch, [packer.get_policy_input(None, [1], prompt_ids=[1]), object()], 2)
    assert batch == {}


@pytest.mark.parametrize("without", [0, 1])
def test_mixed(packer: DecoderOnlyLLMDataPacker, without: int) -> None:
    """Routing on some samples only is refused, naming one that lacks it."""
    samples = [routed(3), routed(3)]
    samples[without].forward_routing = None
    with pytest.raises(ValueError, match=rf"sample {without} carries no forward_routing, and 1 of 2 samples do"):
        packer.policy_collate_fn(samples, 3)


BAD = {
    "rows": (torch.zeros(2, 2, 3, dtype=torch.int8), ValueError, "has 2 rows, expected 3: .* for 4 input_ids"),
    "one row too many": (torch.zeros(4, 2, 3, dtype=torch.int8), ValueError, "has 4 rows, expected 3"),
    "layers": (torch.zeros(3, 1, 3, dtype=torch.int8), ValueError, r"has \[layers, top_k\] = \[1, 3\], sample 0 has"),
    "top_k": (torch.zeros(3, 2, 4, dtype=torch.int8), ValueError, r"has \[layers, top_k\] = \[2, 4\]"),
    "two axes": (torch.zeros(3, 2, dtype=torch.int8), ValueError, r"has shape \[3, 2\]"),
    "float": (torch.zeros(3, 2, 3), TypeError, "is a float32 Tensor, expected .* of int8, int16"),
    "bool": (torch.zeros(3, 2, 3, dtype=torch.bool), TypeError, "is a bool Tensor"),
    "numpy float": (np.zeros((3, 2, 3)), TypeError, "is a float64 ndarray"),
    "lists": ([[[0]]], TypeError, "is a list, expected a NumPy array or tensor"),
    "below -1": (torch.full((3, 2, 3), -2), ValueError, "holds -2"),
    "uint64": (torch.full((3, 2, 3), 2**63, dtype=torch.uint64), TypeError, "is a uint64 Tensor"),
    "sparse": (torch.zeros(3, 2, 3, dtype=torch.int8).to_sparse(), TypeError, "is a torch.sparse_coo tensor"),
    "elsewhere": (torch.zeros(3, 2, 3, dtype=torch.int8, device="meta"), ValueError, "lies on meta"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_records(name: str) -> None:
    """A record that does not fit its sample or the batch is refused, naming what is wrong."""
    record, kind, text = BAD[name]
    samples = [routed(4), routed(4).model_copy(update={"forward_routing": record})]
    with pytest.raises(kind, match=text):
        collated(samples, 4)


@pytest.mark.parametrize(
    "config", [{"num_experts": 8}, {"num_local_experts": 8}, {"text_config": {"n_routed_experts": 8, "num_experts": 2}}]
)
def test_experts_of_the_model(config: dict[str, Any], tmp_path: Path) -> None:
    """Setup reads how many experts there are; the last is taken, the next refused, also after a saved state."""
    folder, saved = tmp_path / "model", tmp_path / "saved"
    shutil.copytree(model_path("tiny-qwen"), folder)
    given = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(given | config), "utf-8")
    packer, again = DecoderOnlyLLMDataPacker(), DecoderOnlyLLMDataPacker()
    assert packer.experts is None
    packer.setup(str(folder))
    packer.save_state(str(saved))
    again.setup(str(saved))
    for one in (packer, again):
        assert one.experts == 8
        assert one.policy_collate_fn([routed(3, 7)], 3)["forward_replay_routing"].max() == 7
        with pytest.raises(ValueError, match="sample 1, forward_routing holds expert 8, and the model has 8 experts"):
            one.policy_collate_fn([routed(3, 7), routed(3, 8)], 3)


def test_width(packer: DecoderOnlyLLMDataPacker) -> None:
    """A record longer than the batch, or a batch of another shape, is refused."""
    with pytest.raises(ValueError, match=r"sample 0 has 5 input_ids, more than max_len=4"):
        collated([routed(5)], 4)
    samples = [routed(3)]
    batch = packer.policy_collate_fn(samples, 5)
    with pytest.raises(ValueError, match=r"input_ids are \[1, 5\], the routing would be \[1, 4, 2, 3\]"):
        add_forward_routing(batch, samples, 4)


def test_records_are_copied() -> None:
    """The batch owns its routing, and the records stay as they were."""
    sample = routed(3)
    before = copy.deepcopy(sample.forward_routing)
    collated([sample], 3).fill_(9)
    assert torch.equal(sample.forward_routing, before)


class TestShape:
    """From a trajectory to a policy input."""

    def test_recorded_ids_win(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """Recorded prompt and completion ids outrank text on both sides, and the prefix count reaches the mask."""
        trajectory = Trajectory(
            obs=OBS, completion="text", policy_info={"prompt_ids": [7, 8], "completion_ids": [9, 5, 4]}
        )
        got = shape_policy_input(packer, trajectory, 1)
        assert got.input_ids == [7, 8, 9, 5, 4]
        assert got.logprob_masks == [0, 0, 1, 1, 0]
        assert got.forward_routing is None

    def test_text_when_nothing_was_recorded(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """Without recorded ids the trajectory's own completion is shaped."""
        got = shape_policy_input(packer, Trajectory(obs=OBS, completion=" lazy dog"))
        assert got == packer.get_policy_input(OBS, " lazy dog")

    def test_recorded_empty_completion(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A recorded empty completion is empty, not absent."""
        trajectory = Trajectory(obs=OBS, completion="text", policy_info={"prompt_ids": [7], "completion_ids": []})
        assert shape_policy_input(packer, trajectory).input_ids == [7]

    def test_routing_is_attached(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A record with one row per input id but the last travels with the sample into the batch."""
        record = torch.arange(6, dtype=torch.int16).reshape(2, 3, 1)
        info: Any = {"prompt_ids": [7], "completion_ids": [8, 9], "rollout_routed_experts": record}
        got = shape_policy_input(packer, Trajectory(obs=OBS, completion=[8, 9], policy_info=info))
        batch = packer.policy_collate_fn([got], 3)
        assert torch.equal(batch[FORWARD_REPLAY_BATCH_KEY][0, :2].short(), record)

    @pytest.mark.parametrize("rows", [1, 3])
    def test_row_count(self, packer: DecoderOnlyLLMDataPacker, rows: int) -> None:
        """Another number of rows is refused before anything is attached, also where it came after the trajectory."""
        trajectory = Trajectory(obs=OBS, completion=[8, 9], policy_info={"prompt_ids": [7], "completion_ids": [8, 9]})
        trajectory.policy_info["rollout_routed_experts"] = torch.zeros(rows, 1, 1, dtype=torch.int8)
        with pytest.raises(ValueError, match=rf"rollout_routed_experts has {rows} rows?, expected 2"):
            shape_policy_input(packer, trajectory)

    def test_record_of_lists(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """What is no array is refused where it is attached, as are numbers that are no experts."""
        trajectory = Trajectory(obs=OBS, completion=[8], policy_info={"prompt_ids": [7], "completion_ids": [8]})
        trajectory.policy_info["rollout_routed_experts"] = [[[0]]]
        with pytest.raises(TypeError, match="rollout_routed_experts is a list"):
            shape_policy_input(packer, trajectory)
        trajectory.policy_info["rollout_routed_experts"] = torch.full((1, 1, 1), -2)
        with pytest.raises(ValueError, match="rollout_routed_experts holds -2"):
            shape_policy_input(packer, trajectory)

    def test_policy_input_without_room(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A packer whose policy input has no field for routing cannot be used for replay."""

        @dataclass
        class Bare:
            input_ids: list[int]
            logprob_masks: list[int]

        class BarePacker(DecoderOnlyLLMDataPacker):
            def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
                full = super().get_policy_input(*args, **kwargs)
                return Bare(full.input_ids, full.logprob_masks)

        record = torch.zeros(1, 1, 1, dtype=torch.int8)
        info: Any = {"prompt_ids": [7], "rollout_routed_experts": record}
        with pytest.raises(TypeError, match=r"Bare cannot carry it; give the policy input a forward_routing field"):
            shape_policy_input(BarePacker(), Trajectory(obs=OBS, completion=[8], policy_info=info))
