"""A run resumes under the identity and the source that it began with, and is told what differs where it cannot."""

import copy
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from model_edits import copied, ready

from packer_reference import DecoderOnlyLLMDataPacker, ResumeGate
from packer_schemas import PackerBinding
from packer_schemas import ResumeGate as ResumeGateProtocol
from packproof.models import EMBEDDED, model_path

SOURCE = """
class Toy:
    def __init__(self, value):
        self.value = value

    def processor_semantics_identity(self):
        return self.value


class Silent:
    pass
"""


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Imports a module of toy packers from an edited source, each time anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def make(old: str = "", new: str = "") -> Any:
        (tmp_path / "toy_packers.py").write_text(SOURCE.replace(old, new) if old else SOURCE)
        sys.modules.pop("toy_packers", None)
        importlib.invalidate_caches()
        return importlib.import_module("toy_packers")

    yield make
    sys.modules.pop("toy_packers", None)


def video(fps: float | None) -> dict[str, Any]:
    """The toy of the specification, with a video processor or none."""
    return {"image_token_id": 450, "video_processor": None if fps is None else {"fps": fps, "type": "ToyVideos"}}


def test_the_gate_satisfies_its_protocol() -> None:
    """A gate has the four methods that a run calls."""
    assert isinstance(ResumeGate(), ResumeGateProtocol)


@pytest.mark.parametrize("name", EMBEDDED)
def test_the_same_packer_resumes(name: str) -> None:
    """What was bound, written as JSON and read back admits a fresh packer on the same model, used or not."""
    packer, gate = ready(model_path(name)), ResumeGate()
    saved = json.loads(json.dumps(gate.bind(packer)))
    assert saved.keys() == {"identity", "class_source_sha256"}
    packer.tokenizer("a b c", truncation=True, max_length=1)
    for again in (packer, ready(model_path(name))):
        gate.admit(saved, again)
        gate.admit(MappingProxyType(saved), again)


def test_another_template_is_refused_with_the_place_and_the_way_on(tmp_path: Path) -> None:
    """The message names the packer, the field and both values around the difference, and advises a fresh run."""
    saved = ResumeGate().bind(ready(model_path("tiny-qwen")))

    def edit(files: Any) -> None:
        files["settings"]["chat_template"] = files["settings"]["chat_template"].replace("assistant", "model")

    with pytest.raises(ValueError, match=r"^cannot resume: packer_reference\.decoder_only\.Decod") as caught:
        ResumeGate().admit(saved, ready(copied("tiny-qwen", tmp_path / "b", edit)))
    lines = str(caught.value).splitlines()
    (field,) = [line for line in lines if line.startswith("  ")]
    assert field.startswith("  semantics.chat_template: ...")
    assert "assistant" in field.partition(" -> ")[0]
    assert "model" in field.partition(" -> ")[2]
    assert lines[-1].startswith("Start a fresh run instead of resuming")


def test_every_field_that_differs_is_named(tmp_path: Path) -> None:
    """Three changes are three lines, and nothing else is said to differ."""
    saved = ResumeGate().bind(ready(model_path("tiny-llama3")))

    def edit(files: Any) -> None:
        merges = files["tokenizer"]["model"]["merges"]
        merges[0], merges[1] = merges[1], merges[0]
        files["settings"]["split_special_tokens"] = True
        files["config"]["model_type"] = "gpt2"

    with pytest.raises(ValueError, match="cannot resume") as caught:
        ResumeGate().admit(saved, ready(copied("tiny-llama3", tmp_path / "b", edit)))
    fields = [line.strip() for line in str(caught.value).splitlines() if line.startswith("  ")]
    assert [field.partition(":")[0] for field in fields] == [
        "semantics.model_type",
        "semantics.special_tokens.read_in_text",
        "semantics.tokenizer.merges_sha256",
    ]
    assert fields[0] == 'semantics.model_type: "llama" -> "gpt2"'
    assert fields[1] == "semantics.special_tokens.read_in_text: true -> false"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (None, 2.0, '  processor.video_processor: null -> {"fps":2.0,"type":"ToyVideos"}'),
        (2.0, 4.0, "  processor.video_processor.fps: 2.0 -> 4.0"),
        (2.0, 2, "  processor.video_processor.fps: 2.0 -> 2"),
    ],
)
def test_the_examples_of_the_specification(
    before: float | None, after: float | None, line: str, toys: Callable[..., Any]
) -> None:
    """The lines that IDENT-16 has for a video processor are those of the message."""
    packers = toys()
    saved = ResumeGate().bind(packers.Toy(video(before)))
    with pytest.raises(ValueError, match="Start a fresh run") as caught:
        ResumeGate().admit(saved, packers.Toy(video(after)))
    assert line in str(caught.value).splitlines()


