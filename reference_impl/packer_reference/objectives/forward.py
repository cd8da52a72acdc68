"""The forward pass: what of a batch the model has to take, on which device, and the logits that come back."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from packer_reference.routing.replay import expect_replay_batch
from packer_schemas import FORWARD_REPLAY_BATCH_KEY
from packer_schemas.tensor import is_tensor

if TYPE_CHECKING:
    import torch

    _Tensor = torch.Tensor
else:
    _Tensor = Any

__all__ = ["expect_fields", "logits_of"]

_KNOWN = {"input_ids", "logprob_masks", FORWARD_REPLAY_BATCH_KEY}
_BOOKKEEPING = {"mm_owned_mask", "mm_row_counts", "mm_units", "mm_ranges"}
_METHOD = "forward_policy_batch"


def expect_fields(model: Any, batch: Mapping[str, Any], replay: bool) -> bool:
    """Whether `model` is to get the whole batch: it holds more than ids, or routing is replayed.

    Raises `ValueError` for a batch without routing that fits the model where it is to be replayed, and, with the
    fields, where the model has no `forward_policy_batch` to take them by. Spec: objectives, OBJ-4; routing, ROUTE-13.
    """
    if replay:
        routing: Any = batch.get(FORWARD_REPLAY_BATCH_KEY)
        layers, top_k = routing.shape[2:] if is_tensor(routing) and routing.ndim == 4 else (0, 0)
        expect_replay_batch(
            batch,
            _declared(model, "layers") or layers,
            _declared(model, "top_k", "num_experts_per_tok") or top_k,
            _declared(model, "experts", "num_experts", "n_routed_experts", "num_local_experts"),
        )
    fields = [name for name, value in batch.items() if name not in _KNOWN | _BOOKKEEPING and not _absent(name, value)]
    fields += [FORWARD_REPLAY_BATCH_KEY] if replay else []
    if not fields or callable(getattr(model, _METHOD, None)):
        return bool(fields)
    raise ValueError(
        f"objective: the batch holds {', '.join(fields)}, and {type(model).__name__} takes ids only; give it a "
        f"{_METHOD}(batch) that takes them, or take a packer that shapes for this model"
    )


def logits_of(model: Any, batch: Mapping[str, Any], whole: bool, replay: bool) -> _Tensor:
    """The logits [B, W, V] of `model(input_ids)`, or, where `whole`, of `model.forward_policy_batch(batch)`.

    What the model gets is moved to its device; without `replay`, recorded routing is left out. An output with `logits`
    is read there, as those of transformers are. Raises `ValueError` for ids beyond the vocabulary that a
    model of ids declares, and for logits of other rows or width. Spec:
    objectives, OBJ-4 and OBJ-16.
    """
    device = _device_of(model)
    if whole:
        given = {name: value for name, value in batch.items() if replay or name != FORWARD_REPLAY_BATCH_KEY}
        output = getattr(model, _METHOD)(_moved(given, device))
    else:
        _expect_known_ids(model, batch["input_ids"])
        output = model(_moved(batch["input_ids"], device))
    logits, shape = getattr(output, "logits", output), list(batch["input_ids"].shape)
    if not is_tensor(logits) or logits.ndim != 3 or list(logits.shape[:2]) != shape:
        got = list(logits.shape) if is_tensor(logits) else type(logits).__name__
        raise ValueError(f"objective: the model gave {got} for input_ids {shape}, expected logits {[*shape, 'V']}")
    return logits


def _absent(name: str, value: Any) -> bool:
    return value is None or (name == "mm_token_type_ids" and is_tensor(value) and not value.any())


def _expect_known_ids(model: Any, ids: _Tensor) -> None:
    size, highest = _declared(model, "vocab_size", "vocab_size"), int(ids.max())
    if size is not None and highest >= size:
        raise ValueError(
            f"objective: the batch holds the id {highest}, and {type(model).__name__} has a vocabulary of {size}; "
            "is the packer set up with the tokenizer of this model?"
        )


def _declared(model: Any, own: str, *of_config: str) -> int | None:
    """The integer that the model has under its own name, or the first that its config has under one of the others.

    Not the own name in the config: there, `top_k` is a setting of generation.
    """
    config = getattr(model, "config", None)
    values = [getattr(model, own, None), *(getattr(config, name, None) for name in of_config)]
    return next((value for value in values if type(value) is int), None)


def _device_of(model: Any) -> Any:
    parameters: Any = getattr(model, "parameters", None)
    weights: Any = parameters() if callable(parameters) else ()
    return next((one.device for one in weights), getattr(model, "device", None))


def _moved(value: Any, device: Any) -> Any:
    """The value with all its tensors on the device, in containers of its own; the tensors given stay as they are."""
    if device is None:
        return value
    if callable(getattr(value, "to", None)):
        return value.to(device)
    if isinstance(value, Mapping):
        return {name: _moved(one, device) for name, one in value.items()}
    return type(value)(_moved(one, device) for one in value) if type(value) in {list, tuple} else value
