"""The probe corpus and what packers do on it: fixed, repeatable, and telling where something changed."""

from typing import Any

import pytest

from packer_schemas import identity_digest
from packproof.behaviour import behaviour_digest, observed
from packproof.models import EMBEDDED
from packproof.probes import PROBE_CORPUS, PROBES
from packproof.subject import Subject
from packproof.zoo.miniature import MiniaturePacker

CORPORA = {1: "331ea4d9b4d24b01bb3226e9838b715badd2769a92a9e7738d98025cf47314ec"}
"""Digest of every version of the corpus there was."""


class PadsWithAnother(MiniaturePacker):
    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        return ids + [self.tokenizer.pad_token_id + 1] * (width - len(ids))


class StripsTexts(MiniaturePacker):
    def _encode(self, text: str) -> list[int]:
        return super()._encode(text.strip())


class RaisesAnother(MiniaturePacker):
    def _check_ignored(self, ignored: int, completion_len: int) -> None:
        if not 0 <= ignored <= completion_len:
            raise OverflowError(ignored)


class RollsOut:
    def get_rollout_input(self, item: Any) -> Any:
        return item.representations["prompt"]


def behaviour(subject: Subject) -> dict[str, dict[str, str]]:
    """A digest of what a fresh packer gives for each probe, by model and by the name of the probe."""
    found = {}
    for model in subject.models:
        seen = observed(subject.fresh(model), subject.capabilities)
        found[str(model)] = {name: identity_digest(answers, name) for name, answers in seen.items()}
    return found


def changed(other: Any) -> set[str]:
    """Names of the probes on which another packer differs from the miniature, on any model."""
    before, after = (behaviour(Subject(packer)) for packer in (MiniaturePacker, other))
    return {name for model in before for name, digest in before[model].items() if after[model][name] != digest}


def test_the_corpus_is_the_one_of_its_version() -> None:
    """Whoever changes a probe raises the version of the corpus, and adds its digest here."""
    content = [[probe.name, probe.extra_width, [one.model_dump() for one in probe.samples]] for probe in PROBES]
    assert CORPORA[PROBE_CORPUS] == identity_digest(content)


def test_probes_have_names_of_their_own() -> None:
    """A name stands for one probe."""
    assert len({probe.name for probe in PROBES}) == len(PROBES)


def test_two_runs_agree() -> None:
    """Two packers of one factory do the same on every probe and model, and their digest is one."""
    first, second = (behaviour(Subject("packer_reference.decoder_only:make_packer")) for _ in range(2))
    assert first == second
    assert list(first) == list(EMBEDDED)
    assert behaviour_digest(first) == behaviour_digest(dict(reversed(second.items())))


@pytest.mark.parametrize(
    ("other", "probes"),
    [
        pytest.param(PadsWithAnother, {"batch", "padded batch"}, id="filler"),
        pytest.param(StripsTexts, {"white space", "several turns"}, id="white space"),
        pytest.param(RaisesAnother, {"ignored tokens", "refused ids"}, id="kind of a refusal"),
    ],
)
def test_a_change_shows_on_the_probes_that_are_there_for_it(other: Any, probes: set[str]) -> None:
    """Another filler, another text and another kind of refusal each change the probes that hold them."""
    found = changed(other)
    assert probes <= found
    assert "stored ids" not in found


def test_only_what_is_promised_is_called() -> None:
    """A packer without a policy side is asked for its rollout inputs alone."""
    subject = Subject(RollsOut)
    seen = observed(subject.fresh(), subject.capabilities)
    assert seen["words"] == {"get_rollout_input 0": PROBES[0].samples[0].prompt}
    assert {call.partition(" ")[0] for answers in seen.values() for call in answers} == {"get_rollout_input"}
