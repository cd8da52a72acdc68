"""The fingerprint that a saved cursor holds, made from what a source says of itself and from its length."""

from typing import Any

from packer_reference.sources.built import BuiltSource
from packer_schemas import FingerprintedSource, identity_digest

__all__ = ["cursor_fingerprint"]


def cursor_fingerprint(source: Any) -> str | None:
    """SHA-256 over the source's `cursor_fingerprint()` and its length, 64 hex digits; None where it has no such method.

    `source` is a built source or the raw one. Raises `ValueError`, with the origin, when the method raises or returns
    anything but a string that is not empty. Spec: sources, SOURCE-11.
    """
    raw = source.source if isinstance(source, BuiltSource) else source
    if not isinstance(raw, FingerprintedSource):
        return None
    origin = source.origin if isinstance(source, BuiltSource) else type(raw).__qualname__
    try:
        own = raw.cursor_fingerprint()
    except Exception as error:
        raise ValueError(f"{origin}: cursor_fingerprint() raised {type(error).__name__}: {error}") from error
    if not isinstance(own, str) or not own:
        raise ValueError(f"{origin}: cursor_fingerprint() returned {own!r}, expected a string that is not empty")
    return identity_digest({"fingerprint": str(own), "length": len(source)})
