"""A packer's tokenizer, with what is known of its content for as long as nobody else can have changed it."""

import copy
from typing import Any

from packer_reference.tokenizer_content import rust_backend, tokenizer_content

__all__ = ["HeldTokenizer"]


class HeldTokenizer:
    """Remembers the digests of a tokenizer that its packer loaded and never let out of its hands.

    Nothing short of reading the whole vocabulary tells whether a Rust tokenizer is still the same: its model can be
    replaced or trained in place, and neither object nor size shows it. So the digests are kept only until `lend` hands
    the tokenizer to somebody, who may hold on to it. From then on they are made anew on every call.
    """

    def __init__(self, tokenizer: Any, *, lent: bool) -> None:
        self._tokenizer = tokenizer
        self._lent = lent
        self._content: dict[str, Any] | None = None

    @property
    def own(self) -> Any:
        """The tokenizer, for the packer's own calls, which change nothing of its content."""
        return self._tokenizer

    def lend(self) -> Any:
        """The tokenizer, for whoever asks; its content is not taken on trust any more."""
        self._lent, self._content = True, None
        return self._tokenizer

    def content(self) -> dict[str, Any]:
        """What `tokenizer_content` says of the tokenizer as it is now, in a dict of the caller's own."""
        if self._lent or not _keeps_still(self._tokenizer):
            return tokenizer_content(self._tokenizer)
        if self._content is None:
            self._content = tokenizer_content(self._tokenizer)
        return copy.deepcopy(self._content)


def _keeps_still(tokenizer: Any) -> bool:
    """Whether calls leave the content alone, as in the Rust library; code of somebody's own may learn as it goes."""
    return rust_backend(tokenizer) is not None and type(tokenizer).__module__.startswith("transformers.")
