"""No false alarm on rollout bodies and trainers: those that people write, and the miniatures."""

import pytest

from packer_schemas import Report
from packproof import check_rollout, check_trainer
from packproof.models import EMBEDDED, model_path
from packproof.rollouts.packers import MARK
from packproof.rollouts.strategies import EVEN, PROMPTS
from packproof.rollouts.tiny_models import tiny_model
from packproof.rollouts.watch import Watch
from packproof.zoo.tokenizers import own_tokenizer

MINIATURES = "packproof.zoo.miniature_rollout"
BODIES = [f"BODY-{number}" for number in (*range(1, 17), 21)]


def passed(report: Report) -> set[str]:
    return {one.requirement for one in report.subjects[0].outcomes if one.status == "pass"}


@pytest.mark.parametrize(
    ("name", "out_of_place"),
    [
        ("known_good.outsider_bodies:OneByOne", {"BODY-14"}),
        ("known_good.outsider_bodies:Generate", {"BODY-14"}),
        ("known_good.outsider_bodies:TextOnly", {"BODY-7", "BODY-8", "BODY-12", "BODY-14"}),
        ("packer_reference:HFRollout", {"BODY-14"}),
        ("known_good.outsider_bodies:in_process", {"BODY-2"}),
        (f"{MINIATURES}:MiniatureRollout", {"BODY-14"}),
        (f"{MINIATURES}:MiniatureTextRollout", {"BODY-2"}),
    ],
)
def test_a_body_as_people_write_it_keeps_every_rule(name: str, out_of_place: set[str]) -> None:
    """Bodies that go one by one, call `model.generate`, give text alone, or let the engine encode, break nothing."""
    report = check_rollout(name, effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert passed(report) == {*BODIES} - out_of_place


@pytest.mark.parametrize(
    "parts", ["packproof.zoo.miniature_trainer:MiniatureTrainer", "packer_reference:ReferenceTrainer"]
)
def test_the_parts_of_a_trainer_keep_every_rule(parts: str) -> None:
    """The miniature of a trainer, and the reference's, pass all four rules that bind them."""
    report = check_trainer(parts, effort="quick")
    assert passed(report) == {"BODY-17", "BODY-18", "BODY-19", "BODY-20"}


def test_no_prompt_begins_as_another_one() -> None:
    """What a model is handed tells the prompts of a case apart, on every tokenizer, and texts of one width have it."""
    for name in EMBEDDED:
        tokenizer = own_tokenizer(str(model_path(name)))
        ids = {text: tokenizer(text, add_special_tokens=False)["input_ids"] for text in {*PROMPTS, *EVEN}}
        for text, own in ids.items():
            assert not [other for other in ids if other != text and ids[other][: len(own)] == own]
            assert tokenizer(text + MARK, add_special_tokens=False)["input_ids"] != own
        assert {len(ids[text]) for text in EVEN} == {2}


@pytest.mark.parametrize("architecture", ["rotary", "learned", "experts"])
@pytest.mark.parametrize("cached", [True, False])
def test_what_a_model_was_handed_is_told_from_its_calls(architecture, cached: bool) -> None:
    """Rows filled on the left are told without their fill, and generation, cached or not, is no prompt."""
    import torch

    model = tiny_model(architecture, vocabulary=50, seed=0, spread=8.0)
    watch = Watch(model)
    rows, mask = torch.tensor([[5, 6, 7], [0, 8, 9]]), torch.tensor([[1, 1, 1], [0, 1, 1]])
    model.generate(
        rows, attention_mask=mask, max_new_tokens=3, do_sample=False, pad_token_id=0, use_cache=cached, eos_token_id=49
    )
    assert [one.ids for one in watch.prompts] == [[5, 6, 7], [8, 9]]
    assert watch.calls == 3
    with watch.away():
        model(rows)
    assert watch.calls == 3


def test_a_model_depends_on_its_seed_alone() -> None:
    """Equal seeds give equal weights, whatever the global random state, which is left as it was."""
    import torch

    first = tiny_model("rotary", vocabulary=50, seed=3, spread=1.0)
    torch.manual_seed(7)
    before = torch.get_rng_state()
    second, other = (tiny_model("rotary", vocabulary=50, seed=seed, spread=1.0) for seed in (3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.lm_head.weight, second.lm_head.weight)
    assert not torch.equal(first.lm_head.weight, other.lm_head.weight)
