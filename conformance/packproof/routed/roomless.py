"""Packers whose policy inputs have no room for a record, put around one under test."""

from dataclasses import dataclass
from typing import Any

from packproof.views import PolicyView

__all__ = ["IdsAndMask", "Roomless"]


@dataclass
class IdsAndMask:
    """A policy input that is no `RoutedPolicyInput`."""

    input_ids: list[int]
    logprob_masks: list[Any]


class Roomless:
    """Answers as `packer` does, with ids and mask alone: in an object, or in a mapping."""

    def __init__(self, packer: Any, *, mapping: bool) -> None:
        self._packer, self._mapping = packer, mapping

    def get_policy_input(self, *given: Any, **named: Any) -> Any:
        """The packer's own policy input, less everything but ids and mask."""
        view = PolicyView.of(self._packer.get_policy_input(*given, **named), "get_policy_input(...)")
        made = IdsAndMask(view.ids, view.mask)
        return vars(made) if self._mapping else made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._packer, name)
