"""Each thing that decides ids or texts, changed alone, changes the declaration in the field that is named after it."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_edits import Files, changed_fields, copied, identity_of, ready
from reference_samples import observe
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from packer_schemas import IdentityDocument
from packproof.models import model_path
from real_vocabularies import VOCABULARIES, real_vocabulary


def swap_ids(files: Files) -> None:
    """Two tokens change places."""
    vocabulary = files["tokenizer"]["model"]["vocab"]
    vocabulary["q"], vocabulary["z"] = vocabulary["z"], vocabulary["q"]


def swap_merges(files: Files) -> None:
    """The first two merges change places."""
    merges = files["tokenizer"]["model"]["merges"]
    merges[0], merges[1] = merges[1], merges[0]


def without_merge(files: Files) -> None:
    """The last merge is gone; its token stays."""
    files["tokenizer"]["model"]["merges"].pop()


def renamed_entry(files: Files) -> None:
    """One token that no merge knows is another one."""
    vocabulary, merges = files["tokenizer"]["model"]["vocab"], files["tokenizer"]["model"]["merges"]
    merged = {one for left, right in merges for one in (left, right, left + right)}
    name = max(token for token in vocabulary if len(token) == 1 and token not in merged)
    vocabulary["\U0001f600"] = vocabulary.pop(name)


def added(flag: str) -> Callable[[Files], None]:
    """One flag of the first added token is the other way round."""

    def edit(files: Files) -> None:
        token = files["tokenizer"]["added_tokens"][0]
        token[flag] = not token[flag]

    return edit


def special(files: Files) -> None:
    """A plain added token becomes a special one."""
    next(token for token in files["tokenizer"]["added_tokens"] if not token["special"])["special"] = True


def one_more(files: Files) -> None:
    """One more added token, at the end."""
    tokens = files["tokenizer"]["added_tokens"]
    tokens.append({**tokens[-1], "id": tokens[-1]["id"] + 1, "content": "<new>", "special": False})


def part(name: str, value: Any) -> Callable[[Files], None]:
    """One part of the tokenizer is another one."""
    return lambda files: files["tokenizer"].update({name: value})


def model(**settings: Any) -> Callable[[Files], None]:
    """One setting of the tokenizer's model."""
    return lambda files: files["tokenizer"]["model"].update(settings)


def setting(**settings: Any) -> Callable[[Files], None]:
    """One setting in the tokenizer's configuration."""
    return lambda files: files["settings"].update(settings)


def template(change: Callable[[str], Any]) -> Callable[[Files], None]:
    """The text of the chat template."""
    return lambda files: files["settings"].update(chat_template=change(files["settings"]["chat_template"]))


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
ROLES = "special_tokens.roles"
FURTHER = {f'special_tokens.further["<|{name}|>"]' for name in ("end_of_text", "start_header_id", "end_header_id")}
CASES: list[tuple[str, Callable[[Files], object], set[str]]] = [
    ("tiny-gpt2", swap_ids, {"tokenizer.vocabulary_sha256"}),
    ("tiny-gpt2", swap_merges, {"tokenizer.merges_sha256"}),
    ("tiny-gpt2", without_merge, {"tokenizer.merges_sha256"}),
    ("tiny-spm", swap_ids, {"tokenizer.vocabulary_sha256"}),
    ("tiny-spm", renamed_entry, {"tokenizer.vocabulary_sha256"}),
    ("tiny-llama3", one_more, {"tokenizer.added_tokens_sha256"}),
    *[("tiny-llama3", added(flag), {"tokenizer.added_tokens_sha256"}) for flag in ("lstrip", "rstrip", "single_word")],
    ("tiny-llama3", added("normalized"), {"tokenizer.added_tokens_sha256"}),
    ("tiny-qwen", special, {"tokenizer.added_tokens_sha256"}),
    ("tiny-gpt2", part("normalizer", {"type": "NFC"}), {"tokenizer.normalizer_sha256"}),
    ("tiny-spm", part("normalizer", {"type": "Prepend", "prepend": "\u2581"}), {"tokenizer.normalizer_sha256"}),
    ("tiny-gpt2", part("pre_tokenizer", BYTES), {"tokenizer.pre_tokenizer_sha256"}),
    ("tiny-gpt2", part("pre_tokenizer", None), {"tokenizer.pre_tokenizer_sha256"}),
    ("tiny-gpt2", part("post_processor", BYTES), {"tokenizer.post_processor_sha256"}),
    ("tiny-gpt2", part("decoder", BYTES), {"tokenizer.decoder_sha256"}),
    ("tiny-gpt2", model(dropout=0.1), {"tokenizer.model.dropout"}),
    ("tiny-gpt2", model(ignore_merges=True), {"tokenizer.model.ignore_merges"}),
    ("tiny-spm", model(byte_fallback=False), {"tokenizer.model.byte_fallback"}),
    ("tiny-qwen", template(lambda text: f"{text} "), {"chat_template"}),
    ("tiny-qwen", template(lambda text: "{#- a comment -#}" + text), {"chat_template"}),
    ("tiny-qwen", template(lambda text: None), {"chat_template"}),
    ("tiny-qwen", template(lambda text: ""), {"chat_template"}),
    ("tiny-llama3", setting(pad_token="<|end_of_text|>"), {f"{ROLES}.pad.id", f"{ROLES}.pad.token", "pad_token_id"}),
    ("tiny-llama3", setting(bos_token="<|end_of_text|>"), {f"{ROLES}.bos.id", f"{ROLES}.bos.token"}),
    ("tiny-llama3", setting(eos_token="<|end_of_text|>"), {f"{ROLES}.eos.id", f"{ROLES}.eos.token"}),
    ("tiny-llama3", setting(unk_token="<|end_of_text|>"), {f"{ROLES}.unk"}),
    ("tiny-llama3", setting(split_special_tokens=True), {"special_tokens.read_in_text"}),
    ("tiny-llama3", setting(additional_special_tokens=[]), FURTHER),
    ("tiny-qwen", lambda files: files["config"].update(model_type="qwen3"), {"model_type"}),
    ("tiny-llama3", lambda files: files["config"].pop("model_type"), {"model_type"}),
]


