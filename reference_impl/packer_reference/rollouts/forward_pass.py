"""A causal language model run over rows that grow by one id at a time."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["ForwardPass", "can_fill", "length_limit", "vocabulary"]

_CACHES = ("cache", "past_key_values")
"""What `forward` calls its cache, and so does its output: the first in later versions of transformers 5."""


_INSIDE = ("module", "_orig_mod")
"""Where wrappers of torch keep a model: `DistributedDataParallel` and its like, and what `torch.compile` makes."""


class ForwardPass:
    """The ids of several rows, filled on the left, and what the model remembers of them.

    Fill is told by the lengths of the rows: it is masked out and no position is counted for it. Works with every
    module whose `forward` takes `input_ids`; mask, positions and logits of the last place alone are used where
    `forward` names them, and a cache where it names mask and positions too.
    """

    def __init__(self, model: Any, prompts: Sequence[Sequence[int]]) -> None:
        import torch

        self._model, self._names = model, _parameters(model)
        # Without positions, a model with a state of its own (Mamba) went on wrongly from its cache.
        self._kept = next((name for name in _CACHES if name in self._names), None) if can_fill(model) else None
        self._device = next((tensor.device for tensor in model.parameters()), torch.device("cpu"))
        width = max(map(len, prompts))
        self._starts = [width - len(ids) for ids in prompts]
        rows = [[0] * start + list(ids) for start, ids in zip(self._starts, prompts, strict=True)]
        self._ids = torch.tensor(rows, device=self._device)
        places = torch.arange(width, device=self._device)
        self._attended = (places >= torch.tensor(self._starts, device=self._device)[:, None]).long()
        self._cache: Any = None
        self._ran = 0

    @property
    def starts(self) -> list[int]:
        """The place of the first id of every row."""
        return self._starts

    def logits(self) -> Any:
        """The logits after the last id of every row, `[rows, V]`, on the model's device."""
        first = 0 if self._cache is None else self._ran
        arguments: dict[str, Any] = {"input_ids": self._ids[:, first:]}
        optional = {
            "attention_mask": self._attended,
            "position_ids": (self._attended.cumsum(1) - 1).clamp(min=0)[:, first:],
            "use_cache": True,
            "logits_to_keep": 1,
        }
        arguments |= {name: value for name, value in optional.items() if name in self._names}
        if self._kept and self._cache is not None:
            arguments[self._kept] = self._cache
        out = self._model(**arguments)
        if self._kept:
            self._cache = getattr(out, self._kept, None)
        self._ran = self._ids.shape[1]
        return (out.logits if hasattr(out, "logits") else out)[:, -1]

    def append(self, ids: Any, live: Any) -> None:
        """Put one id behind every row, `[rows]`; rows that are not `live` get fill."""
        import torch

        self._ids = torch.cat([self._ids, torch.where(live, ids, 0)[:, None]], 1)
        self._attended = torch.cat([self._attended, live.long()[:, None]], 1)


def can_fill(model: Any) -> bool:
    """Whether rows of different lengths can be run at once: the model takes a mask and positions."""
    return {"attention_mask", "position_ids"} <= _parameters(model)


def length_limit(model: Any) -> int | None:
    """How many ids the model takes in a row, prompt and completion together; None where it does not say."""
    return _declared(model, "max_position_embeddings")


def vocabulary(model: Any) -> int | None:
    """How many ids the model knows; None where it does not say."""
    return _declared(model, "vocab_size")


def _declared(model: Any, name: str) -> int | None:
    configs = (getattr(one, "config", None) for one in _layers(model))
    config: Any = next((one for one in configs if one is not None), None)
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    value = getattr(text, name, None)
    return value if isinstance(value, int) else None


def _parameters(model: Any) -> set[str]:
    """What `forward` names; a wrapper that passes everything on names nothing, and what it wraps does."""
    named: set[str] = set()
    for one in _layers(model):
        parameters = inspect.signature(one.forward).parameters.values()
        named |= {each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)}
        if not any(each.kind is each.VAR_KEYWORD for each in parameters):
            break
    return named


def _layers(model: Any) -> Iterator[Any]:
    """A model, and what it wraps, from the outside in."""
    import torch

    while model is not None:
        yield model
        inside = (getattr(model, name, None) for name in _INSIDE)
        model = next((inner for inner in inside if isinstance(inner, torch.nn.Module)), None)
