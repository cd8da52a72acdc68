"""Packers of equal content declare one identity, in every process, place and moment."""

import copy
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_edits import Files, copied, identity_of, ready
from reference_samples import CHATML, bpe, observe

from packer_reference import DecoderOnlyLLMDataPacker, build_packer, make_packer
from packer_schemas import (
    DataPackerBuildSpec,
    IdentityDocument,
    PackerBinding,
    PackerProcessorIdentity,
    PackerSemanticsIdentity,
    canonical_json,
)
from packproof.models import EMBEDDED, model_path
from real_vocabularies import VOCABULARIES, real_vocabulary

CHAT = observe([{"role": "user", "content": "What is 6 times 7?"}])

SCRIPT = """
import json, sys
from packer_reference import build_packer
from packer_schemas import DataPackerBuildSpec, PackerBinding

specs = [DataPackerBuildSpec(name_or_path=folder) for folder in sys.argv[1:]]
print(json.dumps([PackerBinding.of(build_packer(spec)).model_dump(mode="json") for spec in specs]))
"""


def test_the_text_packer_declares_its_semantics_and_no_processor() -> None:
    """The packer satisfies one of the two protocols; a subclass that sets the method to None satisfies neither."""

    class CannotVouch(DecoderOnlyLLMDataPacker):
        validation_semantics_identity = None  # pyright: ignore[reportAssignmentType]

    assert isinstance(make_packer(), PackerSemanticsIdentity)
    assert not isinstance(make_packer(), PackerProcessorIdentity)
    assert not isinstance(CannotVouch(), PackerSemanticsIdentity)
    assert PackerBinding.of(CannotVouch()).identity is None


def test_before_setup_there_is_nothing_to_declare() -> None:
    """A packer without a tokenizer refuses, by the name of the method and with the way to a ready one."""
    with pytest.raises(RuntimeError, match=r"\.validation_semantics_identity: the packer is not set up; call setup"):
        make_packer().validation_semantics_identity()
    with pytest.raises(RuntimeError, match=r"\.text_semantics: the packer is not set up"):
        make_packer().text_semantics()


def test_a_tokenizer_that_setup_did_not_load_is_not_vouched_for() -> None:
    """Without `setup` nobody has said what the model is and whether its code is trusted, so nothing is made up."""
    packer = make_packer()
    packer.tokenizer = bpe(eos_token="<|end|>", chat_template=CHATML)
    with pytest.raises(RuntimeError, match=r"model type and trust are not known, for the tokenizer was set without"):
        packer.validation_semantics_identity()


def test_a_subclass_may_keep_its_tokenizer_under_the_same_name() -> None:
    """A class attribute `tokenizer` of a subclass is the tokenizer, for packing as for the declaration."""

    class OwnAttribute(DecoderOnlyLLMDataPacker):
        tokenizer: Any = None  # pyright: ignore[reportIncompatibleMethodOverride]

    packer = OwnAttribute()
    with pytest.raises(RuntimeError, match="not set up"):
        packer.get_rollout_input(CHAT)
    packer.setup(str(model_path("tiny-qwen")))
    assert packer.get_rollout_input(CHAT) == ready(model_path("tiny-qwen")).get_rollout_input(CHAT)
    before = packer.validation_semantics_identity()
    assert before == ready(model_path("tiny-qwen")).validation_semantics_identity()
    packer.tokenizer.add_tokens(["<new>"])
    assert packer.validation_semantics_identity() != before


@pytest.mark.parametrize("name", [*EMBEDDED, *VOCABULARIES])
def test_a_declaration_is_small_plain_data(name: str) -> None:
    """On embedded and real vocabularies alike a declaration is valid and takes a few kilobytes."""
    packer = ready(real_vocabulary(name) if name in VOCABULARIES else model_path(name))
    declared = packer.validation_semantics_identity()
    assert len(canonical_json(declared)) < 4096
    assert IdentityDocument.of(packer).parts["semantics"].value == declared
    assert packer.tokenizer.name_or_path not in json.dumps(declared)


def test_the_answer_belongs_to_the_caller() -> None:
    """Writing into an answer, to any depth, does not show in the next one."""
    packer = ready(model_path("tiny-llama3"))
    first = packer.validation_semantics_identity()
    kept = copy.deepcopy(first)
    spoil(first)
    assert packer.validation_semantics_identity() == kept


