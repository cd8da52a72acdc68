"""The catalogue of changes: each makes a model that loads, that differs in one thing, and that shows where it can."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, trainers
from transformers import AutoConfig, AutoTokenizer

from packproof.changes import (
    IMAGE_CHANGES,
    OPERATIONAL_CHANGES,
    OTHER_TOKENS,
    PLACEHOLDERS,
    SPECIAL_TOKEN_CHANGES,
    TEMPLATE_CHANGES,
    TOKENIZER_CHANGES,
    UNSEEN_TEMPLATE_CHANGES,
    VIDEO_CHANGES,
    ModelFiles,
    ids_exchanged,
    with_processor,
)
from packproof.models import EMBEDDED, model_path

Candidates = Callable[[ModelFiles], Iterator[ModelFiles]]
TEXT_CHANGES: dict[str, Candidates] = {
    **TOKENIZER_CHANGES,
    **TEMPLATE_CHANGES,
    **{f"{name}, after": after for name, (_, after) in UNSEEN_TEMPLATE_CHANGES.items()},
    **SPECIAL_TOKEN_CHANGES,
    **OPERATIONAL_CHANGES,
}
UNUSUAL = {"the score of a piece", "min_pixels of the images", "max_pixels of the images", "num_frames of the videos"}
"""Changes of what no model of the kit's own has."""

CHANGES = {**TEXT_CHANGES, **IMAGE_CHANGES, **VIDEO_CHANGES}


def files_of(model: str) -> ModelFiles:
    return ModelFiles.read(model_path(model))


def with_images(model: str = "tiny-qwen") -> ModelFiles:
    files = with_processor(files_of(model))
    assert files is not None
    return files


