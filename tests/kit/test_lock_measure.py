"""How packers are measured into entries: anew for every model, and without a traceback where they fail."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from user_packers import Plain

from packer_schemas import class_source_sha256, identity_digest
from packproof.behaviour import observed
from packproof.lock.fresh import Fresh
from packproof.lock.measure import measure
from packproof.models import model_path
from packproof.probes import PROBE_CORPUS, PROBES
from packproof.subject import Subject
from packproof.zoo.miniature import MiniaturePacker


class Declares(Plain):
    """Declares one setting."""

    def validation_semantics_identity(self) -> dict[str, Any]:
        return {"pad": 0}


class Processes(Declares):
    """Declares two parts."""

    def processor_semantics_identity(self) -> dict[str, Any]:
        return {"image": None}


class WithTemplate(MiniaturePacker):
    """Declares what it was set up with."""

    def validation_semantics_identity(self) -> dict[str, Any]:
        return {"template": self.tokenizer.chat_template}


class Tuples(Plain):
    """Declares what is no JSON."""

    def validation_semantics_identity(self) -> Any:
        return {"size": (14, 14)}


class Raises(Plain):
    """Raises when it is asked."""

    def validation_semantics_identity(self) -> Any:
        raise ValueError("no tokenizer.json\x1b[31m")


class Exits(Plain):
    """Ends the process when it is asked."""

    def validation_semantics_identity(self) -> Any:
        sys.exit(3)


class Takes(Plain):
    """Has a method of the right name with an argument."""

    def validation_semantics_identity(self, model: str) -> Any:
        return {"model": model}


class SecondFails(MiniaturePacker):
    """Can be set up four times, once for every model, and not again."""

    made = 0

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        SecondFails.made += 1
        if SecondFails.made > 1:
            raise OSError("too many open files")
        super().setup(name_or_path, trust_remote_code)


class Bottomless(Plain):
    """Returns lists in lists, deeper than can be written down."""

    def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
        row: Any = []
        for _ in range(200):
            row = [row]
        return {**super().get_policy_input(*args, **kwargs), "extra": row}


class Counts(Plain):
    """Numbers its rows, over all packers."""

    made = 0

    def get_policy_input(self, *args: Any, **kwargs: Any) -> Any:
        Counts.made += 1
        return {**super().get_policy_input(*args, **kwargs), "number": Counts.made}


class DeclaresItself(Plain):
    """Declares where it lies in memory."""

    def validation_semantics_identity(self) -> Any:
        return {"at": id(self)}


def measured(factory: Callable[[], Any], **given: Any) -> Fresh:
    """What one packer is measured to be, under the label `a`."""
    return measure([Subject(factory, label="a", **given)], Path("/nowhere"))


def why(factory: Callable[[], Any], **given: Any) -> str:
    """Why a packer was not measured."""
    found = measured(factory, **given)
    assert found.lock.subjects == {}
    return found.failed["a"].why


def test_an_entry_holds_what_the_packer_declares_and_does() -> None:
    """Parts, source and probes are those of the packer; its reason is empty, and the corpus is that of the probes."""
    found = measured(Processes)
    entry = found.lock.subjects["a"]
    assert (entry.target, entry.models, entry.reason) == ("test_lock_measure:Processes", ["as built"], "")
    assert {name: part.value for name, part in entry.identities["as built"].parts.items()} == {
        "semantics": {"pad": 0},
        "processor": {"image": None},
    }
    assert entry.class_source_sha256 == class_source_sha256(Processes)
    assert list(entry.behaviour["as built"]) == [probe.name for probe in PROBES]
    subject = Subject(Processes)
    seen = observed(subject.fresh(), subject.capabilities)
    assert entry.behaviour == {"as built": {probe: identity_digest(answers) for probe, answers in seen.items()}}
    assert found.seen == {"a": {"as built": seen}}
    assert entry.behaviour_sha256 == identity_digest(entry.behaviour)
    assert found.lock.probe_corpus == PROBE_CORPUS
    assert {"python", "tokenizers", "torch", "transformers"} <= set(found.lock.versions)
    assert found.failed == {}


def test_a_packer_that_declares_nothing_has_no_document() -> None:
    """Nothing is made up for it."""
    assert measured(Plain).lock.subjects["a"].identities == {}


def test_every_model_is_asked_by_itself() -> None:
    """Identities and behaviours are by model, and each is that of the packer on this model."""
    entry = measured(WithTemplate, models=["tiny-qwen", "tiny-gpt2"]).lock.subjects["a"]
    assert list(entry.identities) == list(entry.behaviour) == entry.models == ["tiny-qwen", "tiny-gpt2"]
    assert entry.identities["tiny-qwen"].sha256 != entry.identities["tiny-gpt2"].sha256
    assert entry.behaviour["tiny-qwen"] != entry.behaviour["tiny-gpt2"]


def test_measuring_twice_gives_equal_entries() -> None:
    """A packer that was used before, by this very measuring, gives what a new one gives."""
    subject = Subject(WithTemplate, label="a")
    first, second = (measure([subject], Path()) for _ in range(2))
    assert first.lock == second.lock


def test_a_model_folder_of_the_project_is_named_from_there(tmp_path: Path) -> None:
    """A path below the project's folder is relative in the entry, another one as it was given."""
    own, other = tmp_path / "models" / "own", model_path("tiny-gpt2")
    own.parent.mkdir()
    own.symlink_to(model_path("tiny-qwen"))
    subject = Subject(WithTemplate, label="a", models=[str(own), str(other)])
    assert measure([subject], tmp_path).lock.subjects["a"].models == ["models/own", str(other)]


@pytest.mark.parametrize(
    ("packer", "says"),
    [
        (
            Tuples,
            "test_lock_measure.Tuples.validation_semantics_identity(): semantics.size: expected plain JSON data",
        ),
        (Raises, "its declared identity raised ValueError: no tokenizer.json\\x1b[31m (test_lock_measure.py:"),
        (Exits, "its declared identity tried to end the process: SystemExit(3)"),
        (Takes, "missing 1 required positional argument: 'model'"),
        (Bottomless, "the probe 'stored ids' gave what cannot be written down: "),
    ],
)
def test_a_declaration_that_is_none_is_told(packer: Callable[[], Any], says: str) -> None:
    """What is no plain data, raises, exits or wants arguments is told in one line, with the place."""
    told = why(packer)
    assert says in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("packer", "says"),
    [
        (Counts, r"another packer from its factory gives something else for stored ids, .*: see LIFE-8"),
        (DeclaresItself, r"another packer from its factory declares another identity \(semantics\.at: \d+ -> \d+\)"),
    ],
)
def test_what_changes_by_itself_is_not_pinned(packer: Callable[[], Any], says: str) -> None:
    """A packer that counts, or whose identity is its address, is told so and not called too narrow or too wide."""
    assert re.match(says, why(packer))


def test_a_setup_that_fails_the_second_time_is_told() -> None:
    """A packer that the kit has set up once, and that cannot be built anew, is told by the call that failed."""
    SecondFails.made = 0
    says = "setup('tiny-qwen') raised OSError: too many open files"
    assert why(SecondFails, models=["tiny-qwen"]).startswith(says)


def test_one_packer_that_fails_does_not_take_others_along() -> None:
    """The others are measured all the same."""
    subjects = [Subject(Raises, label="bad"), Subject(Declares, label="good")]
    found = measure(subjects, Path())
    assert (list(found.failed), list(found.lock.subjects)) == (["bad"], ["good"])
