"""What a lock check finds, model by model, and how it reads."""

from typing import Any

import pytest
from lock_entries import entry, fresh, lock

from packer_schemas import LockedSubject, LockFinding
from packproof.lock.compare import compare
from packproof.lock.fresh import Fresh, NotMeasured
from packproof.lock.report import finding_text

TWO = {"tiny": (0, 0), "big": (0, 0)}


def found(then: LockedSubject, now: LockedSubject) -> LockFinding:
    """The finding of one packer, `then` pinned."""
    return compare(lock(a=then), fresh(a=now))["a"]


def models(tiny: Any, big: Any) -> LockedSubject:
    """An entry on two models."""
    return entry({"tiny": tiny, "big": big})


@pytest.mark.parametrize(
    ("now", "outcome"),
    [
        (models((0, 0), (0, 0)), "same"),
        (models((0, 0), (1, 0)), "only identity changed"),
        (models((0, 0), (1, 1)), "both changed"),
        (models((1, 0), (1, 1)), "both changed"),
        (models((0, 0), (0, 1)), "only behaviour changed"),
        (models((1, 1), (0, 1)), "only behaviour changed"),
        (models((0, 1), (1, 0)), "only behaviour changed"),
        (models((None, 0), (None, 0)), "only identity changed"),
        (models((None, 1), (None, 0)), "both changed"),
        (models((0, 0), (None, 1)), "both changed"),
    ],
)
def test_one_model_that_is_declared_too_narrow_decides(now: LockedSubject, outcome: str) -> None:
    """Same identity with changed behaviour on one model is that, whatever the other one shows."""
    assert found(entry(TWO), now).outcome == outcome


def test_a_packer_that_declares_nothing_is_told_so() -> None:
    """Its behaviour alone is compared, and a change of it can be updated."""
    then, now = models((None, 0), (None, 0)), models((None, 0), (None, 1))
    assert found(then, then).outcome == "same"
    finding = found(then, now)
    assert finding.outcome == "undeclared changed"
    assert "the behaviour changed, and no identity is declared" in finding.message


def test_other_models_are_told_and_fail() -> None:
    """A model more or less fails by itself only where nothing else does; the order of the models is no matter."""
    both = entry(TWO)
    for then, now in ((both, entry({"tiny": (0, 0)})), (entry({"tiny": (0, 0)}), both), (both, entry({"new": (1, 1)}))):
        finding = found(then, now)
        assert (finding.outcome, finding.passes) == ("other models", False)
        assert f"it was pinned on {' and '.join(then.models)}" in finding.notes
    assert found(both, entry({"tiny": (0, 1)})).outcome == "only behaviour changed"
    turned = found(both, entry({"big": (0, 0), "tiny": (0, 0)}))
    assert (turned.outcome, turned.notes) == ("same", ["it was pinned on tiny and big"])


def test_another_corpus_is_a_failure_of_its_own() -> None:
    """Behaviours are not compared, and the fields that changed are shown all the same."""
    finding = compare(lock(2, a=entry()), fresh(1, a=entry({"tiny": (1, 1)})))["a"]
    assert (finding.outcome, finding.passes, finding.behaviour) == ("other probe corpus", False, {})
    assert finding.identity == {"tiny": ["semantics.x: 0 -> 1"]}


def test_entries_and_packers_that_stand_alone() -> None:
    """A packer without an entry is missing, an entry without a packer is obsolete if the run is complete."""
    pinned = lock(gone=entry(target="m:gone"), kept=entry())
    complete = compare(pinned, fresh(kept=entry(), new=entry()))
    assert {label: one.outcome for label, one in complete.items()} == {
        "gone": "obsolete",
        "kept": "same",
        "new": "missing",
    }
    assert complete["gone"].target == "m:gone"
    assert "gone" not in compare(pinned, fresh(complete=False, kept=entry()))
    assert compare(None, fresh(a=entry()))["a"].outcome == "missing"


def test_a_packer_that_was_not_measured_is_not_obsolete() -> None:
    """It fails with what it did, and its entry is nobody's to remove."""
    failed = {"a": NotMeasured("m:f", ["tiny"], "setup('tiny') raised OSError: no file")}
    finding = compare(lock(a=entry()), Fresh(lock(), failed))["a"]
    assert (finding.outcome, finding.passes) == ("not measured", False)
    assert "found       not measured: setup('tiny') raised OSError: no file" in finding.message


def test_source_and_target_decide_nothing() -> None:
    """They are a note of an entry that passes, and a hint beside a change."""
    moved = entry(source="1" * 64, target="n:g")
    finding = found(entry(), moved)
    assert finding.passes
    assert finding.message.splitlines()[2:] == [
        "  note        the source of the packer's class changed",
        "  note        it was pinned as built from m:f",
    ]
    unknown = found(entry(source=None), entry(source=None))
    assert unknown.notes == []
    changed = found(entry(), entry({"tiny": (1, 1)}, source=None))
    assert "  hint        the source of the packer's class changed" in changed.message


def test_a_finding_reads_well() -> None:
    """Packer, meaning, fields, probes and advice stand in this order, with the models where not all differ alike."""
    then = models(({"template": "a" * 90, "pad": 0}, 0), ({"template": "a" * 90, "pad": 0}, 0))
    now = models(({"template": "a" * 89 + "b", "pad": 0}, 1), ({"template": "a" * 90, "pad": 1, "x": None}, 1))
    assert finding_text("mine", found(then, now)).splitlines() == [
        "mine   m:f   on tiny, big",
        "  found       the identity and the behaviour changed: a new checkpoint lineage",
        "  identity    on tiny:",
        f'              semantics.template: ...{"a" * 79}" -> ...{"a" * 78}b"',
        "              on big:",
        "              semantics.pad: 0 -> 1",
        "              semantics.x: absent -> null",
        "  behaviour   batch",
        "  to do       undo it, or update on purpose: checkpoints saved before will not resume",
    ]


@pytest.mark.parametrize(
    ("then", "now", "says"),
    [
        ((None, 0), (0, 0), "a declaration was added, and the behaviour did not change"),
        ((None, 0), (0, 1), "a declaration was added, and the behaviour changed: a new checkpoint lineage"),
        ((0, 0), (None, 0), "the declaration was taken away, and the behaviour did not change"),
        ((0, 0), (None, 1), "the declaration was taken away, and the behaviour changed: a new checkpoint lineage"),
    ],
)
def test_a_declaration_on_one_side_is_told_as_one(then: Any, now: Any, says: str) -> None:
    """A declaration that came or went is not called too wide."""
    finding = found(entry({"tiny": then}), entry({"tiny": now}))
    assert f"  found       {says}" in finding.message.splitlines()
    assert finding.advice == "undo it, or update on purpose: checkpoints saved before will not resume"


def test_what_others_wrote_cannot_reach_the_terminal() -> None:
    """Labels, targets and models from a file are printed in one line each, with what a terminal obeys escaped."""
    strange = entry({"ti\x1b[2Jny\n": (0, 0)}, target="m:\x1b[31mf\n")
    text = finding_text("a\x1b[0m\nb", compare(lock(**{"a\x1b[0m\nb": strange}), fresh())["a\x1b[0m\nb"])
    assert text.isascii()
    assert len(text.splitlines()) == 3
    assert "\x1b" not in text