@pytest.mark.parametrize(("name", "edit", "fields"), CASES)
def test_one_change_in_the_files_is_one_field(
    name: str, edit: Callable[[Files], object], fields: set[str], tmp_path: Path
) -> None:
    """A model folder with one thing changed is declared otherwise, in the fields that tell of it and in no other."""
    before, after = identity_of(copied(name, tmp_path / "a")), identity_of(copied(name, tmp_path / "b", edit))
    assert before.sha256 != after.sha256
    assert changed_fields(before, after) == fields


def test_an_added_token_with_another_id_is_another_vocabulary(tmp_path: Path) -> None:
    """Two added tokens that change places change the added tokens, and the id of every role that they play."""

    def swap(files: Files) -> None:
        first, second = files["tokenizer"]["added_tokens"][-2:]
        first["content"], second["content"] = second["content"], first["content"]

    name = "tiny-llama3"
    changed = changed_fields(identity_of(copied(name, tmp_path / "a")), identity_of(copied(name, tmp_path / "b", swap)))
    assert changed == {"tokenizer.added_tokens_sha256", *(FURTHER - {'special_tokens.further["<|end_of_text|>"]'})}


def test_added_tokens_in_another_order_have_other_ids(tmp_path: Path) -> None:
    """The library numbers added tokens by their order in the file, whatever ids stand there, and that shows."""

    def reverse(files: Files) -> None:
        files["tokenizer"]["added_tokens"].reverse()

    name = "tiny-llama3"
    before, after = copied(name, tmp_path / "a"), copied(name, tmp_path / "b", reverse)
    assert ready(before).tokenizer.eos_token_id != ready(after).tokenizer.eos_token_id
    assert "tokenizer.added_tokens_sha256" in changed_fields(identity_of(before), identity_of(after))


def test_the_trust_flag_is_declared_as_setup_was_given_it(tmp_path: Path) -> None:
    """With the flag on and off a model without any code has two identities."""
    folder = copied("tiny-qwen", tmp_path / "a")
    assert changed_fields(identity_of(folder), identity_of(folder, trust_remote_code=True)) == {"trust_remote_code"}


def replaced(**parts: Any) -> Callable[[Any], None]:
    """Parts of the live Rust tokenizer are set."""

    def change(tokenizer: Any) -> None:
        for name, value in parts.items():
            setattr(tokenizer.backend_tokenizer, name, value)

    return change


def remade(tokenizer: Any, edit: Callable[[Files], None]) -> None:
    """The model is replaced in place by one of the same size and the same settings, with one thing changed."""
    backend = tokenizer.backend_tokenizer
    files: Files = {"tokenizer": json.loads(backend.to_str())}
    edit(files)
    remade = Tokenizer.from_str(json.dumps(files["tokenizer"]))
    backend.model = remade.model


def with_ids_swapped(tokenizer: Any) -> None:
    """Two ids change places in the live tokenizer."""
    remade(tokenizer, swap_ids)


def with_merges_swapped(tokenizer: Any) -> None:
    """Two merges change places in the live tokenizer."""
    remade(tokenizer, swap_merges)


