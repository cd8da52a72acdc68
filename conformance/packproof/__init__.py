"""The conformance kit for data packers and their sources: `pytest --packer my.module:factory`, and in Python."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packproof.api import check_packer, parametrize_with_checks
    from packproof.sources.api import check_source

__all__ = ["check_packer", "check_source", "parametrize_with_checks"]


def __getattr__(name: str) -> Any:
    """Load the Python face on first use, so that the pytest plugin costs nothing until it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'packproof' has no attribute {name!r}")
    from packproof import api
    from packproof.sources import api as sources_api

    return getattr(sources_api if name == "check_source" else api, name)
