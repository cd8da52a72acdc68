"""Policy inputs and batches as the checks read them: objects or mappings, lists or tensors, all the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MemberDescriptorType
from typing import Any

from packproof.violation import CallFailed

__all__ = ["BatchView", "PolicyView", "attributes_of", "fields_of", "tensors_in"]


@dataclass(frozen=True)
class PolicyView:
    """One policy input: its ids and mask as plain lists, and the packer's own object."""

    ids: list[int]
    mask: list[Any]
    raw: Any
    call: str

    @classmethod
    def of(cls, answer: Any, call: str) -> "PolicyView":
        """Read a policy input; `CallFailed` when it has no `input_ids` and `logprob_masks`."""
        return cls(list(_stream(answer, "input_ids", call)), list(_stream(answer, "logprob_masks", call)), answer, call)

    @property
    def others(self) -> dict[str, Any]:
        """Everything else the packer put on the policy input, by public name."""
        private = () if isinstance(self.raw, Mapping) else ("_",)
        return {
            name: value
            for name, value in fields_of(self.raw).items()
            if name not in ("input_ids", "logprob_masks") and not name.startswith(private)
        }

    @property
    def raw_mask(self) -> Any:
        """The mask as the packer made it."""
        return self.raw["logprob_masks"] if isinstance(self.raw, Mapping) else self.raw.logprob_masks

    @property
    def marks(self) -> list[int]:
        """The mask as integers."""
        return [int(bool(value)) for value in self.mask]


@dataclass(frozen=True)
class BatchView:
    """One batch: the mapping the packer returned."""

    columns: Mapping[str, Any]
    call: str

    @classmethod
    def of(cls, answer: Any, call: str) -> "BatchView":
        """Read a batch; `CallFailed` when it is no mapping with `input_ids` and `logprob_masks` tensors."""
        import torch

        if not isinstance(answer, Mapping):
            raise CallFailed(call, f"returned {type(answer).__name__}", "a mapping")
        for name in ("input_ids", "logprob_masks"):
            column = answer.get(name)
            if not isinstance(column, torch.Tensor):
                raise CallFailed(call, f"{name} is {type(column).__name__}", f"a tensor under {name!r}")
        return cls(dict(answer.items()), call)

    @property
    def ids(self) -> Any:
        """`input_ids`, a tensor."""
        return self.columns["input_ids"]

    @property
    def mask(self) -> Any:
        """`logprob_masks`, a tensor."""
        return self.columns["logprob_masks"]

    def row_ids(self, row: int) -> list[int]:
        """Ids of one row."""
        return self.ids[row].tolist()

    def row_marks(self, row: int) -> list[int]:
        """Mask of one row as integers."""
        return [int(bool(value)) for value in self.mask[row].tolist()]

    def holds(self, row: int, width: int) -> bool:
        """Whether both tensors are matrices with this row, at least `width` wide; COLL-1 to COLL-3 speak of others."""
        return all(
            column.dim() == 2 and column.shape[0] > row and column.shape[1] >= width for column in (self.ids, self.mask)
        )

    def kept(self) -> "BatchView":
        """The tensors of `column_tensors`, copied, for a packer may use their memory again."""
        copies = {name: column.detach().clone() for name, column in self.column_tensors().items()}
        return BatchView(copies, self.call)

    def column_tensors(self) -> dict[str, Any]:
        """The entries of the batch that are tensors, by name, less sparse and nested ones, which have no plain rows."""
        import torch

        tensors = {name: column for name, column in self.columns.items() if isinstance(column, torch.Tensor)}
        return {name: one for name, one in tensors.items() if one.layout == torch.strided and not one.is_nested}


def fields_of(answer: Any) -> dict[str, Any]:
    """What a policy input carries, by name: the entries of a mapping, or the attributes of an object."""
    if isinstance(answer, Mapping):
        return {str(name): value for name, value in answer.items()}
    found = attributes_of(answer)
    return found | (found.get("__pydantic_extra__") or {})


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes of an object itself, kept in its `__dict__` or in slots; those in slots by their mangled names."""
    found = dict(getattr(value, "__dict__", {}))
    for owner in type(value).__mro__:
        slots = vars(owner).values() if "__slots__" in vars(owner) else ()
        for slot in slots:
            if isinstance(slot, MemberDescriptorType):
                try:
                    found[slot.__name__] = slot.__get__(value)
                except AttributeError:
                    continue  # a slot not filled yet holds nothing
    return found


def tensors_in(value: Any, name: str = "", within: tuple[int, ...] = ()) -> dict[str, Any]:
    """Every tensor in a value by name, also those inside lists, tuples and mappings; `name` is the value's own.

    `within` are the values around it, by `id`: one that leads back to itself is not followed round.
    """
    import torch

    if isinstance(value, torch.Tensor):
        return {name or "the answer": value}
    if id(value) in within:
        return {}
    if isinstance(value, Mapping):
        parts = [(f"{name}.{key}" if name else str(key), part) for key, part in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(f"{name}[{index}]", part) for index, part in enumerate(value)]
    else:
        return {}
    within = (*within, id(value))
    return {path: tensor for step, part in parts for path, tensor in tensors_in(part, step, within).items()}


def _stream(answer: Any, name: str, call: str) -> list[Any]:
    missing = object()
    value: Any = answer.get(name, missing) if isinstance(answer, Mapping) else getattr(answer, name, missing)
    if value is missing or value is None:
        given = type(answer).__name__
        raise CallFailed(call, f"returned {given} without {name}", "input_ids and logprob_masks")
    if getattr(value, "is_meta", False):
        value = [0] * len(value)  # on the stand-in accelerator a tensor has a shape and no values
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        raise CallFailed(call, f"{name} is {type(value).__name__}", "a list, tuple, array or tensor")
    if value and isinstance(value[0], (list, tuple)):
        raise CallFailed(call, f"{name} is nested: {len(value)} of {len(value[0])}", "one dimension, the sample's own")
    return list(value)