LIVE: list[tuple[Callable[[Any], object], str]] = [
    (with_ids_swapped, "tokenizer.vocabulary_sha256"),
    (with_merges_swapped, "tokenizer.merges_sha256"),
    (lambda tokenizer: tokenizer.add_tokens(["<new>"]), "tokenizer.added_tokens_sha256"),
    (lambda tokenizer: tokenizer.add_tokens([AddedToken("q", lstrip=True)]), "tokenizer.added_tokens_sha256"),
    (lambda tokenizer: tokenizer.add_special_tokens({"sep_token": "<sep>"}), "special_tokens.roles.sep"),
    (replaced(normalizer=normalizers.Lowercase()), "tokenizer.normalizer_sha256"),
    (replaced(pre_tokenizer=pre_tokenizers.Whitespace()), "tokenizer.pre_tokenizer_sha256"),
    (replaced(decoder=decoders.Fuse()), "tokenizer.decoder_sha256"),
    (replaced(post_processor=processors.ByteLevel(trim_offsets=True)), "tokenizer.post_processor_sha256"),
    (lambda tokenizer: setattr(tokenizer.backend_tokenizer.model, "dropout", 0.5), "tokenizer.model.dropout"),
    (lambda tokenizer: setattr(tokenizer, "chat_template", "{{ messages }}"), "chat_template"),
    (lambda tokenizer: setattr(tokenizer, "split_special_tokens", True), "special_tokens.read_in_text"),
    (lambda tokenizer: setattr(tokenizer, "pad_token_id", 3), "pad_token_id"),
    (lambda tokenizer: setattr(tokenizer, "pad_token", None), "pad_token_id"),
]


@pytest.mark.parametrize("taken", ["before", "after"])
@pytest.mark.parametrize(("change", "field"), LIVE)
def test_the_declaration_follows_the_live_tokenizer(change: Callable[[Any], object], field: str, taken: str) -> None:
    """A change of `packer.tokenizer` in place shows, whether it was taken out before or after the packer was asked."""
    packer = ready(model_path("tiny-gpt2"))
    tokenizer = packer.tokenizer if taken == "before" else None
    before = IdentityDocument.of(packer)
    assert IdentityDocument.of(packer) == before
    change(packer.tokenizer if tokenizer is None else tokenizer)
    assert field in changed_fields(before, IdentityDocument.of(packer))


def test_the_declaration_follows_a_tokenizer_that_is_put_in_place_of_the_first(tmp_path: Path) -> None:
    """Another tokenizer set on the packer is the one that is declared, and the first one is forgotten."""
    one, other = ready(model_path("tiny-gpt2")), ready(copied("tiny-gpt2", tmp_path / "b", swap_merges))
    before = IdentityDocument.of(one)
    one.tokenizer = other.tokenizer
    assert IdentityDocument.of(one) == IdentityDocument.of(other) != before


@pytest.mark.parametrize("asked", [True, False])
def test_a_large_vocabulary_is_not_taken_on_trust(asked: bool) -> None:
    """Of 150,000 entries two ids are swapped in place, in a model of the same size, and the declaration says so."""
    packer = ready(real_vocabulary("qwen"))
    before = IdentityDocument.of(packer)
    assert not asked or IdentityDocument.of(packer) == before
    with_ids_swapped(packer.tokenizer)
    assert changed_fields(before, IdentityDocument.of(packer)) == {"tokenizer.vocabulary_sha256"}


def fast(model: Any, folder: Path) -> Path:
    """A model folder around a model of the Rust library."""
    PreTrainedTokenizerFast(tokenizer_object=Tokenizer(model), eos_token="</s>").save_pretrained(folder)
    (folder / "config.json").write_text('{"model_type": "toy"}')
    return folder


PIECES = [("<unk>", 0.0), ("</s>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)]
WORDS = {"[UNK]": 0, "</s>": 1, "a": 2, "##b": 3}


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        (models.Unigram(PIECES, 0), models.Unigram([*PIECES[:-1], ("ab", -3.5)], 0), {"tokenizer.scores_sha256"}),
        (models.Unigram(PIECES, 0), models.Unigram([*PIECES[:-1], ("ba", -2.5)], 0), {"tokenizer.vocabulary_sha256"}),
        (models.Unigram(PIECES, 0), models.Unigram(PIECES, 2), {"tokenizer.model.unk_id"}),
        (
            models.WordPiece(WORDS, unk_token="[UNK]"),
            models.WordPiece(WORDS | {"a": 3, "##b": 2}, unk_token="[UNK]"),
            {"tokenizer.vocabulary_sha256"},
        ),
        (
            models.WordPiece(WORDS, unk_token="[UNK]", max_input_chars_per_word=9),
            models.WordPiece(WORDS, unk_token="[UNK]", max_input_chars_per_word=8),
            {"tokenizer.model.max_input_chars_per_word"},
        ),
        (
            models.WordLevel(WORDS, unk_token="[UNK]"),
            models.WordLevel(WORDS, unk_token="a"),
            {"tokenizer.model.unk_token"},
        ),
    ],
)
def test_models_of_every_kind_are_told_by_content(before: Any, after: Any, fields: set[str], tmp_path: Path) -> None:
    """Scores, pieces and settings of Unigram, WordPiece and WordLevel models are fields as well."""
    assert changed_fields(identity_of(fast(before, tmp_path / "a")), identity_of(fast(after, tmp_path / "b"))) == fields


