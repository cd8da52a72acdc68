"""What a checkpoint keeps of the packer that a run began with: its identity, and the source of its class beside it."""

import inspect
import os
import sys
import textwrap
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from packer_schemas.canonical import identity_digest
from packer_schemas.declarations import declarations, dotted_name
from packer_schemas.fields import Sha256
from packer_schemas.identity import IdentityDocument

__all__ = ["PackerBinding", "class_source_sha256"]


class PackerBinding(BaseModel):
    """What a packer declares, and a digest of its class's source, which no declaration covers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    identity: IdentityDocument | None = Field(description="The declared identity; null where nothing is declared.")
    class_source_sha256: Sha256 | None = Field(
        description="SHA-256 over the sources of the packer's class and its bases, 64 lower-case hexadecimal digits; "
        "null where one of them cannot be had."
    )

    @classmethod
    def of(cls, packer: Any) -> Self:
        """The binding of a packer that is set up, asked anew on every call (IDENT-1, IDENT-5, IDENT-15).

        `identity` is None where the packer is neither a `PackerSemanticsIdentity` nor a `PackerProcessorIdentity`.
        Raises `TypeError` or `ValueError` for a declaration that is none (IDENT-3), naming class, method and path;
        what the packer's methods raise passes through.
        """
        declared = declarations(packer)
        identity = IdentityDocument.make(dotted_name(type(packer)), declared) if declared else None
        return cls(identity=identity, class_source_sha256=class_source_sha256(type(packer)))


def class_source_sha256(cls: type) -> str | None:
    """The digest of the sources of a class and its bases, or None where one of the texts cannot be had (IDENT-15).

    Taken over the canonical JSON of a list of strings: for each class in method resolution order, but those of the
    standard library, its source as `inspect.getsource` gives it, dedented, with line feeds as line ends. Raises
    `TypeError` for what is no class.
    """
    if not isinstance(cls, type):
        raise TypeError(f"class_source_sha256: got a {type(cls).__name__}, expected a class; pass type(packer)")
    try:
        return identity_digest([_source(base) for base in cls.__mro__ if not _in_standard_library(base)])
    except (OSError, TypeError, SyntaxError):  # no file, no Python, or a file that no longer parses
        return None


def _source(cls: type) -> str:
    return textwrap.dedent(inspect.getsource(cls).replace("\r\n", "\n").replace("\r", "\n"))


def _in_standard_library(cls: type) -> bool:
    """Whether the class comes with Python; a module of somebody's own that is called `code` or `queue` does not."""
    root = cls.__module__.partition(".")[0]
    if root not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(root), "__file__", None)
    if file is None:
        return True  # built into the interpreter
    folder, library = Path(file).parent, Path(os.__file__).parent
    return library in {folder, folder.parent} and folder.name not in {"site-packages", "dist-packages"}
