"""Setup, special tokens and saved state."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reference_samples import CHATML, bpe, observe
from transformers import AutoTokenizer

from packer_reference import DecoderOnlyLLMDataPacker, make_packer
from packproof.models import EMBEDDED, model_path

TOKENIZER_CODE = """
from transformers import PreTrainedTokenizerFast

class ShoutingTokenizer(PreTrainedTokenizerFast):
    def __call__(self, text, **options):
        return super().__call__(text.upper(), **options)
"""


@pytest.mark.parametrize("name", EMBEDDED)
def test_setup_builds_the_models_tokenizer(name: str) -> None:
    """The packer encodes as the tokenizer of the model does."""
    packer = make_packer()
    packer.setup(str(model_path(name)))
    text = "The quick brown fox, 12 °C"
    assert packer.tokenizer(text)["input_ids"] == AutoTokenizer.from_pretrained(model_path(name))(text)["input_ids"]


@pytest.mark.parametrize(("name", "declared"), [("tiny-qwen", True), ("tiny-gpt2", False), ("tiny-llama3", True)])
def test_pad_id(name: str, declared: bool) -> None:
    """A declared pad token stays, id zero included; otherwise it is the end-of-sequence token."""
    packer = make_packer()
    packer.setup(str(model_path(name)))
    own = AutoTokenizer.from_pretrained(model_path(name))
    assert packer.pad_token_id == (own.pad_token_id if declared else own.eos_token_id)
    assert (own.pad_token_id is not None) == declared
    assert name != "tiny-llama3" or packer.pad_token_id == 0


@pytest.mark.parametrize("name", ["", "  ", None])
def test_empty_name(name: Any) -> None:
    """An empty name is refused before anything is looked up."""
    with pytest.raises(ValueError, match=r"DataPacker.setup: empty name_or_path"):
        make_packer().setup(name)


def test_no_name_at_all() -> None:
    """A number is no model name."""
    with pytest.raises(TypeError, match=r"name_or_path is 7"):
        make_packer().setup(7)  # pyright: ignore[reportArgumentType]


def test_path_object() -> None:
    """A path object serves as well as its string."""
    packer = make_packer()
    packer.setup(model_path("tiny-qwen"))  # pyright: ignore[reportArgumentType]
    assert packer.tokenizer is not None


@pytest.mark.parametrize("name", ["/nowhere/model", "./nowhere", "../nowhere", "a/b/c", "~/model"])
def test_missing_folder(name: str) -> None:
    """A path that leads nowhere is named, instead of being taken for a hub id."""
    with pytest.raises(FileNotFoundError, match=rf"DataPacker.setup: there is no folder '{name}'"):
        make_packer().setup(name)


def test_unknown_hub_id() -> None:
    """A hub id that cannot be loaded is named with the packer's call."""
    with pytest.raises(OSError, match=r"DataPacker.setup: cannot load a tokenizer from 'nobody/no-model'"):
        make_packer().setup("nobody/no-model")


@pytest.mark.parametrize("model_type", ["qwen2", "gpt2", "gemma3_text", "t5"])
def test_folder_without_tokenizer_files(model_folder: Callable[..., str], model_type: str) -> None:
    """A folder with a config.json only gives no packer, also where transformers would make up a tokenizer."""
    folder = model_folder({"model_type": model_type})
    with pytest.raises((ValueError, OSError), match=rf"cannot load a tokenizer from '{folder}'"):
        make_packer().setup(folder)


def test_neither_pad_nor_eos(model_folder: Callable[..., str]) -> None:
    """Without a token to fill rows with, setup says which declaration is missing."""
    with pytest.raises(ValueError, match=r"neither a pad nor an eos token .* declare pad_token"):
        make_packer().setup(model_folder(tokenizer=bpe()))


def test_failed_setup_leaves_the_packer_as_it_was() -> None:
    """A packer that could not be set up anew keeps the tokenizer it had."""
    packer = make_packer()
    packer.setup(str(model_path("tiny-qwen")))
    before = packer.tokenizer
    with pytest.raises(FileNotFoundError):
        packer.setup("/nowhere/model")
    assert packer.tokenizer is before


