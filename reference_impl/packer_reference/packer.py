"""The packer that owns a tokenizer."""

import json
from pathlib import Path
from typing import Any

from packer_reference.base import BaseDataPacker
from packer_reference.held_tokenizer import HeldTokenizer
from packer_reference.model_family import config_head
from packer_reference.model_names import model_name, refuse_missing_folder
from packer_reference.text_semantics import text_semantics

__all__ = ["DataPacker"]

_PROBE = "special token probe"


class DataPacker(BaseDataPacker):
    """A packer whose `tokenizer` is built by `setup`; None until then."""

    _held: HeldTokenizer | None = None
    _config: dict[str, Any] | None = None
    _trusts: bool = False

    @property
    def tokenizer(self) -> Any:
        """The tokenizer, to look at, to change or to replace; None before `setup`."""
        return None if self._held is None else self._held.lend()

    @tokenizer.setter
    def tokenizer(self, tokenizer: Any) -> None:
        self._held = None if tokenizer is None else HeldTokenizer(tokenizer, lent=True)

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """Build the tokenizer of a model id or local folder; its pad token falls back to its end-of-sequence token.

        Code from the model folder runs only with `trust_remote_code`. Raises `ValueError` for an empty name, for a
        tokenizer without pad and end tokens, or one that cannot be built; `OSError` (`FileNotFoundError` for a folder
        that is not there) when its files cannot be read. Spec: lifecycle, LIFE-2 to LIFE-6.
        """
        name = model_name(name_or_path, "DataPacker.setup")
        refuse_missing_folder(name, "DataPacker.setup")
        tokenizer = _load_tokenizer(name, trust_remote_code)
        if tokenizer.pad_token_id is None:
            if tokenizer.eos_token_id is None:
                raise ValueError(
                    f"DataPacker.setup: the tokenizer of {name!r} has neither a pad nor an eos token to fill rows "
                    "with; declare pad_token in its tokenizer_config.json"
                )
            tokenizer.pad_token_id = tokenizer.eos_token_id
        config = config_head(name)
        self.tokenizer = tokenizer
        self._held, self._config, self._trusts = HeldTokenizer(tokenizer, lent=False), config, bool(trust_remote_code)

    @property
    def pad_token_id(self) -> int:
        """The id that fills rows. `RuntimeError` before setup, `ValueError` if the tokenizer has none."""
        pad = self._ready("pad_token_id").pad_token_id
        if pad is None:
            raise ValueError(
                f"{type(self).__name__}.pad_token_id: the tokenizer has no pad token; "
                "call DataPacker.setup, which falls back to the eos token, or set tokenizer.pad_token"
            )
        return pad

    @property
    def experts(self) -> int | None:
        """How many experts a layer of the model routes to; None where its configuration does not say. Spec: ROUTE-4."""
        return (self._config or {}).get("num_experts")

    def adds_special_tokens(self) -> bool:
        """Whether a plain tokenizer call differs from one without special tokens. Spec: lifecycle, LIFE-13."""
        tokenizer = self._ready("adds_special_tokens")
        with_them = tokenizer(_PROBE, add_special_tokens=True)["input_ids"]
        return list(with_them) != list(tokenizer(_PROBE, add_special_tokens=False)["input_ids"])

    def assert_no_special_tokens(self) -> None:
        """Raise `ValueError` when `adds_special_tokens()`. Spec: lifecycle, LIFE-13."""
        if self.adds_special_tokens():
            raise ValueError(
                "packer tokenizer adds special tokens by default: whoever tokenises the prompt text anew generates "
                "from another prefix than the one that is scored. Record prompt_ids and use them, hand the engine "
                "pre-tokenised prompts, or take a model whose tokenizer adds none"
            )

    def text_semantics(self) -> dict[str, Any]:
        """What decides how this packer turns text into ids, for a packer to declare beside its own settings.

        Plain JSON data of at most about 40 KiB, new on every call: the content of the tokenizer as it is now, by
        component, the chat template, the special tokens, the pad id, the model type of the config, and
        `trust_remote_code` as `setup` was given it. Two packers that were set up from equal folders in equal ways give
        equal ones, in every process and place. Raises `RuntimeError` before `DataPacker.setup`, `ValueError` for a
        tokenizer that cannot be told by content. Spec: identity, IDENT-6 to IDENT-10.
        """
        held = self._holder("text_semantics")
        if self._config is None:
            raise RuntimeError(
                f"{type(self).__name__}.text_semantics: model type and trust are not known, for the tokenizer was set "
                "without DataPacker.setup; call it in your own setup, or declare an identity of your own"
            )
        given = {"model_type": self._config.get("model_type"), "trust_remote_code": self._trusts}
        return given | text_semantics(held.own, held.content())

    def save_state(self, dest_path: str) -> None:
        """Write the tokenizer into the folder `dest_path`, from which `setup` builds an equal packer.

        A folder without a `config.json` gets one that holds the model type, which is part of the identity, the version
        of transformers that the model was written with, on which the reading of tokenizers depends, and the number of
        experts, if there are any. Raises `NotADirectoryError` if `dest_path` is a file. Spec: lifecycle, LIFE-12;
        identity, IDENT-6.
        """
        tokenizer = self._ready("save_state")
        if Path(dest_path).exists() and not Path(dest_path).is_dir():
            # transformers only logs this and writes nothing
            raise NotADirectoryError(f"{type(self).__name__}.save_state: {str(dest_path)!r} is a file, not a folder")
        tokenizer.save_pretrained(dest_path)
        file = Path(dest_path, "config.json")
        if self._config and not file.exists():
            file.write_text(json.dumps(self._config) + "\n", encoding="utf-8")

    def _ready(self, method: str) -> Any:
        """The tokenizer, or an error that says how to get one."""
        return self._holder(method).own

    def _holder(self, method: str) -> HeldTokenizer:
        held = self._held
        if type(self).tokenizer is not DataPacker.tokenizer:  # a subclass has an attribute of its own under this name
            held = None if self.tokenizer is None else HeldTokenizer(self.tokenizer, lent=True)
        if held is None:
            raise RuntimeError(
                f"{type(self).__name__}.{method}: the packer is not set up; call setup(name_or_path) first, "
                "or get a ready packer from init_data_packer(name_or_path)"
            )
        return held


def _load_tokenizer(name: str, trust_remote_code: bool) -> Any:
    from transformers import AutoTokenizer  # here, so that importing the package stays cheap

    where = f"DataPacker.setup: cannot load a tokenizer from {name!r} (trust_remote_code={trust_remote_code})"
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=trust_remote_code)
    except OSError as error:
        raise OSError(f"{where}: {error}") from error
    except Exception as error:
        raise ValueError(f"{where}: {type(error).__name__}: {error}") from error
    # For a folder without tokenizer files transformers 5 builds one that knows special tokens and nothing else
    # (and, for some families, one bare word-boundary mark).
    if len(tokenizer) - len(set(tokenizer.all_special_ids)) <= 1:
        raise ValueError(f"{where}: its vocabulary holds special tokens only; are the tokenizer files missing there?")
    return tokenizer
