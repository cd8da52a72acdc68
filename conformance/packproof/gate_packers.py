"""Packers of the kit's own for a resume gate to bind: they declare what a case says, and shape nothing."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from packer_schemas.declarations import DECLARATIONS
from packer_schemas.identity import MAX_BYTES
from packer_schemas.identity_cases import DeclarationForm, Declared
from packproof.driver import REFUSALS, calling, finished, refusal
from packproof.load import describe
from packproof.subject import Subject
from packproof.violation import CallFailed, Violation

__all__ = ["bind", "declaring", "declaring_raw", "odd_declaration", "refused"]


class _Silent:
    """A packer without a declaration, and with names that a consumer might guess at (IDENT-1)."""

    identity = fingerprint = "my-packer"

    def semantics_identity(self) -> dict[str, str]:
        """No declaration, for the name is not that of the protocol."""
        return {"name": "my-packer"}


def declaring(declared: Declared, name: str = "GatePacker", base: type = _Silent) -> Any:
    """A packer that declares exactly this, of a new class of this name."""
    return declaring_raw({"semantics": declared.semantics, "processor": declared.processor}, name, base)


def declaring_raw(declared: Mapping[str, Any], name: str = "GatePacker", base: type = _Silent) -> Any:
    """As `declaring`, for declarations that no schema lets pass; None declares nothing."""
    methods = {
        method: _returning(declared[part])
        for part, (_, method) in DECLARATIONS.items()
        if declared.get(part) is not None
    }
    return type(name, (base,), methods)()


def _returning(value: Any) -> Callable[[Any], Any]:
    return lambda _: deepcopy(value)


def odd_declaration(form: DeclarationForm) -> tuple[Any, str]:
    """A declaration that is none by IDENT-3, and what a refusal has to name: the place, or the size."""
    if form == "a float of NumPy":
        import numpy as np

        return {"size": [14, np.float64(14.0)]}, "semantics.size[1]"
    found: dict[str, tuple[Any, str]] = {
        "a tuple": ({"size": (14, 14)}, "semantics.size"),
        "a set": ({"ids": {1, 2}}, "semantics.ids"),
        "bytes": ({"model": {"digest": b"1"}}, "semantics.model.digest"),
        "an infinity": ({"limit": float("inf")}, "semantics.limit"),
        "a number for a key": ({"ids": {1: "pad"}}, "semantics.ids"),
        "an ordered dict": ({"settings": OrderedDict(fps=2.0)}, "semantics.settings"),
        "101 levels": ({"levels": _nested(100)}, "semantics"),
        "a byte too many": ({"t": "x" * (MAX_BYTES - 7)}, str(MAX_BYTES + 1)),
        "an empty mapping": ({}, "semantics"),
        "a list": (["qwen2"], "semantics"),
    }
    return found[form]


def _nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def bind(subject: Subject, packer: Any, call: str = "bind(packer)") -> tuple[dict[str, Any] | None, str | None]:
    """What the gate keeps of a packer: the document, or None, and the class source hash."""
    with calling(call, subject.note):
        kept = finished(subject.gate.bind(packer), call)
    if not isinstance(kept, Mapping) or not {"identity", "class_source_sha256"} <= set(kept):
        raise CallFailed(call, f"returned {type(kept).__name__}", "a mapping with identity and class_source_sha256")
    identity = kept["identity"]
    if identity is not None and not isinstance(identity, Mapping):
        raise CallFailed(
            call, f"returned an identity of type {type(identity).__name__}", "a document as a mapping, or None"
        )
    return None if identity is None else dict(identity), kept["class_source_sha256"]


def refused(
    subject: Subject,
    call: str,
    run: Callable[[], Any],
    *names: str,
    kinds: tuple[type[Exception], ...] = REFUSALS,
) -> None:
    """Demand that the gate refuses, with an error of one of `kinds` whose message holds all `names`."""
    wanted = f"{' or '.join(kind.__name__ for kind in kinds)} that names {', '.join(names)}"
    error = refusal(call, run, subject.note, accept=kinds, wording=wanted, show=lambda one: type(one).__name__)
    missing = [name for name in names if name not in str(error)]
    if missing:
        fault = f"the message does not name {missing[0]}"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault) from None
