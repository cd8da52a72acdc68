"""What a strategy must know of a tokenizer to draw ids and text for it."""

from dataclasses import dataclass
from typing import Any

__all__ = ["UNKNOWN", "Vocabulary", "missing_from"]

_READ = ("__call__", "__len__", "all_special_ids", "bos_token_id", "chat_template", "eos_token_id", "pad_token_id")


@dataclass(frozen=True)
class Vocabulary:
    """Facts of one tokenizer; ids run from 0 to `size - 1`."""

    size: int
    special_ids: tuple[int, ...] = ()
    encodes_text: bool = True
    has_template: bool = True
    takes_parts: bool = True

    def takes(self, route: str) -> bool:
        """Whether a stream can come by this route: "ids", "text" or "conversation"."""
        return {"text": self.encodes_text, "conversation": self.has_template}.get(route, True)

    @classmethod
    def of(cls, tokenizer: Any) -> "Vocabulary":
        """Read the facts off a transformers tokenizer."""
        named = {tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.bos_token_id}
        special = sorted(id for id in named | set(tokenizer.all_special_ids) if id is not None)
        has_template = bool(tokenizer.chat_template)
        return cls(len(tokenizer), tuple(special), has_template=has_template, takes_parts=_takes_parts(tokenizer))


def missing_from(tokenizer: Any) -> list[str]:
    """Names of what the kit reads off a transformers tokenizer and this object lacks."""
    return [name for name in _READ if not hasattr(tokenizer, name)]


def _takes_parts(tokenizer: Any) -> bool:
    """Whether the chat template renders text parts as it renders the same text; many print the list, or drop it."""
    key = type(tokenizer).__name__, str(tokenizer.chat_template)
    if key not in _parts_taken:
        _parts_taken[key] = _renders_parts(tokenizer)
    return _parts_taken[key]


def _renders_parts(tokenizer: Any) -> bool:
    rendered = []
    for content in ("text", [{"type": "text", "text": "text"}]):
        turns = [{"role": role, "content": content} for role in ("user", "assistant", "user")]
        try:
            rendered.append(tokenizer.apply_chat_template(turns, tokenize=False))
        except Exception:
            return False  # no template, or one that refuses parts
    return rendered[0] == rendered[1]


_parts_taken: dict[tuple[str, str], bool] = {}  # by template: packers are set up many times on a few models

UNKNOWN = Vocabulary(size=256, encodes_text=False, has_template=False)
"""For a packer that shows no tokenizer: any 256 ids, no special ones known, no text of which to know the ids."""
