"""What a model was handed to generate from, told from its forward calls."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["Handed", "Watch"]

_CACHES = ("past_key_values", "cache")
"""What models of transformers call the cache."""


@dataclass
class Handed:
    """Ids of one row that a model attended to; `crowded` where different rows of a call were attended to throughout."""

    ids: list[int]
    crowded: bool = False

    def is_of(self, ids: Sequence[int]) -> bool:
        """Whether these are the ids, or, in a crowded call, the ids and fill on one side: of that BODY-12 speaks."""
        given, count = list(ids), len(ids)
        if self.ids == given:
            return True
        rest = self.ids[count:] if self.ids[:count] == given else self.ids[: len(self.ids) - count]
        around = self.ids[:count] == given or self.ids[len(rest) :] == given
        return self.crowded and around and len(set(rest)) == 1


class Watch:
    """Looks on while a model runs. Prompts are what its rows attend to in calls that begin without a cache.

    A call with a cache and more than one new place goes on with the rows of the call before; one with a single place is
    generation. So are calls without a cache that repeat a row with more behind it.
    """

    def __init__(self, model: Any) -> None:
        self.calls = 0
        self.blind = ""
        """Why the ids cannot be told, or an empty string."""
        self._rows: list[Handed] = []
        self._last: list[Handed] = []
        self._on = True
        self._model = model
        base = model.base_model
        self._names = list(inspect.signature(base.forward).parameters)
        base.register_forward_pre_hook(self._look, with_kwargs=True)

    def __deepcopy__(self, _: Any) -> "Watch":
        """Of a copy of the model the same is told."""
        return self

    @contextmanager
    def away(self) -> Iterator[None]:
        """Look away, for the kit runs the model itself, in evaluation mode."""
        before, self._on = self._on, False
        modes = [(module, module.training) for module in self._model.modules()]
        self._model.eval()
        try:
            yield
        finally:
            self._on = before
            for module, training in modes:
                module.training = training

    def forget(self) -> None:
        """Begin anew."""
        self.calls, self.blind, self._rows, self._last = 0, "", [], []

    @property
    def prompts(self) -> list[Handed]:
        """The rows that were begun, less those that only go on with an earlier one."""
        begun: list[Handed] = []
        for row in self._rows:
            if not any(len(one.ids) < len(row.ids) and row.ids[: len(one.ids)] == one.ids for one in begun):
                begun.append(row)
        return begun

    def _look(self, _: Any, args: Any, kwargs: Any) -> None:
        if not self._on:
            return
        self.calls += 1
        given = dict(zip(self._names, args, strict=False)) | kwargs
        ids, mask = given.get("input_ids"), given.get("attention_mask")
        if ids is None or ids.dim() != 2 or (mask is not None and getattr(mask, "ndim", 0) != 2):
            self.blind = "the model was handed no plain rows of ids with a mask of as many places"
            return
        width, past = ids.shape[1], max(map(_length, map(given.get, _CACHES)))
        marks = [[1] * width] * len(ids) if mask is None else mask[:, -width:].tolist()
        rows = [
            [id for id, mark in zip(row, own, strict=True) if mark]
            for row, own in zip(ids.tolist(), marks, strict=True)
        ]
        if not past:
            crowded = len({*map(tuple, rows)}) > 1 and all(all(own) for own in marks)
            self._last = [Handed(row, crowded) for row in rows]
            self._rows += self._last
        elif width > 1 and len(rows) == len(self._last):
            for one, more in zip(self._last, rows, strict=True):
                one.ids += more


def _length(cache: Any) -> int:
    """How many places a cache of transformers holds."""
    if cache is None:
        return 0
    return int(cache.get_seq_length()) if hasattr(cache, "get_seq_length") else cache[0][0].shape[-2]
