"""Tokenizers that are written in Python are told by content too, attribute by attribute, or refused."""

import base64
import io
import json
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from model_edits import changed_fields, identity_of, ready

from packer_reference.python_state import python_state
from packer_schemas import IdentityDocument

TEXT = ["the quick brown fox jumps over the lazy dog and then some more words to learn from"] * 50

CODE = """
import base64
import shutil
from pathlib import Path

import tiktoken
from transformers import PreTrainedTokenizer


class ToyTokenizer(PreTrainedTokenizer):
    vocab_files_names = {"vocab_file": "toy.tiktoken"}

    def __init__(self, vocab_file, eos_token="<|end|>", lower=False, **kwargs):
        lines = Path(vocab_file).read_text().splitlines()
        ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}
        self.vocab_file, self.lower, self.special = vocab_file, lower, {"<|end|>": len(ranks)}
        self.model = tiktoken.Encoding(
            str(vocab_file), pat_str=r"[a-z]+|[^a-z]+", mergeable_ranks=ranks, special_tokens=self.special
        )
        super().__init__(eos_token=eos_token, lower=lower, **kwargs)

    @property
    def vocab_size(self):
        return self.model.n_vocab

    def get_vocab(self):
        pieces = {token.decode("latin-1"): rank for token, rank in self.model._mergeable_ranks.items()}
        return pieces | self.special

    def _tokenize(self, text):
        ids = self.model.encode(text.lower() if self.lower else text, allowed_special="all")
        return [self.model.decode_single_token_bytes(id).decode("latin-1") for id in ids]

    def _convert_token_to_id(self, token):
        return self.get_vocab().get(token)

    def _convert_id_to_token(self, index):
        return {id: token for token, id in self.get_vocab().items()}[index]

    def save_vocabulary(self, save_directory, filename_prefix=None):
        target = Path(save_directory, "toy.tiktoken")
        shutil.copyfile(self.vocab_file, target)
        return (str(target),)
"""


