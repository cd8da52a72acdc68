"""The conformance kit for data packers, their sources and consumers: `pytest --packer module:factory` and in Python."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packproof.api import check_packer, parametrize_with_checks
    from packproof.consumers.api import check_objective, check_rollout, check_trainer
    from packproof.sources.api import check_source

__all__ = [
    "check_objective",
    "check_packer",
    "check_rollout",
    "check_source",
    "check_trainer",
    "parametrize_with_checks",
]

_FOLDERS = {
    "check_objective": "consumers",
    "check_rollout": "consumers",
    "check_source": "sources",
    "check_trainer": "consumers",
}


def __getattr__(name: str) -> Any:
    """Load the Python face on first use, so that the pytest plugin costs nothing until it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'packproof' has no attribute {name!r}")
    from importlib import import_module

    folder = _FOLDERS.get(name)
    return getattr(import_module(f"packproof.{folder}.api" if folder else "packproof.api"), name)
