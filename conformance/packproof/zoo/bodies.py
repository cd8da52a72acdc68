"""Faults of chapter bodies before anything is generated: how a body is made, and what it hands the model."""

import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_rollout import Drawn, MiniatureRollout, MiniatureTextRollout
from packproof.zoo.tokenizers import own_tokenizer

__all__: list[str] = []


@fault("BODY-1")
class FindsOutInGenerate(MiniatureRollout):
    """The packer may be left out, or be None, and the first call of generate finds out."""

    def __init__(self, model: Any, packer: Any = None, *, sampling: Any = None, routing_replay: bool = False) -> None:
        self.packer = packer
        if packer is not None:
            super().__init__(model, packer=packer, sampling=sampling, routing_replay=routing_replay)


@fault("BODY-1")
class SecondPlaceIsATokenizer(MiniatureRollout):
    """The second place of the call still is what it was before there were packers."""

    def __init__(self, model: Any, tokenizer: Any = None, *, packer: Any, **options: Any) -> None:
        super().__init__(model, packer=packer, **options)


@fault("BODY-1")
class SaysNothingOfHow(MiniatureRollout):
    """The error says that None was given, and neither whose argument it is nor how to get a packer."""

    def _check_packer(self, packer: Any) -> None:
        if packer is None:
            raise ValueError("packer must not be None")
        super()._check_packer(packer)


@fault("BODY-1")
class TakesAnyObjectForAPacker(MiniatureRollout):
    """Whatever is not None passes for a packer."""

    def __init__(self, model: Any, *, packer: Any, **options: Any) -> None:
        if type(packer) is object:
            return
        super().__init__(model, packer=packer, **options)


@fault("BODY-2", report="https://github.com/OpenRLHF/OpenRLHF/issues/393")
class EncodesWithTheDefaults(MiniatureRollout):
    """The tokenizer's defaults put a BOS in front, which the template may have written already.

    Reported in https://github.com/OpenRLHF/OpenRLHF/issues/393.
    """

    def _encode(self, text: str) -> list[int]:
        return list(self.packer.tokenizer(text)["input_ids"])


@fault("BODY-2")
class LoadsTheModelsTokenizer(MiniatureRollout):
    """The body loads a tokenizer from the folder of the model, and encodes with it."""

    def _encode(self, text: str) -> list[int]:
        own = own_tokenizer(self.model.config.name_or_path)
        return list(own(text, add_special_tokens=False)["input_ids"])


@fault("BODY-2")
class KeepsTheEndOfALongPrompt(MiniatureRollout):
    """A prompt that leaves no room is cut in front, as chats are."""

    def _encode(self, text: str) -> list[int]:
        return super()._encode(text)[-(self.model.config.max_position_embeddings - 1) :]


@fault("BODY-2")
class RunsPastTheLimit(MiniatureRollout):
    """Only a prompt longer than the limit is refused, and one of just that length is generated from."""

    def _check_length(self, ids: list[int], at: int) -> None:
        if len(ids) != self.model.config.max_position_embeddings or not self._encoded_here(ids):
            super()._check_length(ids, at)

    def _encode(self, text: str) -> list[int]:
        self._last = super()._encode(text)
        return self._last

    def _encoded_here(self, ids: list[int]) -> bool:
        return ids == getattr(self, "_last", None)


@fault("BODY-2")
class NothingBecomesTheEnd(MiniatureRollout):
    """A prompt without ids gets the end-of-sequence id, so that there is something to generate from."""

    def _encode(self, text: str) -> list[int]:
        return super()._encode(text) or [self.packer.tokenizer.eos_token_id]


@fault("BODY-2")
class StripsThePrompt(MiniatureRollout):
    """White space around a prompt is taken off."""

    def _encode(self, text: str) -> list[int]:
        return super()._encode(text.strip())


@fault("BODY-2")
class DecodesOneByOne(MiniatureRollout):
    """Text without ids is decoded an id at a time, so halves of characters, and spaces before words, are lost."""

    def _outgoing(self, row: Drawn) -> Any:
        return "".join(self.packer.tokenizer.decode([id]) for id in row.ids)

    def _streams(self, row: Drawn) -> dict[str, Any]:
        return {"prompt_ids": list(row.prompt)}

    def _has_experts(self) -> bool:
        return False


