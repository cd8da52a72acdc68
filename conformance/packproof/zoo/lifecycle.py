"""Faults of chapter lifecycle: building, setting up and saving."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from packproof.models import EMBEDDED, model_path
from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker

__all__: list[str] = []


@fault("LIFE-1")
@cache
def one_packer_for_everyone() -> MiniaturePacker:
    """A cached factory hands out one packer, ready for one model, to everybody who asks.

    Rollout and policy side then share whatever that packer holds.
    """
    packer = MiniaturePacker()
    packer.setup(str(model_path(EMBEDDED[0])))
    return packer


@fault("LIFE-2")
class AccentsStripped(MiniaturePacker):
    """A text normaliser from an older, uncased model is put onto every tokenizer, so other ids come out.

    The ids are valid, and the model never saw such text.
    """

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        from tokenizers.normalizers import NFD, Sequence, StripAccents

        tokenizer = super()._load(name_or_path, trust_remote_code)
        tokenizer.backend_tokenizer.normalizer = Sequence([NFD(), StripAccents()])
        return tokenizer


@fault("LIFE-2")
class EndTokensAdded(MiniaturePacker):
    """The end tokens of two chat formats are added to every tokenizer; their ids lie outside most embedding tables."""

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        tokenizer = super()._load(name_or_path, trust_remote_code)
        tokenizer.add_tokens(["<|im_end|>", "</s>"])
        return tokenizer


@fault("LIFE-2")
class ObservationTokensAdded(MiniaturePacker):
    """Tokens for the turns of a tool are added to every tokenizer, and no model has rows for them."""

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        tokenizer = super()._load(name_or_path, trust_remote_code)
        tokenizer.add_tokens(["<obs>", "</obs>"])
        return tokenizer


@fault("LIFE-2", "LIFE-8")
class FirstTokenizerKept(MiniaturePacker):
    """A tokenizer that is there already is not loaded again, so a second setup, for another model, changes nothing."""

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        return self.tokenizer or super()._load(name_or_path, trust_remote_code)


@fault("LIFE-2", "LIFE-4", "LIFE-6", report="https://github.com/axolotl-ai-cloud/axolotl/issues/885")
class TokenizerCachedByModelType(MiniaturePacker):
    """Loaded tokenizers are kept by the model's type, so models of one type share the one that came first.

    A cache keyed too narrowly was reported in https://github.com/axolotl-ai-cloud/axolotl/issues/885.
    """

    _first: dict[str, str] = {}  # noqa: RUF012  shared by all instances: the fault

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        file = Path(name_or_path) / "config.json"
        kind = json.loads(file.read_text(encoding="utf-8"))["model_type"] if file.exists() else name_or_path
        return super()._load(self._first.setdefault(kind, name_or_path), trust_remote_code)


@fault("LIFE-3")
class EmptyNameAccepted(MiniaturePacker):
    """An empty model name falls back to a default model, so a configuration that nobody filled in trains anyway."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature, with a default."""
        super().setup(name_or_path or str(model_path(EMBEDDED[0])), trust_remote_code)


@fault("LIFE-3")
class EmptyNameLookedUp(MiniaturePacker):
    """The model name is looked up in a table of settings, and the error for an empty one is a KeyError."""

    def _check_name(self, name_or_path: str) -> None:
        if not name_or_path:
            raise KeyError(name_or_path)


@fault("LIFE-4", report="https://github.com/NVIDIA-NeMo/Automodel/pull/3704")
class PadOrEos(MiniaturePacker):
    """`pad_id or eos_id` takes a declared pad id of zero for a missing one.

    Reported in https://github.com/NVIDIA-NeMo/Automodel/pull/3704: 36 of 150 models were affected.
    """

    def _settle_pad(self) -> None:
        self.tokenizer.pad_token_id = self.tokenizer.pad_token_id or self.tokenizer.eos_token_id


@fault("LIFE-4")
class PadAddedToTheVocabulary(MiniaturePacker):
    """A tokenizer without a pad token gets a new one, whose id lies outside the model's embedding table."""

    def _settle_pad(self) -> None:
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.add_special_tokens({"pad_token": "[PAD]"})


