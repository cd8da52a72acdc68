"""Faults of chapter identity: declarations that are none, that change by themselves, or that hold too much."""

import itertools
import os
import random
import time
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_identity import MiniatureDeclared

__all__: list[str] = []

_built = itertools.count()


@fault("IDENT-1")
class IdentityByAnotherName(MiniaturePacker):
    """The identity stands in an attribute that its author chose, and a consumer would have to guess the name."""

    identity = "my-packer-v1"


@fault("IDENT-1")
class DeclaredByGetattr(MiniaturePacker):
    """A wrapper forwards every name to the packer inside, so that Python's version decides whether it declares."""

    def __init__(self) -> None:
        super().__init__()
        self._inner = MiniatureDeclared()

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature, in both packers."""
        self._inner.setup(name_or_path, trust_remote_code)
        self.tokenizer = self._inner.tokenizer

    def save_state(self, dest_path: str) -> None:
        """As the packer inside."""
        self._inner.save_state(dest_path)

    def __getattr__(self, name: str) -> Any:
        if name == "_inner" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._inner, name)


@fault("IDENT-1")
class DeclaredBeforeSetup(MiniatureDeclared):
    """Asked before setup, it declares a packer without a model, and all such packers are equal."""

    def validation_semantics_identity(self) -> dict[str, Any]:
        """As the miniature, with an answer at any time."""
        return super().validation_semantics_identity() if self.tokenizer is not None else {"model_type": None}


@fault("IDENT-3")
class TupleDeclared(MiniatureDeclared):
    """Ids are declared as a tuple, which comes back from a checkpoint as a list and is then another value."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"others": tuple(sorted(self.tokenizer.all_special_ids))}


@fault("IDENT-3")
class SetDeclared(MiniatureDeclared):
    """The special tokens are declared as a set, which has no order to write down."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"others": set(self.tokenizer.all_special_ids)}


@fault("IDENT-3")
class NumbersForKeys(MiniatureDeclared):
    """Tokens are declared under their ids; JSON has no such keys, and 1 and "1" become one."""

    def _special_tokens(self) -> Any:
        return {self._pad(): self.tokenizer.pad_token, **super()._special_tokens()}


@fault("IDENT-3")
class EndlessLimitDeclared(MiniatureDeclared):
    """A limit that is switched off is declared as infinity, for which JSON has no word."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"most_tokens": float("inf")}


@fault("IDENT-3")
class VocabularyWrittenOut(MiniatureDeclared):
    """Every token is declared with its bytes: each checkpoint carries the vocabulary, and no difference reads well."""

    def _content(self) -> Any:
        vocabulary = sorted(self.tokenizer.get_vocab().items())
        written = [
            {"token": token, "id": id, "bytes": list(token.encode()), "kind": "plain"} for token, id in vocabulary
        ]
        return [super()._content(), written, written]


@fault("IDENT-6")
class AddressInside(MiniatureDeclared):
    """The normaliser is declared by its repr, which is an address in memory."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"normaliser": repr(object())}


@fault("IDENT-6", report="https://github.com/huggingface/datasets/pull/8284")
class HashInside(MiniatureDeclared):
    """The template is declared by `hash()`, which is another number in every process.

    Keys that follow the hash seed were reported in https://github.com/huggingface/datasets/pull/8284.
    """

    def _template(self) -> Any:
        return None if self.tokenizer.chat_template is None else hash(self.tokenizer.chat_template)


@fault("IDENT-6")
class SetOrderInside(MiniatureDeclared):
    """Names of roles are listed from a set, in an order that the hash seed decides."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"roles": list({"bos", "eos", "unk", "pad", "mask", "sep", "cls", "image"})}


@fault("IDENT-6", report="https://github.com/huggingface/datasets/issues/2775")
class RandomKeyInside(MiniatureDeclared):
    """What cannot be hashed gets a random key from the global generator.

    Reported in https://github.com/huggingface/datasets/issues/2775.
    """

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"normaliser": random.random()}