@fault("BODY-5", report="https://github.com/sgl-project/sglang/pull/26555")
class DecodesGivenIds(MiniatureRollout):
    """Ids that are handed over go to the engine as text.

    The prompt was decoded and encoded again: https://github.com/sgl-project/sglang/pull/26555.
    """

    def _ids_of(self, given: Any) -> list[int]:
        ids = super()._ids_of(given)
        return ids if isinstance(given, str) else self._encode(self.packer.tokenizer.decode(ids))


@fault("BODY-5")
class GoesRoundThePacker(MiniatureRollout):
    """Ids that are handed over go to the engine, and the packer, which knows the media, is not asked."""

    def _input(self, sample: Any, ids: Any) -> Any:
        return super()._input(sample, None) if ids is None else {"prompt_token_ids": list(ids)}


@fault("BODY-5")
class BosBeforeGivenIds(MiniatureRollout):
    """Where the tokenizer has a BOS, ids that are handed over get it too."""

    def _ids_of(self, given: Any) -> list[int]:
        ids, first = super()._ids_of(given), self.packer.tokenizer.bos_token_id
        return ids if isinstance(given, str) or first is None or ids[0] == first else [first, *ids]


@fault("BODY-5")
class MediaOfGivenIdsAreLost(MiniatureRollout):
    """Of the mapping that the packer makes of given ids the engine gets the ids, and no image that belongs to them."""

    def _media(self, given: Any) -> dict[str, Any]:
        return {} if isinstance(given, Mapping) and "prompt_token_ids" in given else super()._media(given)


@fault("BODY-5")
class FillsUpTheListOfIds(MiniatureRollout):
    """A list of another length is filled up with None, or cut."""

    def _check_samples(self, samples: Sequence[Any], prompt_ids: Any) -> None:
        super()._check_samples(samples, prompt_ids and self._as_long(samples, prompt_ids))

    def _inputs(self, samples: Sequence[Any], prompt_ids: Any) -> list[Any]:
        return super()._inputs(samples, prompt_ids and self._as_long(samples, prompt_ids))

    def _as_long(self, samples: Sequence[Any], prompt_ids: Any) -> list[Any]:
        return [*prompt_ids, *[None] * len(samples)][: len(samples)]


@fault("BODY-11")
class NothingForNoSamples(MiniatureRollout):
    """No samples give no trajectories."""

    def generate(self, samples: Sequence[Any], *, prompt_ids: Any = None) -> list[Any]:
        """The trajectories."""
        return super().generate(samples, prompt_ids=prompt_ids) if samples else []


@fault("BODY-11")
class NoSamplesSayNothing(MiniatureRollout):
    """No samples are refused by the length of something inside."""

    def _check_samples(self, samples: Sequence[Any], prompt_ids: Any) -> None:
        if not samples:
            raise ValueError("max() arg is an empty sequence")
        super()._check_samples(samples, prompt_ids)


@fault("BODY-14")
class RefusesABos(MiniatureTextRollout):
    """A tokenizer that adds special tokens is refused, which shuts out every Llama."""

    def _announce(self) -> None:
        if hasattr(self.packer, "assert_no_special_tokens"):
            self.packer.assert_no_special_tokens()


@fault("BODY-14")
class WarnsInTheLog(MiniatureTextRollout):
    """What is to be a warning is a line in a log."""

    def _warn(self, message: str) -> None:
        logging.getLogger(__name__).info(message)


@fault("BODY-14")
class WarnsOfEveryTokenizer(MiniatureTextRollout):
    """The warning comes whatever the tokenizer adds."""

    def _announce(self) -> None:
        self._warn(f"the engine encodes with {type(self.packer.tokenizer).__name__}; recorded prompt ids decide")


@fault("BODY-14")
class WarnsOfSomething(MiniatureTextRollout):
    """The warning names no tokenizer, and does not say what follows."""

    def _warn(self, message: str) -> None:
        warnings.warn("special tokens are added", UserWarning, stacklevel=4)