@pytest.fixture
def unigram(tmp_path: Path) -> ModelFiles:
    """A model whose pieces have scores."""
    tokenizer = Tokenizer(models.Unigram())
    pieces = ["<unk>", "</s>"]
    trainer = trainers.UnigramTrainer(vocab_size=60, special_tokens=pieces, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(["A packer turns one conversation into one row of token ids."] * 5, trainer)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "</s>", "unk_token": "<unk>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return ModelFiles.read(tmp_path)


def ids(files: ModelFiles, folder: Path, text: str = "A packer turns one conversation into one row.") -> list[int]:
    files.write(folder)
    return AutoTokenizer.from_pretrained(str(folder))(text, add_special_tokens=False).input_ids


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_leaves_what_it_was_given_and_makes_something_else(name: str) -> None:
    """Every candidate differs from the model, which stays as it was."""
    made = 0
    for model in EMBEDDED:
        files = with_processor(files_of(model)) or files_of(model)
        before = json.dumps(files.parsed)
        for candidate in CHANGES[name](files):
            made += 1
            assert candidate != files
        assert json.dumps(files.parsed) == before
    assert (made > 0) is (name not in UNUSUAL)


@pytest.mark.parametrize("name", [name for name in TEXT_CHANGES if name != "the score of a piece"])
def test_a_changed_model_loads(name: str, tmp_path: Path) -> None:
    """Transformers takes the tokenizer and the config of every candidate."""
    for number, candidate in enumerate(TEXT_CHANGES[name](files_of("tiny-spm"))):
        folder = tmp_path / str(number)
        candidate.write(folder)
        assert AutoTokenizer.from_pretrained(str(folder))("a")["input_ids"]
        assert AutoConfig.from_pretrained(str(folder)).model_type == "llama"


@pytest.mark.parametrize("name", ["the score of a piece", "two ids of the vocabulary swapped"])
def test_a_vocabulary_with_scores_can_be_changed(name: str, unigram: ModelFiles, tmp_path: Path) -> None:
    """Pieces with scores have their scores lowered and their places swapped, and the ids of a text show it."""
    before = ids(unigram, tmp_path / "before")
    candidates = list(TOKENIZER_CHANGES[name](unigram))
    assert any(ids(one, tmp_path / str(number)) != before for number, one in enumerate(candidates))


def test_operational_changes_leave_the_ids_alone(tmp_path: Path) -> None:
    """No operational change makes another row of a plain call without special tokens."""
    before = ids(files_of("tiny-gpt2"), tmp_path / "before")
    for number, change in enumerate(OPERATIONAL_CHANGES.values()):
        for candidate in change(files_of("tiny-gpt2")):
            assert ids(candidate, tmp_path / str(number)) == before


def test_a_model_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Files are written and read without a loss, other keys' order and files in folders included; weights stay away."""
    files = files_of("tiny-qwen")
    odd = ModelFiles(files.parsed, {"more/notes.txt": b"\xff\x00", "merges.txt": b"a b\n"})
    odd.write(tmp_path / "a")
    (tmp_path / "a" / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "a" / "list.json").write_bytes(b"[1]")
    (tmp_path / "a" / "broken.json").write_bytes(b"{")
    read = ModelFiles.read(tmp_path / "a")
    assert read.parsed == odd.parsed
    assert read.others == {**odd.others, "list.json": b"[1]", "broken.json": b"{"}
    assert odd.reordered() == odd
    assert list(odd.reordered().settings) == list(odd.settings)[::-1]


def test_the_template_is_changed_where_it_stands() -> None:
    """A template in a file of its own outranks the settings, and is changed there."""
    files = files_of("tiny-qwen")
    jinja = ModelFiles(files.parsed, {"chat_template.jinja": b"{{ text }}"})
    assert jinja.template() == "{{ text }}"
    changed = jinja.with_template("other")
    assert (changed.template(), changed.settings) == ("other", files.settings)
    assert "chat_template.jinja" not in jinja.with_template(None).others
    assert files.with_template("other").settings["chat_template"] == "other"
    assert files.with_template(None).template() is None


def test_of_several_templates_the_default_one_is_changed() -> None:
    """Templates by name keep their names, and the default one is read, changed and taken away."""
    tools = {"name": "tool_use", "template": "y"}
    files = files_of("tiny-qwen")
    named = files.having(settings={**files.settings, "chat_template": [tools, {"name": "default", "template": "x"}]})
    assert named.template() == "x"
    assert named.with_template("z").settings["chat_template"] == [{"name": "default", "template": "z"}, tools]
    assert named.with_template(None).settings["chat_template"] == [tools]
    assert named.with_template(None).template() is None


def test_pairs_of_templates_are_different_texts() -> None:
    """What the rule on templates calls another text is one, if only by its end, its length or a capital."""
    for before, after in UNSEEN_TEMPLATE_CHANGES.values():
        (one,), (other,) = before(files_of("tiny-qwen")), after(files_of("tiny-qwen"))
        assert one.template() != other.template()


def test_a_processor_is_the_models_own_where_it_has_one() -> None:
    """A model with processor settings keeps them; one without the tokens for media gets none."""
    files = with_images()
    assert with_processor(files) is files
    assert with_processor(files_of("tiny-gpt2")) is None
    assert with_processor(ModelFiles({}, {})) is None


@pytest.mark.parametrize("what", [*list(PLACEHOLDERS)[:4], OTHER_TOKENS])
def test_ids_are_exchanged_everywhere(what: str, tmp_path: Path) -> None:
    """The token of a placeholder has another id afterwards, in the tokenizer and in the config alike."""
    files = with_images()
    exchanged = ids_exchanged(files, what)
    assert exchanged is not None
    exchanged.write(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path))
    tokens = ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
    names = dict(zip(list(PLACEHOLDERS.values())[:4], tokens, strict=True))
    for key, token in names.items():
        assert (exchanged.config[key] != files.config[key]) is (PLACEHOLDERS.get(what) == key)
        assert tokenizer.convert_tokens_to_ids(token) == exchanged.config[key]
    assert exchanged.tokenizer != files.tokenizer


def test_an_id_that_is_not_there_is_not_exchanged() -> None:
    """Without an audio placeholder, or without added tokens, there is nothing to exchange."""
    assert ids_exchanged(with_images(), "the audio placeholder") is None
    assert ids_exchanged(files_of("tiny-gpt2"), OTHER_TOKENS) is None


def test_one_setting_is_changed_at_a_time() -> None:
    """A change of the videos leaves the images alone, and the other way round; values keep their kind."""
    files = with_images()
    for changes, own, other in (
        (IMAGE_CHANGES, "preprocessor_config.json", "video_preprocessor_config.json"),
        (VIDEO_CHANGES, "video_preprocessor_config.json", "preprocessor_config.json"),
    ):
        for change in changes.values():
            for candidate in change(files):
                assert candidate.parsed[other] == files.parsed[other]
                before, after = files.parsed[own], candidate.parsed[own]
                differing = [key for key in before if before[key] != after[key]]
                assert len(differing) == 1
                assert _kinds(after[differing[0]]) == _kinds(before[differing[0]])


def _kinds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _kinds(one) for key, one in value.items()}
    return [_kinds(one) for one in value] if isinstance(value, list) else type(value)
