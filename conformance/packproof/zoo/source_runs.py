"""Faults of chapter sources in whoever takes sources in: settings that are misread, and factories that are misused."""

import importlib.util
import inspect
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_run import MiniatureRun

__all__: list[str] = []

_log = logging.getLogger(__name__)


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


@fault("SOURCE-15")
class FactoryWins(MiniatureRun):
    """A factory goes before every other selector, also where the other one was set on the command line."""

    def _expect_one_selector(self, settings: Mapping[str, Any], selectors: tuple[str, ...]) -> None:
        if not settings.get("factory"):
            super()._expect_one_selector(settings, selectors)


@fault("SOURCE-15")
class SelectorsCounted(MiniatureRun):
    """The refusal says how many sources are set, and not which."""

    def _refuse_selectors(self, chosen: dict[str, Any]) -> None:
        raise ValueError(f"{len(chosen)} sources are set, expected one")


@fault("SOURCE-15")
class ValuesUntold(MiniatureRun):
    """The refusal names the selectors without their values, and nobody sees which file set them."""

    def _refuse_selectors(self, chosen: dict[str, Any]) -> None:
        raise ValueError(f"more than one source is set: {', '.join(chosen)}")


@fault("SOURCE-15")
class EmptyIsSet(MiniatureRun):
    """Whatever is not null counts as set, and a template with `path: ""` in it cannot take a factory."""

    def _is_set(self, value: Any) -> bool:
        return value is not None


@fault("SOURCE-15")
class ArgumentsLost(MiniatureRun):
    """Keyword arguments without a factory are dropped, and the run trains on sums of its own."""

    def _expect_one_selector(self, settings: Mapping[str, Any], selectors: tuple[str, ...]) -> None:
        if settings.get("factory") or not settings.get("factory_kwargs"):
            super()._expect_one_selector(settings, selectors)

    def _source(self, settings: Mapping[str, Any]) -> tuple[Any, str]:
        return super()._source(settings) if settings.get("factory") else ([{"prompt": "1 + 1"}], "sums")


@fault("SOURCE-15")
class OpenedBeforehand(MiniatureRun):
    """The factory has opened its files by the time that the selectors are compared."""

    def _expect_one_selector(self, settings: Mapping[str, Any], selectors: tuple[str, ...]) -> None:
        if settings.get("factory") and sum(bool(settings.get(name)) for name in selectors) > 1:
            self._source(settings)
        super()._expect_one_selector(settings, selectors)


@fault("SOURCE-16")
class ValidationForgotten(MiniatureRun):
    """The driver imports what is trained, and the held-out source is first looked for at the first validation."""

    def _paths(self, config: Mapping[str, Any]) -> list[str]:
        training = {name: value for name, value in config["rl"].items() if name != "validation"}
        return super()._paths({**config, "rl": training})


@fault("SOURCE-16")
class FunctionsForgotten(MiniatureRun):
    """The driver imports factories alone, and a misspelt `items_fn` is found by the first worker that reads."""

    def _paths(self, config: Mapping[str, Any]) -> list[str]:
        functions = [section.get("items_fn") for section in (config["rl"]["data"], config["rl"]["validation"]["data"])]
        return [path for path in super()._paths(config) if path not in functions]


@fault("SOURCE-16")
class TeacherForgotten(MiniatureRun):
    """The factory of the teacher's packer is not imported by the driver."""

    def _paths(self, config: Mapping[str, Any]) -> list[str]:
        packers = {name: value for name, value in config["data_packer"].items() if name == "factory"}
        return super()._paths({**config, "data_packer": packers})


@fault("SOURCE-16")
class ModulesLocated(MiniatureRun):
    """The driver looks whether the module could be found, and never whether the name is in it."""

    def preflight(self, config: Mapping[str, Any]) -> None:
        """As the miniature, without an import."""
        for path in self._paths(config):
            if importlib.util.find_spec(path.rpartition(".")[0]) is None:
                raise ImportError(f"{path} cannot be found")


@fault("SOURCE-16")
class TriedOnTheDriver(MiniatureRun):
    """The driver calls the factory to see whether it works, and reads the data where nobody needs it."""

    def preflight(self, config: Mapping[str, Any]) -> None:
        """As the miniature, with a call."""
        super().preflight(config)
        self._source(config["rl"]["data"])


@fault("SOURCE-16")
class MisspeltLogged(MiniatureRun):
    """A path that leads nowhere is a line in the log of the driver, and an error of rank 3."""

    def preflight(self, config: Mapping[str, Any]) -> None:
        """As the miniature, without an error."""
        try:
            super().preflight(config)
        except (ImportError, AttributeError, TypeError) as error:
            _log.debug("%s", error)


@fault("SOURCE-17")
class ImportErrorsAsTheyCome(MiniatureRun):
    """An import that fails says which module is missing, and not that data was wanted."""

    def _imported(self, path: str) -> Callable[..., Any]:
        return self._look_up(path)


@fault("SOURCE-17")
class LastNameTold(MiniatureRun):
    """Messages call a factory by its last name, which several modules have."""

    def _imported(self, path: str) -> Callable[..., Any]:
        try:
            return self._look_up(path)
        except Exception as error:
            raise ImportError(f"the factory {path.rpartition('.')[2]} cannot be imported") from error


@fault("SOURCE-17")
class FactoryErrorsAsTheyCome(MiniatureRun):
    """What a factory raises ends the run as it is, `rows.jsonl` and nothing else."""

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        return factory(**arguments)


@fault("SOURCE-17")
class CauseDropped(MiniatureRun):
    """The error that is reported has no cause, so that the line of the factory that failed is not shown."""

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        try:
            return super()._called(factory, arguments, path)
        except ValueError as error:
            raise ValueError(str(error)) from None


@fault("SOURCE-17")
class WrongThingUnnamed(MiniatureRun):
    """What is no source is refused by its type, and by no path."""

    def _expect_source(self, source: Any, path: str) -> None:
        super()._expect_source(source, "the factory")
