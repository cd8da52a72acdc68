"""Changes of what stands around a tokenizer's content: template, special tokens, model type, and mere labels."""

from collections.abc import Callable, Iterator
from typing import Any

from packproof.changes.model_files import ModelFiles

__all__ = ["MODEL_TYPES", "OPERATIONAL_CHANGES", "SPECIAL_TOKEN_CHANGES", "TEMPLATE_CHANGES", "UNSEEN_TEMPLATE_CHANGES"]

Candidates = Callable[[ModelFiles], Iterator[ModelFiles]]

MODEL_TYPES = ("qwen2", "llama", "gpt2", "qwen3", "mistral")
"""Types to choose another one from (IDENT-10)."""


def _as_it_is(text: str) -> str:
    return text


def _template(edit: Callable[[str], str | None]) -> Candidates:
    def candidates(files: ModelFiles) -> Iterator[ModelFiles]:
        text = files.template()
        if text is not None:
            yield files.with_template(edit(text))

    return candidates


def _role_given_to(role: str) -> Candidates:
    def candidates(files: ModelFiles) -> Iterator[ModelFiles]:
        own = files.settings.get(role)
        own = own["content"] if isinstance(own, dict) else own
        others = [files.settings.get("eos_token"), files.settings.get("unk_token"), *files.added_tokens(), "a"]
        for other in dict.fromkeys(one["content"] if isinstance(one, dict) else one for one in others):
            if other not in (None, own):
                yield files.having(settings={**files.settings, role: other})

    return candidates


def _roles_swapped(files: ModelFiles) -> Iterator[ModelFiles]:
    first, last = files.settings.get("bos_token"), files.settings.get("eos_token")
    if first and last and first != last:
        yield files.having(settings={**files.settings, "bos_token": last, "eos_token": first})


def _settings(**entries: Any) -> Candidates:
    def candidates(files: ModelFiles) -> Iterator[ModelFiles]:
        yield files.having(settings={**files.settings, **entries})

    return candidates


def _config(**entries: Any) -> Candidates:
    def candidates(files: ModelFiles) -> Iterator[ModelFiles]:
        if files.config:
            yield files.having(config={**files.config, **entries})

    return candidates


def _left_behind(files: ModelFiles) -> Iterator[ModelFiles]:
    """What a call that cuts and pads leaves in a fast tokenizer, and `save_pretrained` writes down."""
    cut = {"direction": "Right", "max_length": 16, "strategy": "LongestFirst", "stride": 0}
    pad = {"strategy": {"Fixed": 16}, "direction": "Left", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0}
    if files.tokenizer:
        padding = {**pad, "pad_token": next(files.added_tokens(), "a")}
        yield files.having(tokenizer={**files.tokenizer, "truncation": cut, "padding": padding})


TEMPLATE_CHANGES: dict[str, Candidates] = {
    "a word more in the chat template": _template(lambda text: "{{- 'Note: ' -}}" + text),
    "no chat template": _template(lambda _: None),
}
"""Changes of the template that show in what it renders (IDENT-8)."""

UNSEEN_TEMPLATE_CHANGES: dict[str, tuple[Candidates, Candidates]] = {
    "a comment more in the chat template": (_template(_as_it_is), _template(lambda text: text + "{# as agreed #}")),
    "a blank more at the end of the chat template": (_template(_as_it_is), _template(lambda text: text + " ")),
    "a line feed more at the end of the chat template": (_template(_as_it_is), _template(lambda text: text + "\n")),
    "a capital in a comment of the chat template": (
        _template(lambda text: text + "{# as agreed #}"),
        _template(lambda text: text + "{# As agreed #}"),
    ),
    "two letters of a comment in the chat template": (
        _template(lambda text: text + "{# ab #}"),
        _template(lambda text: text + "{# ba #}"),
    ),
}
"""Pairs of templates that are other texts, whether an output shows it or not (IDENT-8)."""

SPECIAL_TOKEN_CHANGES: dict[str, Candidates] = {
    "the pad token": _role_given_to("pad_token"),
    "the end-of-sequence token": _role_given_to("eos_token"),
    "the beginning-of-sequence token": _role_given_to("bos_token"),
    "the first and the last token of a sequence swapped": _roles_swapped,
    "special tokens in texts read as text": _settings(split_special_tokens=True),
}
"""Changes of which special tokens there are and what is done with them (IDENT-9)."""

OPERATIONAL_CHANGES: dict[str, Candidates] = {
    "name_or_path in the tokenizer's settings": _settings(name_or_path="elsewhere/another-name"),
    "_name_or_path in the model's config": _config(_name_or_path="elsewhere/another-name"),
    "the revision in the model's config": _config(_commit_hash="0123456789abcdef0123456789abcdef01234567"),
    "the library's version in the model's config": _config(transformers_version="4.57.6"),
    "the dtype of the weights": _config(dtype="bfloat16", torch_dtype="bfloat16"),
    "the number of layers": _config(num_hidden_layers=3, n_layer=3),
    "the side of padding": _settings(padding_side="left"),
    "the side of truncation": _settings(truncation_side="left"),
    "the tokenizer's length limit": _settings(model_max_length=1_000_000),
    "cutting and padding left behind in the tokenizer's file": _left_behind,
}
"""Changes that decide no output of a packer that pads by itself and cuts nothing (IDENT-14)."""
