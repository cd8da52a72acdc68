"""Faults of chapter bodies in what is drawn: seeds, groups, temperatures, and the part of the vocabulary."""

import random
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_rollout import MiniatureRollout

__all__: list[str] = []


@fault("BODY-13")
class OneSeedForAll(MiniatureRollout):
    """The seed goes to every completion, so that a group is one draw, repeated."""

    def _seeded(self, seed: int | None) -> random.Random:
        self._seed = seed
        return random.Random(seed)

    def _next_seed(self) -> int:
        return super()._next_seed() if self._seed is None else self._seed


@fault("BODY-13")
class DrawsFromTheGlobalState(MiniatureRollout):
    """The seed is set once, for the global generators, and whoever draws from them changes what comes."""

    def _seeded(self, seed: int | None) -> Any:
        if seed is not None:
            random.seed(seed)
        return random


@fault("BODY-13")
class DropsTheSeed(MiniatureRollout):
    """The seed does not reach the engine."""

    def _seeded(self, seed: int | None) -> Any:
        return random.Random(random.random())


@fault("BODY-13")
class EveryGroupAlike(MiniatureRollout):
    """Without a seed every completion gets the same one, zero."""

    def _seeded(self, seed: int | None) -> Any:
        return self if seed is None else super()._seeded(seed)

    def getrandbits(self, _: int) -> int:
        """Nothing is drawn."""
        return 0


@fault("BODY-21")
class TemperatureOrNot(MiniatureRollout):
    """Temperature 0 takes the likeliest id, and every other one is 1."""

    def _chances(self, logits: Any) -> Any:
        return logits.softmax(-1)


@fault("BODY-21")
class FiftyLikeliest(MiniatureRollout):
    """The default of a library is left on, so that only the 50 likeliest ids are drawn."""

    def _chances(self, logits: Any) -> Any:
        least = logits.topk(50).values[-1]
        return super()._chances(logits.masked_fill(logits < least, float("-inf")))


@fault("BODY-21")
class SettingsOfTheModel(MiniatureRollout):
    """What the sampling does not name comes from the settings in the model's folder."""

    def _chances(self, logits: Any) -> Any:
        count = getattr(self.model, "generation_config", None) and self.model.generation_config.top_k
        least = logits.topk(count if count and count < 50 else len(logits)).values[-1]
        return super()._chances(logits.masked_fill(logits < least, float("-inf")))


@fault("BODY-21")
class DividesTwice(MiniatureRollout):
    """The engine divides by the temperature, and the body has done so before."""

    def _chances(self, logits: Any) -> Any:
        return super()._chances(logits / self.temperature)


@fault("BODY-21")
class DropsUnknownKeys(MiniatureRollout):
    """Keys of the sampling that it does not know are dropped, a typing error among them."""

    def _check_rest(self, sampling: dict[str, Any]) -> None:
        sampling.clear()