def test_a_document_on_one_side_only_is_a_difference(toys: Callable[..., Any]) -> None:
    """A declaration that was added or taken away is refused, and told as such."""
    packers = toys()
    declares, silent = packers.Toy({"x": 1}), packers.Silent()
    with pytest.raises(ValueError, match=r'  processor: absent -> \{"x":1\}'):
        ResumeGate().admit(ResumeGate().bind(silent), declares)
    with pytest.raises(ValueError, match=r'  processor: \{"x":1\} -> absent'):
        ResumeGate().admit(ResumeGate().bind(declares), silent)


def test_where_nothing_is_declared_the_source_decides(toys: Callable[..., Any]) -> None:
    """Without documents the same class resumes; an edited one does not, and nobody claims equal semantics."""
    saved = ResumeGate().bind(toys().Silent())
    assert saved["identity"] is None
    ResumeGate().admit(saved, toys().Silent())
    edited = toys("class Silent:\n    pass", "class Silent:\n    pass  # or not").Silent()
    with pytest.raises(ValueError, match=r"Neither side declares its semantics; .* Start a fresh run"):
        ResumeGate().admit(saved, edited)
    ResumeGate(allow_changed_source=True).admit(saved, edited)


def test_an_edited_class_is_refused_unless_allowed(toys: Callable[..., Any]) -> None:
    """With equal declarations only the source differs; the message says so, and one setting lets it pass."""
    saved = ResumeGate().bind(toys().Toy({"x": 1}))
    edited = toys("self.value = value", "self.value = dict(value)").Toy({"x": 1})
    with pytest.raises(ValueError, match="The declared semantics are equal") as caught:
        ResumeGate().admit(saved, edited)
    new = PackerBinding.of(edited).class_source_sha256
    assert f"  class_source_sha256: {saved['class_source_sha256']} -> {new}" in str(caught.value).splitlines()
    assert "Start a fresh run instead of resuming" in str(caught.value)
    ResumeGate(allow_changed_source=True).admit(saved, edited)


def test_allowing_a_changed_source_allows_nothing_else(toys: Callable[..., Any]) -> None:
    """Another identity is refused all the same, and the source is among what differs."""
    saved = ResumeGate().bind(toys().Toy({"x": 1}))
    edited = toys("self.value = value", "self.value = dict(value)").Toy({"x": 2})
    with pytest.raises(ValueError, match=r"processor\.x: 1 -> 2\n  class_source_sha256: \w+ -> \w+\n"):
        ResumeGate(allow_changed_source=True).admit(saved, edited)


def test_no_source_equals_no_source_only(toys: Callable[..., Any]) -> None:
    """A class whose text cannot be had resumes from one of the same kind, and from no other."""
    made = type("Made", (), {})()
    saved = ResumeGate().bind(made)
    assert saved == {"identity": None, "class_source_sha256": None}
    ResumeGate().admit(saved, made)
    with pytest.raises(ValueError, match=r"class_source_sha256: null -> \w{64}\n"):
        ResumeGate().admit(saved, toys().Silent())


@pytest.mark.parametrize("given", ["false", 1, None, 0])
def test_the_setting_is_a_plain_yes_or_no(given: Any) -> None:
    """A text out of a configuration, which would count as true, is refused."""
    with pytest.raises(TypeError, match=r"allow_changed_source is .*, expected True or False"):
        ResumeGate(allow_changed_source=given)


def test_the_name_of_the_class_decides_nothing(toys: Callable[..., Any]) -> None:
    """A document that another module's class made admits a packer with the same declaration and source."""
    packer = toys().Toy({"x": 1})
    saved = ResumeGate().bind(packer)
    saved["identity"]["packer"] = "elsewhere.Toy"
    ResumeGate().admit(saved, packer)


def edited(saved: Mapping[str, Any], *way: str, **values: Any) -> dict[str, Any]:
    """A copy of a binding with values set at a place in it."""
    copied = copy.deepcopy(dict(saved))
    place = copied
    for step in way:
        place = place[step]
    place.update(values)
    return copied