def test_tokens_that_share_an_id_all_count() -> None:
    """Of two tokens with one id the library serialises one; what the other one says is declared all the same."""
    merges: list[tuple[str, str]] = [("a", "b")]
    found = set()
    for second in ("cd", "ce", "ab"):
        vocabulary = {"a": 0, "b": 1, "ab": 2, second: 2}
        packer = ready(model_path("tiny-gpt2"))
        packer.tokenizer.backend_tokenizer.model = models.BPE(vocab=vocabulary, merges=merges)
        found.add(packer.validation_semantics_identity()["tokenizer"]["vocabulary_sha256"])
    assert len(found) == 3


@pytest.mark.parametrize("name", VOCABULARIES)
def test_the_digests_are_of_plain_json_texts(name: str) -> None:
    """Vocabulary and merges of the real models have the digests of their JSON texts, which any tool can make."""
    packer = ready(real_vocabulary(name))
    model = json.loads(packer.tokenizer.backend_tokenizer.to_str())["model"]
    vocabulary = dict(sorted(packer.tokenizer.backend_tokenizer.get_vocab(with_added_tokens=False).items(), key=by_id))
    declared = packer.validation_semantics_identity()["tokenizer"]
    for field, value in (("vocabulary_sha256", vocabulary), ("merges_sha256", model["merges"])):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        assert declared[field] == hashlib.sha256(text.encode()).hexdigest(), field


def by_id(entry: tuple[str, int]) -> int:
    """The id of an entry of a vocabulary."""
    return entry[1]


def test_the_template_that_counts_is_the_one_that_is_rendered() -> None:
    """Of several named templates the default one is declared; the others say nothing about the packer's prompts."""
    packer = ready(model_path("tiny-qwen"))
    own = packer.tokenizer.chat_template
    before = packer.validation_semantics_identity()
    packer.tokenizer.chat_template = {"default": own, "tool_use": "x"}
    assert packer.validation_semantics_identity() == before
    packer.tokenizer.chat_template = {"default": "x", "tool_use": own}
    assert packer.validation_semantics_identity()["chat_template"] == "x"
    assert packer.get_rollout_input(observe([{"role": "user", "content": "y"}])) == "x"
    packer.tokenizer.chat_template = {"tool_use": own}
    assert packer.validation_semantics_identity()["chat_template"] is None


def test_a_template_of_any_size_fits() -> None:
    """A template too long to stand in plain is told by the digest of its text, and one character still counts."""
    packer = ready(model_path("tiny-qwen"))
    found = set()
    for text in ("x" * 200_000, "x" * 199_999 + " ", "é" * 40_000, "\x01" * 16_000):
        packer.tokenizer.chat_template = text
        document = IdentityDocument.of(packer)
        value = document.parts["semantics"].value
        assert "chat_template" not in value
        assert value["chat_template_sha256"] == hashlib.sha256(text.encode()).hexdigest()
        found.add(document.sha256)
    assert len(found) == 4


def test_any_number_of_special_tokens_fits() -> None:
    """Thousands of further special tokens are told by a digest, and one of them still counts."""
    packer = ready(model_path("tiny-qwen"))
    packer.tokenizer.add_special_tokens({"additional_special_tokens": [f"<extra_{at}>" for at in range(5000)]})
    before = IdentityDocument.of(packer)
    packer.tokenizer.add_special_tokens({"additional_special_tokens": [f"<extra_{at}>" for at in range(4999)]})
    assert changed_fields(before, IdentityDocument.of(packer)) == {"special_tokens.further.sha256"}


@pytest.mark.parametrize("name", ["normalizer", "pre_tokenizer"])
def test_what_cannot_be_told_by_content_is_refused(name: str) -> None:
    """A part of the tokenizer that is somebody's Python object has no content to tell, and none is made up."""
    packer = ready(model_path("tiny-gpt2"))
    kind = normalizers.Normalizer if name == "normalizer" else pre_tokenizers.PreTokenizer
    setattr(packer.tokenizer.backend_tokenizer, name, kind.custom(object()))
    with pytest.raises(ValueError, match=rf"the tokenizer's {name} is a \w+ that cannot be told by content: "):
        packer.validation_semantics_identity()
