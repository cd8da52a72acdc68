"""Faults of chapter sources in whoever takes sources in: selectors, preflight, and failures that name no path."""

import importlib.util
import logging
from collections.abc import Callable, Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_run import MiniatureRun

__all__: list[str] = []

_log = logging.getLogger(__name__)


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
        held_out = config["rl"].get("validation", {"data": {}})["data"]
        functions = [section.get("items_fn") for section in (config["rl"]["data"], held_out)]
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


@fault("SOURCE-16")
class ValidationExpected(MiniatureRun):
    """The driver takes for granted that there is a section for validation, and ends every run without one."""

    def _paths(self, config: Mapping[str, Any]) -> list[str]:
        if "validation" not in config["rl"]:
            raise ValueError("rl.validation is missing")
        return super()._paths(config)


@fault("SOURCE-16")
class BrokenModulesPassed(MiniatureRun):
    """The driver refuses what cannot be found, and a module that raises while it is imported is left to the workers."""

    def preflight(self, config: Mapping[str, Any]) -> None:
        """As the miniature, where a module is missing or a name."""
        for path in self._paths(config):
            try:
                self._look_up(path)
            except RuntimeError as error:
                _log.debug("%s", error)


@fault("SOURCE-17")
class ImportErrorsAsTheyCome(MiniatureRun):
    """An import that fails says which module is missing, and not that data was wanted."""

    def _imported(self, path: str) -> Callable[..., Any]:
        return self._look_up(path)


@fault("SOURCE-17")
class BrokenModulesUnnamed(MiniatureRun):
    """A module that is missing is told with the path, and what one raises while it is imported comes as it is."""

    def _imported(self, path: str) -> Callable[..., Any]:
        try:
            return self._look_up(path)
        except (ImportError, AttributeError, TypeError) as error:
            raise ImportError(f"{path} cannot be imported: {error}") from error


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
