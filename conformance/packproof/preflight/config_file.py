"""A run's configuration as a YAML file with overrides, read by OmegaConf into plain data."""

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from packproof.violation import UsageError
from packproof.wording import one_line

__all__ = ["ConfigFile"]

_OVERRIDE = re.compile(r"(?P<new>\+{0,2})(?P<key>[^=~+][^=]*)=(?P<value>.*)", re.DOTALL)

_DEEPEST = 100
"""Levels of a configuration; a mapping that an interpolation puts into itself has no end."""


class ConfigFile:
    """A YAML file with overrides applied in order; interpolations wait until a value is asked for.

    `known` are the keys that an override may name without being in the file: a key, or the beginning of one with a
    point at its end. Raises `UsageError` for a missing OmegaConf, a file that cannot be read or is no YAML mapping,
    and an override that is none or names a key that nobody knows, unless a `+` stands in front.
    """

    def __init__(self, path: str, overrides: Sequence[str], known: Sequence[str]) -> None:
        try:
            import omegaconf
        except ImportError as error:
            raise UsageError("preflight reads configurations with OmegaConf: pip install omegaconf.") from error
        import yaml  # which OmegaConf depends on

        self._bad_yaml, self._bad_config = yaml.YAMLError, omegaconf.errors.OmegaConfBaseException
        self._tool, self._known, self._path = omegaconf.OmegaConf, known, path
        self._config = self._load()
        for override in overrides:
            self._apply(override)

    def sections(self, *keys: str) -> tuple[Any, list[str]]:
        """These sections resolved, where they stand, None for every other value; and what cannot be resolved."""
        problems: list[str] = []
        return self._picked(self._config, "", keys, problems), problems

    def resolved(self) -> tuple[dict[str, Any], list[str]]:
        """All of it as plain data, and what cannot be resolved."""
        problems: list[str] = []
        return self._plain(self._config, "", problems), problems

    def _load(self) -> Any:
        name = one_line(self._path)
        path = Path(self._path)
        try:
            if not self._path or (path.exists() and not path.is_file()):
                got = "none" if not self._path else "a folder" if path.is_dir() else "a pipe or a device"
                raise UsageError(f"{name!r}: expected the name of a YAML file, got {got}.")
            config = self._tool.load(self._path)
        except OSError as error:
            said = error.strerror or "it holds one value"
            raise UsageError(f"{name}: cannot be read as a mapping of settings: {said}.") from error
        except (self._bad_yaml, self._bad_config, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{name}: is not YAML: {_first(error)}.") from error
        if not self._tool.is_dict(config):
            raise UsageError(f"{name}: expected a mapping of settings, got a list.")
        return config

    def _apply(self, override: str) -> None:
        found = _OVERRIDE.fullmatch(override)
        if not found:
            advice = "; to delete a key, set it to null" if override.startswith("~") else ""
            raise UsageError(f"{override!r}: expected an override such as rl.data.path=rows.jsonl{advice}.")
        key = found["key"].strip()
        if not found["new"] and not self._is_key(key):
            close = difflib.get_close_matches(key, [*self._keys(), *self._known], n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise UsageError(f"{override!r}: there is no key {key!r}.{hint} A key that is new takes a + in front.")
        try:
            value: Any = self._tool.to_container(self._tool.from_dotlist([f"x={found['value']}"]), resolve=False)
            self._tool.update(self._config, key, _unambiguous(value["x"]), merge=True, force_add=True)
        except (self._bad_yaml, self._bad_config, ValueError, TypeError, AttributeError) as error:
            raise UsageError(f"{override!r}: cannot be applied: {_first(error)}.") from error

    def _is_key(self, key: str) -> bool:
        plain = re.sub(r"\[(\w+)\]", r".\1", key)
        known = any(plain == one or (one.endswith(".") and plain.startswith(one)) for one in self._known)
        return known or plain in self._keys()

    def _keys(self) -> set[str]:
        return set(_paths(self._tool.to_container(self._config, resolve=False), ""))

    def _picked(self, node: Any, key: str, keys: Sequence[str], problems: list[str]) -> Any:
        if not self._tool.is_dict(node):
            return self._plain(node, key, problems)
        made = dict.fromkeys(node)
        for step in node:
            name = _join(key, step)
            for value in self._found(node, step, name, problems) if _leads_to(name, keys) else []:
                made[step] = (
                    self._plain(value, name, problems) if name in keys else self._picked(value, name, keys, problems)
                )
        return made

    def _plain(self, node: Any, key: str, problems: list[str]) -> Any:
        if key.count(".") + key.count("[") > _DEEPEST:
            problems.append(f"{key[:60]}...: contains itself, by way of an interpolation")
            return None
        if self._tool.is_list(node):
            names = [f"{key}[{at}]" for at in range(len(node))]
            found = [(name, value) for at, name in enumerate(names) for value in self._found(node, at, name, problems)]
            return [self._plain(value, name, problems) for name, value in found]
        if not self._tool.is_dict(node):
            return node
        return {
            step: self._plain(value, _join(key, step), problems)
            for step in node
            for value in self._found(node, step, _join(key, step), problems)
        }

    def _found(self, node: Any, step: Any, key: str, problems: list[str]) -> list[Any]:
        """The value at a step, alone; none where it is missing or cannot be resolved, which is a problem."""
        try:
            if not self._tool.is_missing(node, step):
                return [node[step]]
            problems.append(f"{key}: is mandatory ('???') and has no value")
        except self._bad_config as error:
            problems.append(f"{key}: {_first(error)}")
        return []


def _paths(plain: Any, key: str) -> Iterator[str]:
    """The key of every value in plain data, a mapping's own among them."""
    for one, value in plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ():
        yield _join(key, one)
        yield from _paths(value, _join(key, one))


def _leads_to(name: str, keys: Sequence[str]) -> bool:
    return any(key == name or key.startswith(f"{name}.") for key in keys)


def _join(key: str, step: Any) -> str:
    return f"{key}.{step}" if key else str(step)


def _unambiguous(value: Any) -> Any:
    """Refuses `{count:3}`, which YAML reads as the key `count:3` without a value."""
    if isinstance(value, dict) and (slip := [key for key, one in value.items() if one is None and ":" in str(key)]):
        raise ValueError(f"expected a space behind the colon of {slip[0]!r}")
    return value


def _first(error: BaseException) -> str:
    """What an error says in its first line, with the place if it is one of YAML's."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return f"line {mark.line + 1}: {getattr(error, 'problem', None) or lines[0]}"
    return (lines or [type(error).__name__])[0].rstrip(".")
