"""Options of a run, from the command line or `[tool.packproof]`, checked one by one and turned into a `Run`."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from packer_schemas.cases import CaseFile
from packer_schemas.protocols import PackerSelection
from packproof.capabilities import satisfies
from packproof.effort import Settings
from packproof.known import load_known
from packproof.load import load_object
from packproof.models import EMBEDDED
from packproof.registry import select_checks
from packproof.run import Run
from packproof.subject import Subject
from packproof.violation import UsageError

__all__ = ["Options", "read_case_file", "read_table"]

_KEYS: dict[str, type] = {
    "packer": list,
    "packer-model": list,
    "packer-trust-remote-code": bool,
    "packer-selection": str,
    "packer-level": list,
    "packer-select": list,
    "packer-effort": str,
    "packer-seed": int,
    "packer-replay": list,
    "packer-known": str,
    "packer-report": str,
}


@dataclass(frozen=True)
class Options:
    """What the user asked for; paths are relative to `folder`."""

    packer: Sequence[str] = ()
    model: Sequence[str] = ()
    trust_remote_code: bool = False
    selection: str = ""
    level: Sequence[str] = ("core",)
    select: Sequence[str] = ()
    effort: str = "standard"
    seed: int | None = None
    replay: Sequence[str] = ()
    known: str = ""
    report: str = ""
    folder: Path = Path()

    @classmethod
    def make(cls, given: Mapping[str, Any], table: Mapping[str, Any], folder: Path) -> "Options":
        """Options from the command line (`given`, by long name, None for absent) over those of the table."""
        merged: dict[str, Any] = {"folder": folder}
        for name in _KEYS:
            value = given.get(name)
            value = table.get(name) if value is None else value
            if value is not None:
                merged[name.removeprefix("packer-").replace("-", "_")] = value
        merged["seed"] = _seed(merged.get("seed"))
        for name in ("select", "level"):
            if name in merged:
                merged[name] = [part.strip() for text in merged[name] for part in text.split(",") if part.strip()]
        options = cls(**merged)
        if options.replay and not options.packer:
            targets = dict.fromkeys(file.packer for file in options.replayed())
            return cls(**{**merged, "packer": [target for target in targets if target]})
        return options

    def run(self, database: Path | None = None) -> Run:
        """Load everything the options name; `UsageError` for the first thing that is wrong."""
        settings = Settings.make(self.effort, self.seed, database)
        checks = select_checks(self.select, self.level)
        labelled = label_packers(self.packer)
        known = load_known(self.folder / self.known, labelled) if self.known else ()
        for model in self.model:
            _check_model(model, self.folder)
        selection = load_object(self.selection, "--packer-selection") if self.selection else None
        if selection is not None and not satisfies(selection, PackerSelection):
            raise UsageError(
                f"--packer-selection {self.selection!r}: expected a module with init_data_packer, build_packer "
                "and register."
            )
        subjects = [
            Subject(
                target,
                label=label,
                models=self.model,
                trust_remote_code=self.trust_remote_code,
                selection=selection,
            )
            for label, target in labelled.items()
        ]
        return Run(subjects, checks, settings, self.level, known, selected=bool(self.select or self.replay))

    def replayed(self) -> list[CaseFile]:
        """The case files to replay."""
        return [read_case_file(self.folder / path) for path in self.replay]

    def command(self, target: str, id: str) -> str:
        """The pytest command that runs one rule on one packer again, as it was run here."""
        words = ["pytest", "--packer", target]
        words += [word for model in self.model for word in ("--packer-model", model)]
        words += ["--packer-trust-remote-code"] if self.trust_remote_code else []
        words += ["--packer-selection", self.selection] if self.selection else []
        words += ["--packer-select", id]
        words += ["--packer-effort", self.effort] if self.effort != "standard" else []
        return " ".join([*words, "--packer-seed", str(self.seed or 0)])


def label_packers(given: Sequence[str]) -> dict[str, str]:
    """Targets by label. One alone is `packer`; of several, those without a label go by their factory's name."""
    labelled: dict[str, str] = {}
    for text in given:
        label, equals, target = text.rpartition("=")
        if equals and not re.fullmatch(r"[\w.-]+", label):
            raise UsageError(f"--packer {text!r}: a label is letters, digits, '.', '_' and '-', then '='.")
        label = label or ("packer" if len(given) == 1 else re.split(r"[:.]", target)[-1])
        if label in labelled:
            raise UsageError(f"--packer {text!r}: the label {label!r} is taken; give each one its own: label={target}.")
        labelled[label] = target
    return labelled


def read_table(rootpath: Path) -> dict[str, Any]:
    """The `[tool.packproof]` table of the project's pyproject.toml, its keys and types checked."""
    file = rootpath / "pyproject.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("packproof", {})
    except OSError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: not TOML: {error}.") from error
    for name, value in table.items():
        kind = _KEYS.get(name)
        if kind is None:
            raise UsageError(f"{file}: [tool.packproof] has no key {name!r}; expected one of {', '.join(_KEYS)}.")
        if kind is list and isinstance(value, str):
            table[name] = value = [value]
        if type(value) is not kind or (kind is list and not all(isinstance(one, str) for one in value)):
            wanted = "a list of strings" if kind is list else kind.__name__
            raise UsageError(f"{file}: [tool.packproof] {name} = {value!r}: expected {wanted}.")
    return table


def read_case_file(path: Path) -> CaseFile:
    """A stored case; `UsageError` when it cannot be read or is no case file."""
    try:
        return CaseFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"--packer-replay {path}: cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"]) or "the file"
        raise UsageError(f"--packer-replay {path}: not a case file: {place}: {first['msg']}.") from error


def _check_model(model: str, folder: Path) -> None:
    looks_like_path = model.startswith((".", "~")) or os.path.isabs(model) or os.sep in model.rstrip(os.sep)
    if model in EMBEDDED or (folder / model).is_dir() or not looks_like_path:
        return
    if model.count("/") == 1 and not model.startswith((".", "~", "/")):
        return  # a hub id
    raise UsageError(f"--packer-model {model!r}: there is no such folder. Embedded models are {', '.join(EMBEDDED)}.")


def _seed(value: Any) -> int | None:
    if value is None:
        return None
    try:
        return int(value)
    except ValueError:
        raise UsageError(f"--packer-seed {value!r}: expected a whole number.") from None