def spoil(value: dict[str, Any]) -> None:
    """Change everything in a mapping that can be changed."""
    for key, item in list(value.items()):
        if isinstance(item, dict):
            spoil(item)
        elif isinstance(item, list):
            item.append("spoilt")
        else:
            value[key] = "spoilt"
    value["spoilt"] = True


def pads(packer: DecoderOnlyLLMDataPacker) -> None:
    """Calls that pad and truncate, whose settings stay behind in the tokenizer."""
    packer.tokenizer(["a", "b c d e f"], padding="max_length", max_length=4, truncation=True)
    assert packer.tokenizer.backend_tokenizer.truncation is not None
    assert packer.tokenizer.backend_tokenizer.padding is not None


def shapes(packer: DecoderOnlyLLMDataPacker) -> None:
    """All that a packer is for, on the text route."""
    rows = [packer.get_policy_input(CHAT, "42"), packer.get_policy_input(observe("What?"), [120, 121])]
    packer.policy_collate_fn(rows, packer.policy_compute_max_len(rows))


def is_refused(packer: DecoderOnlyLLMDataPacker) -> None:
    """Calls that raise."""
    for bad in (observe([]), observe(None), observe([{"role": "user"}])):
        with pytest.raises((TypeError, ValueError)):
            packer.get_policy_input(bad, "x")


def looks(packer: DecoderOnlyLLMDataPacker) -> None:
    """Whoever takes the tokenizer out and only looks at it."""
    packer.tokenizer.get_vocab()
    packer.tokenizer.decode([120, 121])
    packer.adds_special_tokens()


@pytest.mark.parametrize("use", [pads, shapes, is_refused, looks])
@pytest.mark.parametrize("name", EMBEDDED)
def test_use_does_not_show(name: str, use: Callable[[DecoderOnlyLLMDataPacker], None], tmp_path: Path) -> None:
    """Before and after any use the identity is the same, also when the leftovers of calls were saved to a folder."""
    packer = ready(model_path(name))
    before = IdentityDocument.of(packer)
    use(packer)
    assert IdentityDocument.of(packer) == before
    packer.save_state(str(tmp_path / "state"))
    assert identity_of(tmp_path / "state") == before


def test_a_copy_of_a_packer_declares_the_same_and_follows_its_own_tokenizer() -> None:
    """Copies, shallow, deep and pickled, have one identity, and what is done to the shared tokenizer shows in both."""
    packer = ready(model_path("tiny-qwen"))
    before = IdentityDocument.of(packer)
    shallow, deep, thawed = copy.copy(packer), copy.deepcopy(packer), pickle.loads(pickle.dumps(packer))
    assert [IdentityDocument.of(each) for each in (shallow, deep, thawed)] == [before] * 3
    shallow.tokenizer.add_tokens(["<new>"])
    assert IdentityDocument.of(packer) == IdentityDocument.of(shallow) != before
    assert IdentityDocument.of(deep) == IdentityDocument.of(thawed) == before


def shuffled(files: Files) -> None:
    """Everything in the files that has no order stands in another one (added tokens are numbered by theirs)."""
    order = random.Random(7)

    def mixed(value: dict[str, Any]) -> dict[str, Any]:
        keys = list(value)
        order.shuffle(keys)
        return {key: value[key] for key in keys}

    model = files["tokenizer"]["model"]
    model["vocab"] = mixed(model["vocab"])
    files["tokenizer"]["model"] = mixed(model)
    files["tokenizer"]["added_tokens"] = [mixed(token) for token in files["tokenizer"]["added_tokens"]]
    files["settings"].get("additional_special_tokens", []).reverse()
    for name, value in files.items():
        files[name] = mixed(value)


@pytest.mark.parametrize("name", EMBEDDED)
def test_the_order_in_a_file_does_not_show(name: str, tmp_path: Path) -> None:
    """A folder whose files list the same content in another order has the same identity."""
    assert identity_of(copied(name, tmp_path / "b", shuffled)) == identity_of(model_path(name))


