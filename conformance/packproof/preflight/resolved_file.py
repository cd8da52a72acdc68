"""The configuration that a run is repeated from: one YAML file with everything resolved, the same bytes every time."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packproof.storing import alone, replace_file
from packproof.violation import UsageError
from packproof.wording import one_line

__all__ = ["resolved_text", "unwritable", "write_whole"]


def resolved_text(document: Mapping[str, Any]) -> str:
    """YAML that PyYAML and OmegaConf both read back as `document`, keys in their order; equal data, equal text."""
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
        style = "'" if _like_a_number(value) else None if value.isprintable() else '"'  # PyYAML folds U+0085 away
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    try:
        return yaml.dump(dict(document), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=2**20)
    except yaml.YAMLError as error:
        raise UsageError(f"--write: a value has no plain form: {error.args[-1]!r}.") from error


def unwritable(value: Any, key: str = "") -> Iterator[str]:
    """The strings, with their keys, that a reader with interpolation would resolve once more."""
    if isinstance(value, dict):
        for step, inner in value.items():
            yield from unwritable(inner, f"{key}.{step}" if key else str(step))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from unwritable(inner, f"{key}[{at}]")
    elif isinstance(value, str) and "${" in value:
        yield f"{key}: comes out as {value!r}, which a later reader would take for an interpolation"


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step: others see what was there before or all of `text`. `UsageError` where it cannot be."""
    try:
        with alone(path):
            replace_file(path, text.encode("utf-8"))
    except OSError as error:
        raise UsageError(f"--write {one_line(str(path))}: cannot be written: {error.strerror}.") from error


def _like_a_number(value: str) -> bool:
    """Whether OmegaConf takes a bare word for a number that PyYAML takes for a text, such as 1e3."""
    try:
        float(value.replace("_", ""))
    except ValueError:
        return False
    return True