@fault("IDENT-6")
class TimeInside(MiniatureDeclared):
    """The moment of the declaration is part of it, so that no two are equal."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"declared_at": time.time_ns()}


@fault("IDENT-6", report="https://github.com/bespokelabsai/curator/issues/143")
class PathInside(MiniatureDeclared):
    """The folder of the model is declared, so that a moved cache is another model.

    Keys that follow a path were reported in https://github.com/bespokelabsai/curator/issues/143.
    """

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature; keeps the folder."""
        super().setup(name_or_path, trust_remote_code)
        self._folder = name_or_path

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"loaded_from": self._folder}


@fault("IDENT-6")
class WorkingFolderInside(MiniatureDeclared):
    """The working folder is declared along with the model's name, which is relative to it."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"working_folder": str(Path.cwd())}


@fault("IDENT-6")
class ThreadsInside(MiniatureDeclared):
    """The number of threads is declared, for it once changed the order of a list."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"threads": os.environ.get("OMP_NUM_THREADS", "")}


@fault("IDENT-6")
class TimeZoneInside(MiniatureDeclared):
    """A template that prints the date made its author declare the zone of the machine."""

    def _template(self) -> Any:
        return [self.tokenizer.chat_template, time.strftime("%z")]


@fault("IDENT-6")
class CallHistoryInside(MiniatureDeclared):
    """The longest row so far is declared as the limit that rows are padded to."""

    _longest = 0

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Any:
        self._longest = max(self._longest, len(prompt) + len(completion))
        return super()._row(prompt, completion, ignored)

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"longest": self._longest}


@fault("IDENT-6")
class InstancesCounted(MiniatureDeclared):
    """Every packer is given a number, and declares it."""

    def __init__(self) -> None:
        super().__init__()
        self._number = next(_built)

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"instance": self._number}


@fault("IDENT-6", "IDENT-14", report="https://github.com/huggingface/datasets/issues/2496")
class LeftoversInside(MiniatureDeclared):
    """The serialised text of the tokenizer is hashed as it stands, with the cutting and padding of its last call.

    A key that follows a save was reported in https://github.com/huggingface/datasets/issues/2496.
    """

    def _content(self) -> Any:
        return self._digest(self.tokenizer.backend_tokenizer.to_str())


@fault("IDENT-6", "IDENT-14")
class FileHashed(MiniatureDeclared):
    """The bytes of `tokenizer.json` stand in for its content: another order of its keys is another tokenizer."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature; keeps the bytes of the file."""
        super().setup(name_or_path, trust_remote_code)
        self._bytes = Path(name_or_path, "tokenizer.json").read_bytes()

    def _content(self) -> Any:
        return self._digest(self._bytes.hex())


@fault("IDENT-6")
class OneMappingForAll(MiniatureDeclared):
    """The declaration is made once and handed out again and again, so that what a caller writes into it is declared."""

    @cached_property
    def _made(self) -> dict[str, Any]:
        return super().validation_semantics_identity()

    def validation_semantics_identity(self) -> dict[str, Any]:
        """As the miniature, in one mapping."""
        return self._made


@fault("IDENT-6")
class SavedWithoutConfig(MiniatureDeclared):
    """Only the tokenizer is saved, so that a reloaded packer has no model type to declare."""

    def save_state(self, dest_path: str) -> None:
        """As the miniature that declares nothing."""
        MiniaturePacker.save_state(self, dest_path)


@fault("IDENT-14")
class SettingsWhole(MiniatureDeclared):
    """Limit and sides of the tokenizer are declared, although this packer pads by itself and cuts nothing."""

    def _special_tokens(self) -> Any:
        own = {name: getattr(self.tokenizer, name) for name in ("padding_side", "truncation_side", "model_max_length")}
        return super()._special_tokens() | own


@fault("IDENT-14")
class ConfigWhole(MiniatureDeclared):
    """The model's config is declared as it is: another dtype of the weights is another packer."""

    def _model_type(self) -> Any:
        return deepcopy(self.config)


@fault("IDENT-14")
class NameInside(MiniatureDeclared):
    """The name that the config gives itself is declared, and a model that was uploaded again is another one."""

    def _model_type(self) -> Any:
        return [super()._model_type(), self.config.get("_name_or_path")]
