"""`packproof preflight`: imports every dotted path of a configuration, calls none, and tells all problems at once."""

import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from packer_schemas import DataPackerFactories, PreferenceSourceSettings, PromptSourceSettings, RunConfig, dotted_paths
from packproof.load import load_callable
from packproof.preflight.config_file import ConfigFile
from packproof.preflight.resolved_file import resolved_text, unwritable, write_whole
from packproof.storing import refuse_irreplaceable
from packproof.violation import UsageError
from packproof.wording import one_line, plural

__all__ = ["preflight"]

_SOURCES = ("rl.data", "rl.validation.data")
_SECTIONS = (*_SOURCES, "data_packer")
_SELECTORS = tuple(dict.fromkeys((*PromptSourceSettings.selectors, *PreferenceSourceSettings.selectors)))


def preflight(path: str, overrides: Sequence[str], write: str | None = None) -> tuple[str, bool]:
    """Look at the configuration in the file `path`, with overrides; what was found, and whether all of it is fine.

    A line for every dotted path and every problem, with the full key of the setting, and one in summary. Without a
    problem the resolved configuration is written to the file `write`, if one is named. `UsageError` for a file or an
    override that cannot be read, a configuration that chooses neither data nor packers, and a file that cannot be
    written. Spec: sources, SOURCE-1, SOURCE-15 and SOURCE-16.
    """
    target = _target(write, path)
    file = ConfigFile(path, overrides, list(_known_keys()))
    document, problems = file.sections(*_SECTIONS)
    _settle(document)
    paths = dotted_paths(document)
    fine, misfits = _sources(document, {line.partition(": ")[0] for line in problems})
    problems += misfits
    if not problems and all(_at(document, section) is None for section in _SECTIONS):
        raise UsageError(f"{one_line(path)}: has none of {', '.join(_SECTIONS)}; there is nothing to look at.")
    told = _import(paths)
    problems += [said for said in told.values() if said]
    fine += [f"{key} {paths[key]!r}: imported" for key, said in told.items() if not said]
    if target is not None and not problems:
        whole, problems = file.resolved()
        _settle(whole)
        problems += unwritable(whole)
        if not problems:
            write_whole(target, resolved_text(whole))
    count = f"{len(paths)} dotted {plural(len(paths), 'path')} imported, none called"
    summary = f"{len(problems)} {plural(len(problems), 'problem')}" if problems else count
    return "\n".join(map(one_line, [*fine, *problems, f"{path}: {summary}"])), not problems


def _target(write: str | None, path: str) -> Path | None:
    if write is None:
        return None
    target = Path(write)
    if not write or target.is_dir() or (target.exists() and Path(path).exists() and target.samefile(path)):
        raise UsageError(f"--write {write!r}: expected the name of a file, and not that of the configuration.")
    refuse_irreplaceable(target, f"--write {one_line(write)}")
    return target


def _known_keys() -> Iterator[str]:
    """What an override may name without being in the file; what ends with a point begins a key."""
    for section in _SECTIONS:
        models = (PromptSourceSettings, PreferenceSourceSettings) if section in _SOURCES else (DataPackerFactories,)
        yield section
        yield from dict.fromkeys(f"{section}.{name}" for model in models for name in model.model_fields)
    yield from (f"{section}.factory_kwargs." for section in _SOURCES)


def _at(document: Any, key: str) -> Any:
    for step in key.split("."):
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _settle(document: Any) -> None:
    """Write keyword arguments down where there are none, and `off` where YAML read it as false."""
    for key in _SOURCES:
        section = _at(document, key)
        if isinstance(section, dict):
            if section.get("factory_kwargs") is None:
                section["factory_kwargs"] = {}
            if section.get("cursor_resume") is False:
                section["cursor_resume"] = "off"


def _sources(document: Any, unresolved: Collection[str]) -> tuple[list[str], list[str]]:
    """A line for each source without a factory, none of which is opened; and what is wrong with the settings.

    Nothing is said to be left out that is only `unresolved`, the keys of which are told already.
    """
    unsure = {key for key in _SOURCES if any(f"{key}.{name}" in unresolved for name in _SELECTORS)}
    for key in unsure:
        section = _at(document, key)
        chosen = [name for name in _SELECTORS if section.get(name)] if isinstance(section, dict) else [key]
        if f"{key}.factory" in unresolved and not chosen:
            section["factory"] = "???"  # so that its keyword arguments have one
    try:
        sources = RunConfig.model_validate(document).sources()
    except ValidationError as error:
        return [], [_told(dict(one)) for one in error.errors()]
    fine = []
    for key, settings in sources.items():
        built_in = [f"{name} {value!r}, not opened here" for name, value in settings.selected.items()]
        if not settings.factory and (built_in or key not in unsure):
            fine.append(f"{key}: {(built_in or ['no source is set: the built-in one of the run, if it has one'])[0]}")
    return fine, []


def _told(error: dict[str, Any]) -> str:
    steps = [str(step) for step in error["loc"] if step not in ("prompts", "preferences")]  # the kinds of sections
    said, got = error["msg"].removeprefix("Value error, "), error["input"]
    if error["type"] in {"model_type", "dict_type"}:  # pydantic names the class that it fills
        said = "expected a mapping"
    shown = f", got {got!r}" if not isinstance(got, dict) and not said.endswith(repr(got)) else ""
    return ": ".join([*filter(None, [".".join(steps)]), f"{said}{shown}"])


def _import(paths: dict[str, str]) -> dict[str, str]:
    """Import every path; by key, what is wrong with it, or an empty string."""
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
    told = dict.fromkeys(paths, "")
    for key, path in paths.items():
        try:
            load_callable(path, key)
        except UsageError as error:
            told[key] = str(error)
    return told
