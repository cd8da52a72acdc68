"""What a strategy must know of a tokenizer to draw ids and text for it."""

from dataclasses import dataclass
from typing import Any

__all__ = ["UNKNOWN", "Vocabulary"]


@dataclass(frozen=True)
class Vocabulary:
    """Facts of one tokenizer; ids run from 0 to `size - 1`."""

    size: int
    special_ids: tuple[int, ...] = ()
    encodes_text: bool = True
    has_template: bool = True

    def takes(self, route: str) -> bool:
        """Whether a stream can come by this route: "ids", "text" or "conversation"."""
        return {"text": self.encodes_text, "conversation": self.has_template}.get(route, True)

    @classmethod
    def of(cls, tokenizer: Any) -> "Vocabulary":
        """Read the facts off a transformers tokenizer."""
        named = {tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.bos_token_id}
        special = sorted(id for id in named | set(tokenizer.all_special_ids) if id is not None)
        return cls(len(tokenizer), tuple(special), has_template=bool(tokenizer.chat_template))


UNKNOWN = Vocabulary(size=256, encodes_text=False, has_template=False)
"""For a packer that shows no tokenizer: any 256 ids, no special ones known, no text of which to know the ids."""
