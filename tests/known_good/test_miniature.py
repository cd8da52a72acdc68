"""No false alarm on the miniature packer, which the zoo plants its faults in."""

import time

from known_good.verdicts import not_passed
from packproof import check_packer, limits
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_selection import MiniatureSelection
from real_vocabularies import real_vocabulary


def test_the_miniature_keeps_every_core_rule():
    """With its own selection the miniature is held to all 70 rules, and keeps them."""
    report = check_packer(MiniaturePacker, selection=MiniatureSelection(), effort="quick", seed=1)
    assert report.subjects[0].verdict == "conformant"
    assert [one.status for one in report.subjects[0].outcomes] == ["pass"] * 70


def test_the_miniature_conforms_on_a_vocabulary_that_adds_bos():
    """Two packers written apart agree with the checks also over a real vocabulary that adds a BOS by itself."""
    report = check_packer(MiniaturePacker, models=[str(real_vocabulary("mistral"))], effort="quick")
    assert report.subjects[0].verdict == "conformant"
    assert not_passed(report) == {}


class SlowToSetUp(MiniaturePacker):
    """Loads for close to half of what one case may take, as large tokenizers do on a busy machine."""

    def setup(self, name_or_path, trust_remote_code=False):
        time.sleep(0.4)
        super().setup(name_or_path, trust_remote_code)


def test_a_slow_setup_is_not_taken_for_a_hang(monkeypatch):
    """A case that sets up several packers may take longer than a case, as long as each setup keeps its own limit."""
    monkeypatch.setattr(limits, "CASE_LIMIT_S", 1.0)
    report = check_packer(SlowToSetUp, models=["tiny-gpt2"], select=["LIFE-8"], effort="quick")
    assert [one.status for one in report.subjects[0].outcomes] == ["pass"]
