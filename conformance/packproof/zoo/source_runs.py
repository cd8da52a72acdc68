"""Faults of chapter sources in whoever takes sources in: how factories are called, and what is taken for a source."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_run import MiniatureRun

__all__: list[str] = []


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with everything in it that is no container changed."""
    if isinstance(value, dict):
        return {key: _mapped(one, change) for key, one in value.items()}
    return [_mapped(one, change) for one in value] if isinstance(value, list) else change(value)


@fault("SOURCE-1")
class SeedPassedAlong(MiniatureRun):
    """A factory that takes any keyword is given the run's own seed too, which nobody wrote down."""

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        kinds = {one.kind for one in inspect.signature(factory).parameters.values()}
        added = {"seed": 42} if inspect.Parameter.VAR_KEYWORD in kinds else {}
        return super()._called(factory, added | arguments, path)


@fault("SOURCE-1")
class SeedWhereWanted(MiniatureRun):
    """A factory with a parameter `seed` is given the run's own, in the belief that its author would want it."""

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        added = {"seed": 0} if "seed" in inspect.signature(factory).parameters else {}
        return super()._called(factory, added | arguments, path)


@fault("SOURCE-1")
class TextsReadAgain(MiniatureRun):
    """Keyword arguments go through the reader of a command line, and the text `3` arrives as a number."""

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._read_again(value) for name, value in super()._arguments(settings).items()}

    def _read_again(self, value: Any) -> Any:
        try:
            return json.loads(value) if isinstance(value, str) else value
        except ValueError:
            return value


@fault("SOURCE-1")
class WholeFloatsRounded(MiniatureRun):
    """A configuration language with one type of numbers hands 1.0 on as 1."""

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        whole = super()._arguments(settings)
        return _mapped(whole, lambda one: int(one) if isinstance(one, float) and one.is_integer() else one)


@fault("SOURCE-1")
class NullsLeftOut(MiniatureRun):
    """Arguments that are null are taken for settings that nobody made, and the factory's own defaults apply."""

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in super()._arguments(settings).items() if value is not None}


class _Node(dict[str, Any]):
    """A node of a configuration library."""


@fault("SOURCE-1")
class NodesHandedOver(MiniatureRun):
    """Nested arguments arrive as nodes of a configuration library, and pickling them takes the library along."""

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._node(value) for name, value in super()._arguments(settings).items()}

    def _node(self, value: Any) -> Any:
        if isinstance(value, dict):
            return _Node({key: self._node(one) for key, one in value.items()})
        return [self._node(one) for one in value] if isinstance(value, list) else value


@fault("SOURCE-1")
class RecordHandedOver(MiniatureRun):
    """The factory gets the objects of the configuration itself, and what it pops is missing from the record."""

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return dict(settings.get("factory_kwargs") or {})


@fault("SOURCE-1")
class BuiltTwice(MiniatureRun):
    """The factory is called once for the length and once for the items, so that a large index is read twice."""

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        super()._called(factory, self._arguments({"factory_kwargs": arguments}), path)
        return super()._called(factory, arguments, path)


@fault("SOURCE-1")
class RecordWithoutArguments(MiniatureRun):
    """Where there are no keyword arguments the record says nothing of them, and an override is not told from none."""

    def recorded(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """As the miniature, without what is empty."""
        return {name: value for name, value in super().recorded(settings).items() if value}


@fault("SOURCE-1")
class RecordOfTexts(MiniatureRun):
    """The record holds every argument as the text of a command line."""

    def recorded(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """As the miniature, all of it texts."""
        made = super().recorded(settings)
        return made | {"factory_kwargs": _mapped(made["factory_kwargs"], str)}


@fault("SOURCE-1")
class RecordRounded(MiniatureRun):
    """The record writes numbers with six digits, and a rate that is read back from it is another one."""

    def recorded(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """As the miniature, rounded."""
        made = super().recorded(settings)
        rounded = _mapped(made["factory_kwargs"], lambda one: round(one, 6) if isinstance(one, float) else one)
        return made | {"factory_kwargs": rounded}


@fault("SOURCE-1")
class HomeFilledIn(MiniatureRun):
    """A text that begins as a home folder does is expanded on the way, and each machine has another argument."""

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return _mapped(super()._arguments(settings), self._expanded)

    def _expanded(self, value: Any) -> Any:
        return value.replace("~/", "a-home/", 1) if isinstance(value, str) and value.startswith("~/") else value


@fault("SOURCE-1")
class VariablesFilledIn(MiniatureRun):
    """A text with the name of a variable in it is expanded on the way, and the record has the name."""

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        whole = super()._arguments(settings)
        return _mapped(whole, lambda one: one.replace("$HOME", "a-home") if isinstance(one, str) else one)


@fault("SOURCE-2")
class AttributesSuffice(MiniatureRun):
    """Whatever has the two methods is a source: a dictionary of splits, a text, a stream that inherits an index."""

    def _is_map_style(self, source: Any) -> bool:
        return True


@fault("SOURCE-2")
class StreamsThatCount(MiniatureRun):
    """Streams are told by their missing length, and one that defines it is taken for an indexed source."""

    def _is_map_style(self, source: Any) -> bool:
        from torch.utils.data import IterableDataset

        return isinstance(source, IterableDataset) or super()._is_map_style(source)


@fault("SOURCE-2")
class SplitsPicked(MiniatureRun):
    """Of a mapping the entry `train` is taken without a word, and what else was in it is not missed."""

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        source = super()._called(factory, arguments, path)
        return source["train"] if isinstance(source, Mapping) and "train" in source else source


@fault("SOURCE-2")
class WalksListed(MiniatureRun):
    """What can be walked is made a list of, until somebody returns a stream without an end."""

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        source = super()._called(factory, arguments, path)
        walked = hasattr(source, "__iter__") and not hasattr(source, "__getitem__")
        return list(source) if walked else source


@fault("SOURCE-2", report="https://github.com/NVIDIA/Megatron-Energon/pull/6")
class EmptyTaken(MiniatureRun):
    """A source without an item is taken in, and the rank that owns it waits for ever.

    Reported in https://github.com/NVIDIA/Megatron-Energon/pull/6.
    """

    def _length(self, source: Any, path: str, shown: str) -> int:
        return max(1, super()._length(source, path, shown))


@fault("SOURCE-2")
class TypeUntold(MiniatureRun):
    """The refusal says that there is no source, and not what there was in its place."""

    def _expect_source(self, source: Any, path: str) -> None:
        try:
            super()._expect_source(source, path)
        except (TypeError, ValueError):
            raise TypeError(f"{path} gave no source") from None


@fault("SOURCE-2")
class MissingUntold(MiniatureRun):
    """The refusal says what was returned, and not what it lacks."""

    def _expect_source(self, source: Any, path: str) -> None:
        try:
            super()._expect_source(source, path)
        except (TypeError, ValueError):
            shown = source.__name__ if isinstance(source, type) else type(source).__name__
            raise TypeError(f"{path} gave a {shown}, which will not do") from None


@fault("SOURCE-2")
class SourceAsserted(MiniatureRun):
    """What is no source meets an assertion, which `python -O` leaves out."""

    def _expect_source(self, source: Any, path: str) -> None:
        try:
            super()._expect_source(source, path)
        except (TypeError, ValueError) as error:
            raise AssertionError(str(error)) from error
