"""Faults of chapter lifecycle: building, setting up, using and saving."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from packproof.models import EMBEDDED, model_path
from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

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


@fault("LIFE-6", report="https://github.com/huggingface/trl/pull/1806")
class TrustFlagDropped(MiniaturePacker):
    """The trust flag is accepted and does not reach the tokenizer, so a stock class encodes instead of the model's own.

    Reported in https://github.com/huggingface/trl/pull/1806.
    """

    def _load(self, name_or_path: str, trust_remote_code: bool) -> Any:
        return super()._load(name_or_path, False)


@fault("LIFE-7")
class PositionsAddedToAKeptList(MiniaturePacker):
    """Positions are kept by row to save work, and every use of a row extends the kept list."""

    def __init__(self) -> None:
        super().__init__()
        self._positions: dict[tuple[int, ...], list[int]] = {}

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row = super()._row(prompt, completion, ignored)
        kept = self._positions.setdefault(tuple(row["input_ids"]), [])
        kept += range(len(row["input_ids"]))
        return row | {"position_ids": list(kept)}


@fault("LIFE-7", "LIFE-8")
class RowsNumberedPerPacker(MiniaturePacker):
    """Every row carries a running number as its id, so equal samples give unequal rows and caches never hit."""

    def __init__(self) -> None:
        super().__init__()
        self._rows = 0

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        self._rows += 1
        return super()._row(prompt, completion, ignored) | {"row_id": self._rows}


@fault("LIFE-7", "LIFE-8", "LIFE-12")
class MutableDefaultArgument(MiniaturePacker):
    """A default argument that is a list collects every row ever made, in all instances, and numbers the next one."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int, seen: list[int] = []) -> Row:  # noqa: B006
        seen.append(len(prompt) + len(completion))
        return super()._row(prompt, completion, ignored) | {"row_id": len(seen)}


@fault("LIFE-8")
class IgnoreCountSticks(MiniaturePacker):
    """An `n_ignore_prefix_tokens` once given stays in force for later calls that leave it out."""

    def __init__(self) -> None:
        super().__init__()
        self._ignored = 0

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        self._ignored = ignored or min(self._ignored, len(completion))
        return super()._row(prompt, completion, self._ignored)


@fault("LIFE-8")
class WidthOfTheLongestSoFar(MiniaturePacker):
    """A row says how wide its batch will be, from the longest row this packer has seen, so history decides it."""

    def __init__(self) -> None:
        super().__init__()
        self._longest = 0

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row = super()._row(prompt, completion, ignored)
        self._longest = max(self._longest, len(row["input_ids"]))
        return row | {"pad_to": self._longest}


@fault("LIFE-8", "AUTH-3")
class EncoderOnTheClass(MiniaturePacker):
    """Setup stores the encoder of completions on the class, so the last packer set up decides for all of them."""

    _encoder: Any = None

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature, and for everybody."""
        super().setup(name_or_path, trust_remote_code)
        type(self)._encoder = self.tokenizer

    def _completion_ids(self, given: Any) -> list[int]:
        if isinstance(given, str):
            return list(type(self)._encoder(given, add_special_tokens=False).input_ids)
        return super()._completion_ids(given)


@fault("LIFE-9")
class PromptTakenOutOfTheSample(MiniaturePacker):
    """The prompt is popped from the caller's sample, so the next completion of its group has none."""

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        return self._not_empty(self._encode(self._render(sample.representations.pop("prompt"))))


@fault("LIFE-9")
class StoredPromptExtended(MiniaturePacker):
    """The completion is appended to the caller's own list of prompt ids, which grows with every call."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, then the damage."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        if isinstance(prompt_ids, list):
            prompt_ids[:] = row["input_ids"]
        return row


@fault("LIFE-9")
class AssistantTextReplacedByPads(MiniaturePacker):
    """Assistant texts in the caller's messages are replaced while the prompt is built, and never put back.

    Seen in two public packers: after one call the caller's assistant text was a run of pad tokens.
    """

    def _text_prompt_ids(self, sample: Any) -> list[int]:
        ids = super()._text_prompt_ids(sample)
        for turn in sample.representations["prompt"]:
            if isinstance(turn, dict) and turn["role"] == "assistant":
                turn["content"] = self.tokenizer.pad_token * 10
        return ids


@fault("LIFE-10")
class StoredPromptAliased(MiniaturePacker):
    """With nothing to append, the caller's own list becomes `input_ids`, and changes when the caller reuses it."""

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, without the copy."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        nothing_to_append = isinstance(prompt_ids, list) and row["input_ids"] == prompt_ids
        return row | {"input_ids": prompt_ids} if nothing_to_append else row


@fault("LIFE-11", report="https://github.com/huggingface/datasets/issues/2775")
class RowNamedAtRandom(MiniaturePacker):
    """Every row draws from Python's global generator, so the job's randomness depends on how many rows were shaped.

    What borrowing global state can do is told in https://github.com/huggingface/datasets/issues/2775.
    """

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        random.random()
        return super()._row(prompt, completion, ignored)


@fault("LIFE-11")
class CollateSeedsTorch(MiniaturePacker):
    """Collation seeds torch to be repeatable, and resets the job's sampling with every batch."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        torch.manual_seed(0)
        return super()._batch(ids, masks)


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