CALLS: dict[str, Callable[[DecoderOnlyLLMDataPacker], Any]] = {
    "get_rollout_input": lambda p: p.get_rollout_input(observe([{"role": "user", "content": "hi"}])),
    "get_policy_input (prompt)": lambda p: p.get_policy_input(observe("hi"), [1]),
    "get_policy_input (completion)": lambda p: p.get_policy_input(observe("hi"), "text", prompt_ids=[1]),
    "pad_token_id": lambda p: p.policy_collate_fn([p.get_policy_input(observe("hi"), [1], prompt_ids=[1])], 2),
    "adds_special_tokens": lambda p: p.adds_special_tokens(),
    "save_state": lambda p: p.save_state("nowhere"),
}


@pytest.mark.parametrize("name", CALLS)
def test_before_setup(name: str) -> None:
    """A call that needs the tokenizer says that setup is missing and how to do it."""
    with pytest.raises(RuntimeError) as error:
        CALLS[name](make_packer())
    assert f"DecoderOnlyLLMDataPacker.{name}: the packer is not set up; call setup(name_or_path)" in str(error.value)


def test_special_token_guard(ready: DecoderOnlyLLMDataPacker) -> None:
    """The guard tells BOS-adding tokenizers from the others, and raises for those alone."""
    adds = ready.tokenizer("x")["input_ids"] != ready.tokenizer("x", add_special_tokens=False)["input_ids"]
    assert ready.adds_special_tokens() is adds
    if adds:
        with pytest.raises(ValueError, match=r"packer tokenizer adds special tokens .* Record prompt_ids"):
            ready.assert_no_special_tokens()
    else:
        ready.assert_no_special_tokens()


def test_both_kinds_of_tokenizer_are_covered() -> None:
    """The embedded models include tokenizers that add special tokens and tokenizers that add none."""
    found = set()
    for name in EMBEDDED:
        packer = make_packer()
        packer.setup(str(model_path(name)))
        found.add(packer.adds_special_tokens())
    assert found == {True, False}


def test_save_state_reloads(ready: DecoderOnlyLLMDataPacker, tmp_path: Path) -> None:
    """A packer set up from the saved folder gives equal prompts, inputs, pads and guards."""
    ready.save_state(str(tmp_path / "state"))
    again = make_packer()
    again.setup(str(tmp_path / "state"))
    for prompt in ("The quick brown fox", [{"role": "user", "content": "12 °C?"}]):
        sample = observe(prompt)
        assert again.get_rollout_input(sample) == ready.get_rollout_input(sample)
        assert again.get_policy_input(sample, " yes") == ready.get_policy_input(sample, " yes")
    assert again.pad_token_id == ready.pad_token_id
    assert again.adds_special_tokens() == ready.adds_special_tokens()


def test_save_state_refuses_a_file(packer: DecoderOnlyLLMDataPacker, tmp_path: Path) -> None:
    """A file in the way is an error; transformers would log it and save nothing."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(NotADirectoryError, match=r"save_state: .*taken' is a file"):
        packer.save_state(str(tmp_path / "taken"))


@pytest.fixture
def folder_with_code(model_folder: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A model folder whose tokenizer class is its own."""
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = model_folder(tokenizer=bpe(eos_token="<|end|>", chat_template=CHATML), tokenization_own=TOKENIZER_CODE)
    config = Path(folder, "tokenizer_config.json")
    declared = json.loads(config.read_text())
    declared |= {
        "tokenizer_class": "ShoutingTokenizer",
        "auto_map": {"AutoTokenizer": [None, "tokenization_own.ShoutingTokenizer"]},
    }
    config.write_text(json.dumps(declared))
    return folder


def test_no_code_without_trust(folder_with_code: str) -> None:
    """By default the folder's own code stays unread, and the error names the flag."""
    with pytest.raises(ValueError, match=r"cannot load a tokenizer .*\(trust_remote_code=False\)"):
        make_packer().setup(folder_with_code)
    assert "transformers_modules.model.tokenization_own" not in sys.modules


def test_code_with_trust(folder_with_code: str) -> None:
    """With trust_remote_code the folder's own tokenizer class does the encoding."""
    packer = make_packer()
    packer.setup(folder_with_code, trust_remote_code=True)
    assert type(packer.tokenizer).__name__ == "ShoutingTokenizer"
    ids = packer.get_policy_input(observe("abc"), [0]).input_ids
    assert packer.tokenizer.decode(ids[:-1]) == "ABC"
