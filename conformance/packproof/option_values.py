"""The values that options may have: names, labels, models, files, and modules that stand beside a packer."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from packer_schemas.protocols import PackerSelection, ResumeGate
from packproof.capabilities import satisfies
from packproof.load import load_made, load_object
from packproof.models import EMBEDDED
from packproof.violation import UsageError

__all__ = [
    "check_models",
    "label_targets",
    "load_gate",
    "load_selection",
    "names",
    "refuse_blank",
    "refuse_unwritable",
]

_BLANK = "nothing is named; name something, or leave it out."


def names(given: Any, option: str, *, commas: bool = True) -> list[str]:
    """Names given as a list or, one alone or several with commas, as text; `UsageError` for anything else."""
    several = [given] if isinstance(given, (str, os.PathLike)) else given
    if not isinstance(several, Sequence) or not all(isinstance(one, (str, os.PathLike)) for one in several):
        raise UsageError(f"{option} {given!r}: expected a name, or a list of names.")
    texts = [str(one) for one in several]
    found = [part.strip() for text in texts for part in (text.split(",") if commas else [text])]
    if found and not any(found):
        raise UsageError(f"{option} {given!r}: {_BLANK}")
    return [name for name in found if name]


def label_targets(given: Sequence[str], noun: str = "packer") -> dict[str, str]:
    """Targets by label. One alone goes by `noun`; of several, those without a label by their factory's name."""
    labelled: dict[str, str] = {}
    for text in given:
        label, equals, target = text.rpartition("=")
        if equals and not re.fullmatch(r"[\w.-]+", label):
            raise UsageError(f"--{noun} {text!r}: a label is letters, digits, '.', '_' and '-', then '='.")
        label = label or (noun if len(given) == 1 else re.split(r"[:.]", target)[-1])
        if label in labelled:
            raise UsageError(f"--{noun} {text!r}: the label {label!r} is taken; give each one its own: label={target}.")
        labelled[label] = target
    return labelled


def check_models(models: Sequence[str], folder: Path) -> None:
    """`UsageError` for a model that is the path of no folder; what a hub knows only a packer's setup can tell."""
    for model in models:
        looks_like_path = model.startswith((".", "~")) or Path(model).is_absolute() or os.sep in model.rstrip(os.sep)
        is_hub_id = model.count("/") == 1 and not model.startswith((".", "~", "/"))
        if looks_like_path and not is_hub_id and not (folder / model).is_dir():
            embedded = ", ".join(EMBEDDED)
            raise UsageError(f"--packer-model {model!r}: there is no such folder. Embedded models are {embedded}.")


def refuse_unwritable(path: Path, option: str) -> None:
    """`UsageError` now, rather than after the run, where the file that `option` names cannot be written."""
    if path.is_dir():
        raise UsageError(f"{option}: is a folder, expected the name of a file to write.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{option}: its folder cannot be made: {error.strerror}.") from error
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{option}: cannot be written.")


def refuse_blank(name: str, value: Any) -> None:
    """`UsageError` for a value that names nothing."""
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    blank = [text for text in texts if not text.strip()]
    if blank and name != "packer":  # of an empty packer, loading it says more
        raise UsageError(f"--{name} {blank[0]!r}: {_BLANK}")


def load_selection(given: Any) -> Any:
    """A selection module, by its name or as it is; `UsageError` when it is none."""
    found = load_object(given, "--packer-selection") if isinstance(given, str) else given
    if not satisfies(found, PackerSelection):
        wanted = "a module with init_data_packer, build_packer and register"
        raise UsageError(f"--packer-selection {given!r}: expected {wanted}.")
    return found


def load_gate(given: Any) -> Any:
    """A resume gate, from its factory's name or as it is; `UsageError` when it is none."""
    return load_made(given, "--packer-gate", ResumeGate, "a resume gate")
