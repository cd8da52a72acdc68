"""Sources from a run's settings: the configured factory, called once with what was recorded, or a built-in source."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from packer_reference.loading import CallableImportError, load_callable
from packer_reference.sources.built import PreferenceSource, PromptSource
from packer_reference.sources.columns import column_settings
from packer_reference.sources.dataset_rows import named_rows, saved_rows
from packer_reference.sources.jsonl_pairs import JsonlPairs
from packer_reference.sources.jsonl_rows import JsonlRows
from packer_reference.sources.made_up import ArithmeticRows, SyntheticPairs
from packer_reference.sources.parquet_rows import ParquetRows
from packer_reference.sources.tar_pairs import TarPairs
from packer_schemas import PreferenceSourceSettings, PromptSourceSettings
from packer_schemas.source_settings import SourceSettings

__all__ = ["build_preference_source", "build_prompt_source"]

_PAIRS: dict[str, Callable[[Any], Any]] = {
    "jsonl_path": JsonlPairs,
    "tar_path": TarPairs,
    "synthetic_pairs": SyntheticPairs,
}
_OFFLINE = "; without a network it has to be in the cache of datasets, or in a folder that the setting path names"


def build_prompt_source(settings: PromptSourceSettings) -> PromptSource:
    """The prompts that the settings choose; to be called in the process that reads them.

    A factory is called as `factory(**factory_kwargs)`. Without one, `path` is a .jsonl, .ndjson or .parquet file, or a
    folder that `Dataset.save_to_disk` wrote, `name` is a data set of the hub, and where nothing is set the rows are
    sums. Raises `CallableImportError` (an `ImportError` and a `ValueError`) for a path that leads nowhere,
    `ValueError` when the factory raises or a built-in source cannot be opened, `ValueError` or `TypeError` for what is
    no source, is empty, or has a first row without a configured column; each message holds the configured path or
    name. Spec: sources, SOURCE-1, SOURCE-2, SOURCE-9 and SOURCE-17.
    """
    if not isinstance(settings, PromptSourceSettings):
        raise TypeError(f"build_prompt_source: got {type(settings).__name__}, expected PromptSourceSettings")
    if settings.items_fn:
        _imported("items_fn", settings.items_fn)
    for setting, value in settings.selected.items():  # one, as the settings see to
        if setting == "factory":
            return PromptSource(_called(value, settings.factory_kwargs), settings, f"factory {value!r}")
        make, hint = (named_rows, _OFFLINE) if setting == "name" else (lambda path: _rows(path, settings), "")
        origin = f"{setting} {value!r}"
        return PromptSource(_opened(origin, make, value, hint), settings, origin, fresh=True)
    return PromptSource(ArithmeticRows(), settings, "the built-in arithmetic source", fresh=True)


def build_preference_source(settings: PreferenceSourceSettings | PromptSourceSettings) -> PreferenceSource:
    """The preference pairs that the settings choose; to be called in the process that reads them.

    A factory is called as `factory(**factory_kwargs)`. Without one, `jsonl_path` is a file of `JsonlPairs`, `tar_path`
    an archive of `TarPairs`, and `synthetic_pairs` a number of made-up pairs; there is no built-in source for
    preferences, so that `ValueError` is raised where nothing is set. Settings of prompts that only name a factory are
    taken too, for a configuration does not say of which kind they are. Other errors are those of `build_prompt_source`.
    Spec: sources, SOURCE-1, SOURCE-2, SOURCE-15 and SOURCE-17.
    """
    if isinstance(settings, PromptSourceSettings):
        settings = _of_either_kind(settings)
    if not isinstance(settings, PreferenceSourceSettings):
        raise TypeError(f"build_preference_source: got {type(settings).__name__}, expected PreferenceSourceSettings")
    for setting, value in settings.selected.items():  # one, as the settings see to
        origin = f"{setting} {value!r}"
        if setting == "factory":
            return PreferenceSource(_called(value, settings.factory_kwargs), origin)
        return PreferenceSource(_opened(origin, _PAIRS[setting], value), origin, fresh=True)
    raise ValueError(f"no source of preferences is set; set one of {', '.join(settings.selectors)}")


def _of_either_kind(settings: PromptSourceSettings) -> PreferenceSourceSettings:
    """Settings that name a factory and nothing that only prompts have, as settings of preferences."""
    plain = PromptSourceSettings().model_dump()
    own = {name: value for name, value in settings.model_dump().items() if name not in SourceSettings.model_fields}
    told = [f"{name}={value!r}" for name, value in own.items() if value != plain.get(name)]
    if told or not settings.factory:
        named = f" with {', '.join(told)}" if told else ""
        raise TypeError(f"build_preference_source: got PromptSourceSettings{named}, expected PreferenceSourceSettings")
    return PreferenceSourceSettings(**{name: getattr(settings, name) for name in SourceSettings.model_fields})


def _called(path: str, kwargs: dict[str, Any]) -> Any:
    """What the factory returns."""
    factory = _imported("factory", path)
    try:
        return factory(**copy.deepcopy(kwargs))  # so that the record stays as it is, whatever the factory does
    except (Exception, SystemExit) as error:
        given = f"with {', '.join(kwargs)}" if kwargs else "without arguments"
        raise ValueError(f"factory {path!r}: called {given} it raised {type(error).__name__}: {error}") from error


def _imported(setting: str, path: str) -> Callable[..., Any]:
    try:
        return load_callable(path)
    except (CallableImportError, TypeError) as error:
        raise CallableImportError(f"{setting} {error}") from error
    except SystemExit as error:
        raise CallableImportError(f"{setting} {path!r}: importing it raised SystemExit: {error}") from error


def _opened(origin: str, make: Callable[[Any], Any], value: Any, hint: str = "") -> Any:
    try:
        return make(value)
    except Exception as error:
        if isinstance(error, ImportError):
            hint = "; pip install pyarrow for Parquet files, and datasets for data sets"
        said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}{hint}"
        raise ValueError(f"{origin} cannot be opened: {said}") from error


def _rows(path: str, settings: PromptSourceSettings) -> Any:
    if Path(path).is_dir():
        return saved_rows(path)
    kind = Path(path).suffix.lower()
    if kind in {".jsonl", ".ndjson"}:
        return JsonlRows(path)
    if kind != ".parquet":
        raise ValueError("expected a .jsonl, .ndjson or .parquet file, or a folder that Dataset.save_to_disk wrote")
    rows = ParquetRows(path)
    if not settings.items_fn:  # which may look at any column
        rows.read_only(column_settings(settings).values())
    return rows