PART = ("identity", "parts", "processor")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda saved: None, "it is a NoneType, expected what ResumeGate.bind returned"),
        (lambda saved: [saved], "it is a list"),
        (lambda saved: {}, "identity: Field required"),
        (lambda saved: {"identity": saved["identity"]}, "class_source_sha256: Field required"),
        (lambda saved: edited(saved, more=1), "more: Extra inputs"),
        (lambda saved: edited(saved, class_source_sha256="x"), "class_source_sha256: String should match"),
        (lambda saved: edited(saved, *PART, value={"x": 2}), r"identity\.parts\.processor: .*was a value edited by"),
        (lambda saved: edited(saved, *PART, value={"x": 1.0}), r"identity\.parts\.processor: .*was a value edited by"),
        (lambda saved: edited(saved, *PART, value={}), r"identity\.parts\.processor\.value: Dictionary should have"),
        (lambda saved: edited(saved, *PART, value={"x": (1,)}), r"identity\.parts\.processor\.value\.x: .*tuple"),
        (lambda saved: edited(saved, *PART, sha256=b"0"), r"identity\.parts\.processor\.sha256: .*bytes"),
        (lambda saved: edited(saved, "identity", schema_version=2), r"identity\.schema_version: "),
        (lambda saved: edited(saved, "identity", schema_version=True), r"identity\.schema_version: "),
        (lambda saved: edited(saved, "identity", sha256="0" * 64), r"identity: .*over the parts' digests"),
        (lambda saved: edited(saved, "identity", parts={}), r"identity\.parts: "),
        (lambda saved: edited(saved, "identity", parts={"tokenizer": saved}), r"identity\.parts\.tokenizer"),
        (lambda saved: edited(saved, identity="x"), "identity: "),
        (lambda saved: {1: 2}, "the key 1 is of type int"),
    ],
)
def test_what_cannot_be_read_is_a_refusal(spoil: Callable[[Any], Any], said: str, toys: Callable[..., Any]) -> None:
    """A binding that is damaged, edited or of another layout is a `ValueError` that names the place, not a pass."""
    packer = toys().Toy({"x": 1})
    saved = spoil(ResumeGate().bind(packer))
    with pytest.raises(ValueError, match=rf"cannot be read: .*{said}") as caught:
        ResumeGate(allow_changed_source=True).admit(saved, packer)
    assert str(caught.value).endswith("Start a fresh run instead of resuming.")


def test_what_was_saved_is_left_alone(toys: Callable[..., Any]) -> None:
    """Admitting and refusing leave the saved mapping as it was, and a binding shares nothing with the packer."""
    packers = toys()
    packer = packers.Toy({"x": {"y": [1]}})
    saved = ResumeGate().bind(packer)
    before = copy.deepcopy(saved)
    ResumeGate().admit(saved, packer)
    packer.value["x"]["y"].append(2)
    with pytest.raises(ValueError, match=r"processor\.x\.y\[1\]: absent -> 2"):
        ResumeGate().admit(saved, packer)
    assert saved == before


def test_a_declaration_that_is_none_is_no_refusal_of_the_checkpoint(toys: Callable[..., Any]) -> None:
    """What is wrong with the packer at hand is said of the packer, by class, method and path."""
    packers = toys()
    saved = ResumeGate().bind(packers.Toy({"x": 1}))
    with pytest.raises(TypeError, match=r"^toy_packers\.Toy\.processor_semantics_identity\(\): processor\.x: .*tuple"):
        ResumeGate().admit(saved, packers.Toy({"x": (1,)}))


def test_validation_and_teachers_refuse_a_packer_that_declares_nothing(toys: Callable[..., Any]) -> None:
    """Each consumer takes a packer with its own declaration, and names class and method where it is missing."""
    packers, gate = toys(), ResumeGate()
    text = ready(model_path("tiny-qwen"))
    gate.expect_semantics(text)
    gate.expect_processor(packers.Toy({"x": 1}))
    with pytest.raises(TypeError, match=r"toy_packers\.Toy declares no semantics .*validation_semantics_identity\(\)"):
        gate.expect_semantics(packers.Toy({"x": 1}))
    with pytest.raises(TypeError, match=r"DecoderOnlyLLMDataPacker declares no .*processor_semantics_identity\(\)"):
        gate.expect_processor(text)


def test_a_subclass_that_cannot_vouch_is_refused() -> None:
    """A method set to None is no declaration, and nothing is called to find out."""

    class CannotVouch(DecoderOnlyLLMDataPacker):
        validation_semantics_identity = None  # pyright: ignore[reportAssignmentType]

    with pytest.raises(TypeError, match=r"CannotVouch declares no semantics identity, and held-out validation"):
        ResumeGate().expect_semantics(CannotVouch())
    ResumeGate().expect_semantics(DecoderOnlyLLMDataPacker())