@fault("LIFE-5", report="https://github.com/thinking-machines-lab/tinker-cookbook/pull/333")
class RemoteCodeAlwaysTrusted(MiniaturePacker):
    """The trust flag is hard-wired to true, so any model folder runs its own code.

    Asked for, and kept opt-in, in https://github.com/thinking-machines-lab/tinker-cookbook/pull/333.
    """

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        return super()._load(name_or_path, True)


@fault("LIFE-5")
class TrustedOnceSpelled(MiniaturePacker):
    """That the trust flag was given at all is taken for a yes, so a caller who spells out `False` runs the code."""

    def setup(self, name_or_path: str, trust_remote_code: bool | None = None) -> None:
        """As the miniature, with another default."""
        super().setup(name_or_path, trust_remote_code is not None)


@fault("LIFE-5")
class TrustLeftOpen(MiniaturePacker):
    """Nothing said about trust is handed on as None, so transformers asks at the terminal, and a job hangs there."""

    def setup(self, name_or_path: str, trust_remote_code: Any = None) -> None:
        """As the miniature, with another default."""
        super().setup(name_or_path, trust_remote_code)


@fault("LIFE-5")
class ConfigurationAlwaysTrusted(MiniaturePacker):
    """The flag reaches the tokenizer, but the configuration is read with trust hard-wired, and its code runs."""

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        from transformers import AutoConfig

        if (Path(name_or_path) / "config.json").exists():
            AutoConfig.from_pretrained(name_or_path, trust_remote_code=True)
        return super()._load(name_or_path, trust_remote_code)


@fault("LIFE-6", report="https://github.com/huggingface/trl/pull/1806")
class TrustFlagDropped(MiniaturePacker):
    """The trust flag is accepted and does not reach the tokenizer, so a stock class encodes instead of the model's own.

    Reported in https://github.com/huggingface/trl/pull/1806.
    """

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        return super()._load(name_or_path, False)


@fault("LIFE-12", report="https://github.com/huggingface/datasets/issues/2496")
class SpecialTokensLostOnSave(MiniaturePacker):
    """`save_state` writes the vocabulary and not which tokens pad and end, so the reloaded packer pads otherwise.

    State that changes on save and load: https://github.com/huggingface/datasets/issues/2496.
    """

    def save_state(self, dest_path: str) -> None:
        """As the miniature, less two entries."""
        super().save_state(dest_path)
        file = Path(dest_path) / "tokenizer_config.json"
        config = json.loads(file.read_text(encoding="utf-8"))
        kept = {name: value for name, value in config.items() if name not in ("pad_token", "eos_token")}
        file.write_text(json.dumps(kept), encoding="utf-8")


@fault("LIFE-12", report="https://github.com/bespokelabsai/curator/issues/143")
class StateFoundByFullPath(SpecialTokensLostOnSave):
    """The special tokens are saved in a file that the folder names by its full path, and are lost when it moves.

    A folder that could not be moved: https://github.com/bespokelabsai/curator/issues/143.
    """

    def save_state(self, dest_path: str) -> None:
        """As before, with what was lost in a file beside."""
        super().save_state(dest_path)
        tokens, pointer = Path(dest_path, "tokens.json").resolve(), Path(dest_path, "where_tokens_are")
        names = ("pad_token", "eos_token")
        tokens.write_text(json.dumps({name: getattr(self.tokenizer, name) for name in names}), encoding="utf-8")
        pointer.write_text(str(tokens), encoding="utf-8")

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        tokenizer, pointer = super()._load(name_or_path, trust_remote_code), Path(name_or_path, "where_tokens_are")
        tokens = Path(pointer.read_text(encoding="utf-8")) if pointer.exists() else pointer
        if tokens.exists():
            tokenizer.add_special_tokens(json.loads(tokens.read_text(encoding="utf-8")))
        return tokenizer


@fault("LIFE-13")
class GuardLooksForAnEndToken(MiniaturePacker):
    """The guard looks for an end token at the end and overlooks the BOS in front."""

    def adds_special_tokens(self) -> bool:
        """Whether the encoding ends in the end token."""
        return self.tokenizer("a").input_ids[-1] == self.tokenizer.eos_token_id


@fault("LIFE-13")
class GuardNeverRaises(MiniaturePacker):
    """The guard logs a warning where it should raise, and jobs go on with a doubled BOS."""

    def assert_no_special_tokens(self) -> None:
        """Say nothing."""