@pytest.mark.parametrize("name", ["qwen", "mistral"])
def test_a_real_vocabulary_is_the_same_after_it_was_saved(name: str, tmp_path: Path) -> None:
    """A packer on a real vocabulary, saved after a call that truncates, is read back with the same identity."""
    packer = ready(real_vocabulary(name))
    before = IdentityDocument.of(packer)
    pads(packer)
    packer.save_state(str(tmp_path / "state"))
    assert IdentityDocument.of(packer) == identity_of(tmp_path / "state") == before


def test_saved_state_keeps_a_config_that_is_there(tmp_path: Path) -> None:
    """`save_state` adds the model type to a folder without a configuration, and leaves another one alone."""
    ready(model_path("tiny-qwen")).save_state(str(tmp_path / "a"))
    assert json.loads((tmp_path / "a" / "config.json").read_text("utf-8")) == {"model_type": "qwen2"}
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "config.json").write_text('{"model_type": "mine"}', "utf-8")
    ready(model_path("tiny-qwen")).save_state(str(tmp_path / "b"))
    assert (tmp_path / "b" / "config.json").read_text("utf-8") == '{"model_type": "mine"}'


@pytest.mark.parametrize("text", ["{", "[]", "3", '"qwen2"'])
def test_a_config_that_is_none_is_refused_by_setup(text: str, tmp_path: Path) -> None:
    """A configuration that cannot be read is named, and not taken for a model without a type."""
    folder = copied("tiny-gpt2", tmp_path / "a")
    (folder / "config.json").write_text(text, "utf-8")
    with pytest.raises((ValueError, OSError), match=r"DataPacker\.setup: cannot (load a tokenizer|read the config)"):
        ready(folder)


def test_a_folder_without_a_config_has_no_model_type(tmp_path: Path) -> None:
    """Tokenizer files alone make a packer, whose model type is null; so does what such a packer saves."""
    folder = copied("tiny-gpt2", tmp_path / "a")
    (folder / "config.json").unlink()
    packer = ready(folder)
    assert packer.validation_semantics_identity()["model_type"] is None
    packer.save_state(str(tmp_path / "b"))
    assert identity_of(tmp_path / "b") == IdentityDocument.of(packer)


def bindings(*folders: Path | str, cwd: Path | None = None, **env: str) -> list[dict[str, Any]]:
    """What a process of its own binds, for packers that it builds from a spec of each folder."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, folders)],
        env=os.environ | env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(done.stdout)


def test_other_processes_places_and_moments_do_not_show(tmp_path: Path) -> None:
    """Packers built from equal specs in processes that have little else in common have one identity and one source."""
    here = [
        PackerBinding.of(build_packer(DataPackerBuildSpec(name_or_path=str(model_path(name))))).model_dump(mode="json")
        for name in EMBEDDED
    ]
    models = [model_path(name) for name in EMBEDDED]
    elsewhere = tmp_path / "some where" / "else é"
    copies = [Path(shutil.copytree(folder, elsewhere / f"copy-{at}")) for at, folder in enumerate(models)]
    assert bindings(*models, PYTHONHASHSEED="1", LC_ALL="C", TZ="Asia/Kathmandu", OMP_NUM_THREADS="3") == here
    others = {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "America/St_Johns", "TOKENIZERS_PARALLELISM": "true"}
    assert bindings(*copies, cwd=elsewhere, HOME=str(tmp_path), USER="other", **others) == here
    relative = [folder.relative_to(elsewhere) for folder in copies]
    assert bindings(*relative, cwd=elsewhere, PYTHONHASHSEED="3") == here


def test_a_spec_builds_packers_of_one_identity() -> None:
    """By the registry and by a factory, in one process, equal specs give packers whose identities are equal."""
    folder = str(model_path("tiny-spm"))
    by_type = DataPackerBuildSpec(name_or_path=folder)
    by_factory = DataPackerBuildSpec(name_or_path=folder, factory="packer_reference.decoder_only.make_packer")
    documents = [IdentityDocument.of(build_packer(spec)) for spec in (by_type, by_type, by_factory)]
    assert documents[0] == documents[1] == documents[2]
    trusted = DataPackerBuildSpec(name_or_path=folder, trust_remote_code=True)
    assert IdentityDocument.of(build_packer(trusted)).sha256 != documents[0].sha256
