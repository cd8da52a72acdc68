"""No false alarm on packers and steps that carry recorded routing, written apart and in different shapes."""

import dataclasses

import numpy as np
import pytest
import torch

import packer_reference.routing
from known_good.outsiders import IdsPacker, check_width, plain_ids, scored_predictions
from known_good.verdicts import not_applicable, not_passed
from packproof import check_packer
from packproof.models import model_path
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_routed import MiniatureRouted
from packproof.zoo.miniature_steps import MiniatureSteps

RULES = [f"ROUTE-{number}" for number in range(1, 16)]
OF_STEPS = ["ROUTE-5", "ROUTE-12", "ROUTE-13", "ROUTE-14", "ROUTE-15"]


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSample:
    input_ids: tuple
    logprob_masks: tuple
    forward_routing: object = None


class FrozenPacker:
    """Ids in, frozen samples out; it does not know how many experts there are."""

    def get_policy_input(self, sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None):
        if prompt_ids is None:
            raise ValueError("this packer takes ids only; pass prompt_ids")
        prompt, completion = plain_ids(prompt_ids), plain_ids(rollout_output)
        marks = scored_predictions(len(prompt), len(completion), n_ignore_prefix_tokens)
        return FrozenSample(tuple(prompt + completion), tuple(marks))

    def policy_compute_max_len(self, processed_samples):
        return max(len(sample.input_ids) for sample in processed_samples)

    def policy_collate_fn(self, processed_samples, computed_max_len):
        check_width([len(sample.input_ids) for sample in processed_samples], computed_max_len)
        ids = torch.zeros(len(processed_samples), computed_max_len, dtype=torch.int64)
        marks = torch.zeros(ids.shape, dtype=torch.bool)
        for row, sample in enumerate(processed_samples):
            ids[row, : len(sample.input_ids)] = torch.tensor(sample.input_ids)
            marks[row, : len(sample.logprob_masks)] = torch.tensor(sample.logprob_masks)
        batch = {"input_ids": ids, "logprob_masks": marks}
        without = [at for at, sample in enumerate(processed_samples) if sample.forward_routing is None]
        if len(without) == len(processed_samples):
            return batch
        if without:
            has = len(processed_samples) - len(without)
            raise ValueError(f"sample {without[0]}: no forward_routing, and {has} of {len(processed_samples)} have it")
        rows = [routing_rows(at, sample) for at, sample in enumerate(processed_samples)]
        for at, one in enumerate(rows):
            if one.shape[1:] != rows[0].shape[1:]:
                raise ValueError(f"sample {at} is {tuple(one.shape[1:])}, sample 0 is {tuple(rows[0].shape[1:])}")
        routing = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-1)
        missing = computed_max_len - routing.shape[1]
        routing = torch.nn.functional.pad(routing, (0, 0, 0, 0, 0, missing), value=-1)
        top = int(routing.max()) if routing.numel() else -1
        kinds = (torch.int8, torch.int16, torch.int32, torch.int64)
        batch["forward_replay_routing"] = routing.to(next(kind for kind in kinds if top <= torch.iinfo(kind).max))
        return batch


def routing_rows(at, sample):
    """The record of a sample as int64, refused where it is none."""
    name, record = f"sample {at}, forward_routing", sample.forward_routing
    if isinstance(record, np.ndarray):
        record = torch.from_numpy(record)
    if not isinstance(record, torch.Tensor) or record.is_floating_point() or record.dtype == torch.bool:
        raise TypeError(f"{name} is {type(record)}")
    if record.device.type != "cpu" or record.dim() != 3:
        raise ValueError(f"{name}: {record.device}, {record.dim()} axes")
    if len(record) != len(sample.input_ids) - 1:
        raise ValueError(f"{name}: {len(record)} rows, not {len(sample.input_ids) - 1}")
    record = record.long()
    if record.numel() and record.min() < -1:
        raise ValueError(f"{name}: {record.min()}")
    return record


@pytest.mark.parametrize(
    ("packer", "steps"),
    [
        (MiniatureRouted, MiniatureSteps()),
        ("packer_reference.decoder_only:make_packer", packer_reference.routing),
        (FrozenPacker, packer_reference.routing),
    ],
)
def test_a_packer_and_its_steps_keep_every_rule(packer, steps):
    """The miniature, the reference and an outsider whose samples are frozen conform, each with steps of its own."""
    models = () if packer is FrozenPacker else "tiny-gpt2"
    report = check_packer(packer, models=models, routing=steps, level="routing", effort="quick", seed=1)
    assert report.subjects[0].verdict == "conformant"
    assert [(one.requirement, one.status) for one in report.subjects[0].outcomes] == [(id, "pass") for id in RULES]


def test_a_packer_without_steps_is_held_to_the_rest():
    """Where no steps are named, the ten rules on packers are tried, and the others say why not."""
    report = check_packer(FrozenPacker, level="routing", effort="quick")
    assert not_passed(report) == {}
    assert not_applicable(report) == {"no module of routing steps named (--packer-routing)": OF_STEPS}


def test_policy_inputs_that_are_mappings_carry_no_record():
    """A packer of dictionaries is held to the rules on steps alone: what it cannot carry, they have to refuse."""
    report = check_packer(lambda: IdsPacker(0), routing=MiniatureSteps(), level="routing", effort="quick")
    assert not_passed(report) == {}
    reason = "its policy inputs are no RoutedPolicyInput, with the attributes input_ids and forward_routing"
    carried = [id for id in RULES if id not in ("ROUTE-5", "ROUTE-13", "ROUTE-14")]
    assert not_applicable(report) == {reason: carried}


def test_a_packer_of_a_model_with_few_experts_is_no_false_alarm(tmp_path):
    """On a model whose configuration names eight experts the reference refuses other ids, and conforms."""
    from packproof.changes import ModelFiles

    files = ModelFiles.read(model_path("tiny-qwen"))
    files.having(config=files.config | {"num_experts": 8}).write(tmp_path / "model")
    report = check_packer(
        "packer_reference.decoder_only:make_packer",
        models=[str(tmp_path / "model")],
        routing="packer_reference.routing",
        level="routing",
        effort="quick",
    )
    assert not_passed(report) == {}
    assert report.subjects[0].verdict == "conformant"


def test_the_steps_of_one_code_base_serve_another():
    """Steps of the reference carry records around a packer that knows nothing of routing, and refuse what it lacks."""
    named = {"models": "tiny-spm", "routing": "packer_reference.routing"}
    report = check_packer(MiniaturePacker, level="routing", effort="quick", **named)
    assert not_passed(report) == {}