def write(folder: Path, config: dict[str, Any], settings: dict[str, Any], **files: bytes) -> Path:
    """A model folder of these files; an underscore in a name is a dot."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    return folder


def pieces(folder: Path, words: list[str] = TEXT, **settings: Any) -> Path:
    """A folder with a SentencePiece model, which transformers reads in Python for this class."""
    model = io.BytesIO()
    ids = {"unk_id": 0, "bos_id": 1, "eos_id": 2, "pad_id": 3}
    sentencepiece.SentencePieceTrainer.train(  # pyright: ignore[reportAttributeAccessIssue]
        sentence_iterator=iter(words), model_writer=model, vocab_size=60, model_type="bpe", minloglevel=2, **ids
    )
    return write(
        folder,
        {"model_type": "gpt2"},
        {"tokenizer_class": "GPTSw3Tokenizer", **settings},
        spiece_model=model.getvalue(),
    )


def toy(folder: Path, pairs: tuple[bytes, ...] = (b"he", b"th"), code: str = CODE, **settings: Any) -> Path:
    """A folder with a tiktoken vocabulary and the code that reads it."""
    tokens = [*(bytes([byte]) for byte in range(256)), *pairs]
    ranks = "\n".join(f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens))
    auto = {"auto_map": {"AutoTokenizer": ["tokenization_toy.ToyTokenizer", None]}, "tokenizer_class": "ToyTokenizer"}
    write(folder, {"model_type": "qwen2"}, auto | settings, toy_tiktoken=ranks.encode())
    (folder / "tokenization_toy.py").write_text(code, "utf-8")
    return folder


def test_a_sentencepiece_model_is_told_by_its_pieces(tmp_path: Path) -> None:
    """Another model, and another setting of the class around it, each change the state in the field of their name."""
    first = identity_of(pieces(tmp_path / "a"))
    assert first.parts["semantics"].value["tokenizer"]["type"] == "GPTSw3Tokenizer"
    other = identity_of(pieces(tmp_path / "b", ["pack my box with five dozen liquor jugs, the quick fox"] * 50))
    assert {"tokenizer.state.sp_model.sha256", "tokenizer.vocabulary_sha256"} <= changed_fields(first, other)
    lower = identity_of(pieces(tmp_path / "c", do_lower_case=True))
    assert changed_fields(first, lower) == {"tokenizer.state.do_lower_case"}


def test_a_score_alone_shows(tmp_path: Path) -> None:
    """A model in which one score differs, and no piece, is another model."""
    packer = ready(pieces(tmp_path / "a"))
    before = IdentityDocument.of(packer)
    from sentencepiece import sentencepiece_model_pb2

    proto = sentencepiece_model_pb2.ModelProto.FromString(packer.tokenizer.sp_model.serialized_model_proto())
    proto.pieces[-1].score -= 1.0
    packer.tokenizer.sp_model.LoadFromSerializedProto(proto.SerializeToString())
    assert changed_fields(before, IdentityDocument.of(packer)) == {"tokenizer.state.sp_model.sha256"}


def test_code_of_the_model_folder_is_part_of_the_content(tmp_path: Path) -> None:
    """Ranks, settings and the class that reads them count; the name of the folder and of the file in it does not."""
    first = identity_of(toy(tmp_path / "a"), trust_remote_code=True)
    assert identity_of(toy(tmp_path / "b"), trust_remote_code=True) == first
    ranks = identity_of(toy(tmp_path / "c", (b"th", b"he")), trust_remote_code=True)
    assert changed_fields(first, ranks) == {"tokenizer.vocabulary_sha256", "tokenizer.state.model.sha256"}
    lower = identity_of(toy(tmp_path / "d", lower=True), trust_remote_code=True)
    assert changed_fields(first, lower) == {"tokenizer.state.lower"}
    code = identity_of(toy(tmp_path / "e", code=CODE.replace(".lower()", ".casefold()")), trust_remote_code=True)
    assert changed_fields(first, code) == {"tokenizer.code_sha256"}


@pytest.mark.parametrize("make", [pieces, toy])
def test_use_and_places_do_not_show(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """Calls, a copied folder and saved state leave the identity of a tokenizer in Python as it is."""
    trusted = make is toy
    packer = ready(make(tmp_path / "a"), trusted)
    before = IdentityDocument.of(packer)
    packer.tokenizer("the dog and the fox", max_length=3, truncation=True)
    packer.tokenizer(["the", "dog and"], padding=True)
    packer.tokenizer.get_vocab()
    assert IdentityDocument.of(packer) == before
    shutil.copytree(tmp_path / "a", tmp_path / "copied")
    packer.save_state(str(tmp_path / "saved"))
    for folder in ("copied", "saved"):
        assert identity_of(tmp_path / folder, trusted) == before, folder


@pytest.mark.parametrize("make", [pieces, toy])
def test_the_declaration_follows_live_changes(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """A token added and an attribute changed in a live tokenizer in Python both show."""
    packer = ready(make(tmp_path / "a"), make is toy)
    before = IdentityDocument.of(packer)
    packer.tokenizer.add_tokens(["<new>"])
    added = IdentityDocument.of(packer)
    assert "tokenizer.added_tokens_sha256" in changed_fields(before, added)
    setattr(packer.tokenizer, "lower" if make is toy else "do_lower_case", True)
    assert len(changed_fields(added, IdentityDocument.of(packer))) == 1


class Helper:
    """What a tokenizer may be made of."""

    __slots__ = ("__dict__", "slotted")

    def __init__(self, **attributes: Any) -> None:
        self.slotted = 1
        self.__dict__.update(attributes)


def state_with(value: Any, folder: Path) -> Any:
    """The state of a tokenizer that has got one attribute more."""
    tokenizer = ready(pieces(folder)).tokenizer
    tokenizer.extra = value
    return python_state(tokenizer)["extra"]


def test_values_of_many_kinds_are_told_apart(tmp_path: Path) -> None:
    """Containers, bytes, patterns and plain objects have a form of their own, in an order that no hash decides."""
    patterns = [re.compile("1"), re.compile("1", re.IGNORECASE), int]
    helpers = [Helper(a=1), Helper(a=2), Helper(b=1), Helper(a=Helper(a=1))]
    values = [None, True, 1, 1.0, "1", b"1", ["1"], {"1": 1}, {1: "1"}, {"b", "a"}, *patterns, *helpers]
    tokenizer = ready(pieces(tmp_path / "a")).tokenizer
    forms = []
    for value in values:
        tokenizer.extra = value
        forms.append(json.dumps(python_state(tokenizer)["extra"]))
    assert len(set(forms)) == len(values)
    tokenizer.extra = {"a", "b"}
    assert json.dumps(python_state(tokenizer)["extra"]) == forms[values.index({"b", "a"})] == '["a", "b"]'


@pytest.mark.parametrize("name", ["vocab_path", "cache", "_file", "cache_dir"])
def test_where_something_came_from_is_no_state(name: str, tmp_path: Path) -> None:
    """An attribute that is named after a file, a path or a cache is left out, and so is a path in any other."""
    tokenizer = ready(pieces(tmp_path / "a")).tokenizer
    before = python_state(tokenizer)
    setattr(tokenizer, name, str(tmp_path))
    assert python_state(tokenizer) == before
    tokenizer.home = tmp_path
    assert python_state(tokenizer)["home"] is None


@pytest.mark.parametrize("value", [threading.Lock(), len, lambda text: text, object(), {"deep": [iter("")]}])
def test_what_is_no_data_is_refused(value: Any, tmp_path: Path) -> None:
    """A lock, a function or a nameless object is refused by the attribute that holds it, and never left out."""
    with pytest.raises(ValueError, match=r"GPTSw3Tokenizer\.extra is a \S+, which cannot be told by content"):
        state_with(value, tmp_path / "a")


def test_what_contains_itself_is_refused(tmp_path: Path) -> None:
    """An object that leads back to itself has no end to tell."""
    value = Helper()
    value.__dict__["self"] = value
    with pytest.raises(ValueError, match=r"GPTSw3Tokenizer\.extra\.self contains itself"):
        state_with(value, tmp_path / "a")
