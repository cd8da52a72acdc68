"""Chat templates of real model families, read from the data files of the installed ``trl`` (extra ``dev``).

``trl`` is found but not imported. The templates chosen render plain user and assistant conversations over a
vocabulary of :mod:`real_vocabularies`; between them they break most of what one likes to assume of a template, and
:data:`CHATS` says which does what. Left out are the ``_training`` variants, which no model ships with, and those
that write today's date (gptoss, llama3_2, muse_glimmer).
"""

import dataclasses
import importlib.util
import pathlib

__all__ = ["CHATS", "Chat", "chat_template", "chat_templates"]


@dataclasses.dataclass(frozen=True)
class Chat:
    """How a template behaves on text conversations. The defaults are what one hopes for."""

    vocabulary: str  # the real vocabulary to render it over; any with a BOS does, and for most any at all
    writes_bos: bool = False  # the text starts with the BOS of that vocabulary
    takes_system: bool = True  # a first system message is rendered, not refused
    takes_parts: bool = True  # content may be a list of text parts; else it fails or renders them as something else
    prompt_is_prefix: bool = True  # what is rendered for generation is how the answered conversation begins
    appends: bool = True  # a longer conversation begins with the text of the shorter one


CHATS = {
    "cohere2": Chat("mistral", writes_bos=True, takes_parts=False),
    "deepseek_r1_distill": Chat("deepseek", writes_bos=True, takes_parts=False, prompt_is_prefix=False),
    "deepseekv3": Chat("deepseek", writes_bos=True, takes_parts=False, prompt_is_prefix=False),
    "gemma": Chat("mistral", writes_bos=True, takes_system=False, takes_parts=False),
    "gemma3": Chat("mistral", writes_bos=True),
    "gemma4": Chat("mistral", writes_bos=True),
    "glm4moe": Chat("qwen"),
    "lfm2": Chat("mistral", writes_bos=True, takes_parts=False),
    "llama3": Chat("mistral", writes_bos=True, takes_parts=False),
    "llama3_1": Chat("mistral", writes_bos=True, takes_parts=False),
    "nemotron_3_nano": Chat("qwen", takes_parts=False, prompt_is_prefix=False),
    "phi3": Chat("qwen", takes_parts=False, appends=False),
    "qwen2_5": Chat("qwen", takes_parts=False),
    "qwen2_5_vl": Chat("qwen"),
    "qwen3": Chat("qwen", takes_parts=False, appends=False),
    "qwen3_5_think": Chat("qwen", appends=False),
    "qwen3_8": Chat("qwen"),
    "qwen3_instruct_2507": Chat("qwen", takes_parts=False),
    "qwen3_vl": Chat("qwen"),
}


def chat_templates() -> dict[str, str]:
    """The text of every template of :data:`CHATS`, by name."""
    return {name: chat_template(name) for name in CHATS}


def chat_template(name: str) -> str:
    """The text of one of trl's templates, of :data:`CHATS` or not, by its file name without ``.jinja``.

    Raises ``ModuleNotFoundError`` when trl is not installed, ``ValueError`` when it has no such template.
    """
    spec = importlib.util.find_spec("trl")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            "the chat templates are read from trl, which is not installed; it comes with the extra 'dev': "
            "pip install 'packproof[dev]'",
            name="trl",
        )
    folder = pathlib.Path(spec.submodule_search_locations[0]) / "chat_templates"
    path = folder / f"{name}.jinja"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.jinja"))) or "none at all"
        raise ValueError(f"the installed trl has no chat template {name!r}, only: {known}")
    return path.read_text(encoding="utf-8")
