"""Where the vector files are, and what is in them."""

from functools import cache
from pathlib import Path
from typing import Any

from packer_schemas.vectors import VECTOR_FILES

__all__ = ["vectors", "vectors_folder"]


def vectors_folder() -> Path:
    """The folder of the vector files: this one in an installed package, `conformance/vectors` in a checkout."""
    here = Path(__file__).parent
    return here if (here / "masks.json").exists() else here.parents[1] / "vectors"


@cache
def vectors(name: str) -> tuple[Any, ...]:
    """The vectors of `NAME.json` in their order, as values of their model; `ValueError` when there is no such file.

    Each has an `id`, a `requirement`, which may be empty, a `note`, an `input`, and either `expected` or `error`.
    """
    if name not in VECTOR_FILES:
        raise ValueError(f"no vector file is named {name!r}; choose one of {', '.join(VECTOR_FILES)}")
    text = (vectors_folder() / f"{name}.json").read_text(encoding="utf-8")
    return tuple(VECTOR_FILES[name].model_validate_json(text).vectors)  # pyright: ignore[reportAttributeAccessIssue]
