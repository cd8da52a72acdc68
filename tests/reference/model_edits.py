"""Copies of model folders with one thing changed, and what a packer on them declares."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from packer_reference import DecoderOnlyLLMDataPacker
from packer_schemas import IdentityDocument, identity_differences
from packproof.models import model_path

__all__ = ["Files", "changed_fields", "copied", "identity_of", "ready"]

Files = dict[str, Any]
"""The three files of a model folder, read: `tokenizer`, `settings` and `config`."""

_NAMES = {"tokenizer": "tokenizer.json", "settings": "tokenizer_config.json", "config": "config.json"}


def copied(model: str, folder: Path, edit: Callable[[Files], object] = dict) -> Path:
    """A copy of an embedded model, or of any model folder, whose files went through `edit`."""
    shutil.copytree(model_path(model) if "/" not in model else model, folder)
    files = {key: json.loads((folder / name).read_text("utf-8")) for key, name in _NAMES.items()}
    edit(files)
    for key, name in _NAMES.items():
        (folder / name).write_text(json.dumps(files[key], ensure_ascii=False), "utf-8")
    return folder


def ready(folder: Path | str, trust_remote_code: bool = False) -> DecoderOnlyLLMDataPacker:
    """A packer of its own that is set up on a folder."""
    packer = DecoderOnlyLLMDataPacker()
    packer.setup(str(folder), trust_remote_code)
    return packer


def identity_of(folder: Path | str, trust_remote_code: bool = False) -> IdentityDocument:
    """What a fresh packer on a folder declares."""
    return IdentityDocument.of(ready(folder, trust_remote_code))


def changed_fields(old: IdentityDocument, new: IdentityDocument) -> set[str]:
    """The paths of the fields that differ, below the part `semantics`."""
    return {each.path.removeprefix("semantics.") for each in identity_differences(old, new)}
