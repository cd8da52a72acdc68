"""The gate between a checkpoint and a run: a resume under another identity than the one it began with is refused."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from packer_schemas import PackerBinding, canonical_json, identity_differences
from packer_schemas.canonical import json_path
from packer_schemas.declarations import declared_parts, dotted_name

__all__ = ["ResumeGate"]

_FRESH = "Start a fresh run instead of resuming"


class ResumeGate:
    """Binds a packer into a checkpoint and admits a resume with the same one.

    A run calls `bind` when it begins and keeps the result in every checkpoint; it calls `admit` before it restores
    anything from one. With `allow_changed_source` a resume passes although the source of the packer's class was
    edited, as long as its declared identity is the same.
    """

    def __init__(self, allow_changed_source: bool = False) -> None:
        if not isinstance(allow_changed_source, bool):  # a text "false" would allow it
            raise TypeError(f"ResumeGate: allow_changed_source is {allow_changed_source!r}, expected True or False")
        self._allow_changed_source = allow_changed_source

    def bind(self, packer: Any) -> dict[str, Any]:
        """What a checkpoint keeps, as JSON data: `identity`, a document or None, and `class_source_sha256`.

        Raises `TypeError` or `ValueError` for a declaration that is none. Spec: identity, IDENT-2, IDENT-5, IDENT-15.
        """
        return PackerBinding.of(packer).model_dump(mode="json")

    def admit(self, saved: Mapping[str, Any], packer: Any) -> None:
        """Raise `ValueError` unless `packer` declares what `saved` holds and the source of its class is the same.

        `saved` is what `bind` gave when the run began, also after it was written as JSON and read back; it stays as it
        is. The message names every field that differs. What cannot be read is refused too, and nothing is filled in.
        Errors of `bind` pass through. Spec: identity, IDENT-16.
        """
        old, new = _read(saved), PackerBinding.of(packer)
        name = dotted_name(type(packer))
        differences = [str(each) for each in identity_differences(old.identity, new.identity)]
        source = f"class_source_sha256: {_shown(old.class_source_sha256)} -> {_shown(new.class_source_sha256)}"
        changed_source = old.class_source_sha256 != new.class_source_sha256
        if differences:
            fields = "\n".join(f"  {line}" for line in [*differences, *([source] if changed_source else [])])
            raise ValueError(
                f"cannot resume: {name} shapes data in another way than the packer that this run began with. Of the "
                f"identity in the checkpoint and the packer's own these differ:\n{fields}\n{_FRESH}: the weights were "
                "trained on other rows. Or set the packer up as it was."
            )
        if changed_source and not self._allow_changed_source:
            equal = "The declared semantics are equal" if new.identity else "Neither side declares its semantics"
            raise ValueError(
                f"cannot resume: the source of {name} or of one of its bases is not the one that this run began with:\n"
                f"  {source}\n{equal}; nobody can tell whether the edit changes rows. {_FRESH}. Or, if it changes "
                "none, resume with ResumeGate(allow_changed_source=True)."
            )

    def expect_semantics(self, packer: Any) -> None:
        """Raise `TypeError` for a packer that held-out validation cannot take. Spec: identity, IDENT-2."""
        _expect(packer, "semantics", "validation_semantics_identity", "held-out validation compares losses over weeks")

    def expect_processor(self, packer: Any) -> None:
        """Raise `TypeError` for a packer that a cross-token teacher cannot take. Spec: identity, IDENT-2."""
        _expect(packer, "processor", "processor_semantics_identity", "a cross-token teacher is bound to its processor")


def _expect(packer: Any, part: str, method: str, why: str) -> None:
    if part not in declared_parts(packer):
        raise TypeError(
            f"{dotted_name(type(packer))} declares no {part} identity, and {why}: give its class a method {method}() "
            "that returns what decides its output as plain JSON data, or run without"
        )


def _read(saved: Any) -> PackerBinding:
    unreadable = "cannot resume: the checkpoint's binding of its packer cannot be read:"
    if not isinstance(saved, Mapping):
        raise ValueError(  # noqa: TRY004  a refusal is a ValueError, whatever was found in the checkpoint
            f"{unreadable} it is a {type(saved).__name__}, expected what ResumeGate.bind returned. {_FRESH}."
        )
    try:
        # By way of its text: so it is held to JSON's own types, and is nobody else's afterwards.
        return PackerBinding.model_validate_json(canonical_json(dict(saved)), strict=True)
    except ValidationError as error:
        found = error.errors()[0]
        problem = f"{json_path(found['loc']) or 'the binding'}: {found['msg']}"
    except (TypeError, ValueError) as error:
        problem = str(error)
    raise ValueError(f"{unreadable} {problem}. {_FRESH}.")


def _shown(digest: str | None) -> str:
    return "null" if digest is None else digest
