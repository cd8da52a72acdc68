"""A resume gate that keeps every rule, in steps small enough for a fault to replace just one of them.

It shares no code with the models of the schemas: two makers of documents have to agree.
"""

import hashlib
import inspect
import json
import math
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from packer_schemas.protocols import PackerProcessorIdentity, PackerSemanticsIdentity

__all__ = ["MiniatureGate"]

_FIELDS = {"schema_version", "packer", "parts", "sha256"}
_PARTS: dict[str, tuple[Any, str]] = {
    "semantics": (PackerSemanticsIdentity, "validation_semantics_identity"),
    "processor": (PackerProcessorIdentity, "processor_semantics_identity"),
}
_MOST = 65_536
_ABSENT = object()


class MiniatureGate:
    """Binds packers to checkpoints and, as it stands, has no fault."""

    def bind(self, packer: Any) -> dict[str, Any]:
        """What a checkpoint keeps of a packer."""
        return {"identity": self._document(packer), "class_source_sha256": self._source(type(packer))}

    def admit(self, saved: Mapping[str, Any], packer: Any) -> None:
        """Return where a run goes on under `packer`; `ValueError` where it does not."""
        live = self.bind(packer)
        self._read(saved["identity"])
        differences = [*self._differences("", self._values(saved["identity"]), self._values(live["identity"]))]
        self._decide(differences, saved["class_source_sha256"] == live["class_source_sha256"])

    def expect_semantics(self, packer: Any) -> None:
        """`TypeError` for a packer that declares no semantics."""
        self._expect("semantics", packer)

    def expect_processor(self, packer: Any) -> None:
        """`TypeError` for a packer that declares no processor."""
        self._expect("processor", packer)

    def _expect(self, part: str, packer: Any) -> None:
        protocol, method = _PARTS[part]
        if not isinstance(packer, protocol):
            raise TypeError(f"{type(packer).__qualname__} has no {method}(), so nothing vouches for how it shapes")

    def _decide(self, differences: list[str], same_source: bool) -> None:
        if differences:
            told = "\n".join(differences)
            raise ValueError(f"the packer shapes data differently; start a fresh run instead of resuming:\n{told}")
        if not same_source:
            raise ValueError("declared semantics are equal, and the source of the class differs: start a fresh run")

    def _document(self, packer: Any) -> dict[str, Any] | None:
        values = self._declared(packer)
        if not values:
            return None
        for part, value in values.items():
            self._expect_declaration(part, value)
        parts = {part: {"value": dict(value), "sha256": self._digest(value)} for part, value in values.items()}
        return {"schema_version": 1, "packer": self._name(packer), "parts": parts, "sha256": self._whole(parts, packer)}

    def _declared(self, packer: Any) -> dict[str, Any]:
        found = {part: method for part, (protocol, method) in _PARTS.items() if isinstance(packer, protocol)}
        return {part: getattr(packer, method)() for part, method in found.items()}

    def _name(self, packer: Any) -> str:
        return f"{type(packer).__module__}.{type(packer).__qualname__}"

    def _whole(self, parts: Mapping[str, Any], packer: Any) -> str:
        return self._digest({part: one["sha256"] for part, one in parts.items()})

    def _expect_declaration(self, part: str, value: Any) -> None:
        if not isinstance(value, Mapping) or not value:
            raise TypeError(f"{part}: expected a mapping with an entry at least, got {type(value).__name__}")
        self._expect_plain(part, dict(value), 100)
        size = len(self._canonical(value))
        if size > _MOST:
            raise ValueError(f"{part}: {size} bytes, expected at most {_MOST}")

    def _expect_plain(self, path: str, value: Any, levels: int) -> None:
        if type(value) in (dict, list):
            if levels == 0:
                raise ValueError(f"{path}: deeper than 100 levels")
            for step, one in value.items() if type(value) is dict else enumerate(value):
                if type(value) is dict and type(step) is not str:
                    raise TypeError(f"{path}: the key {step!r} is no text")
                self._expect_plain(_below(path, step), one, levels - 1)
        elif type(value) not in (str, int, float, bool, type(None)):
            raise TypeError(f"{path}: a {type(value).__name__} is no JSON")
        elif type(value) is float and not math.isfinite(value):
            raise ValueError(f"{path}: {value} is no JSON")

    def _canonical(self, value: Any) -> bytes:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode()

    def _digest(self, value: Any) -> str:
        return hashlib.sha256(self._canonical(value)).hexdigest()

    def _source(self, cls: type) -> str | None:
        own = [one for one in cls.__mro__ if one.__module__.partition(".")[0] not in sys.stdlib_module_names]
        try:
            return self._digest([self._text(one) for one in own])
        except (OSError, TypeError):
            return None

    def _text(self, cls: type) -> str:
        return textwrap.dedent(inspect.getsource(cls))

    def _read(self, document: Any) -> None:
        """`ValueError` that names what is wrong with a saved document."""
        if document is None:
            return
        wrong = set(document) ^ _FIELDS
        if wrong:
            raise ValueError(f"the saved document has a field too many or too few: {', '.join(sorted(wrong))}")
        if type(document["schema_version"]) is not int or document["schema_version"] != 1:
            raise ValueError(f"schema_version is {document['schema_version']!r}, expected 1")
        if not document["parts"] or not set(document["parts"]) <= set(_PARTS):
            raise ValueError(f"parts is {sorted(document['parts'])}, expected semantics or processor")
        for part, one in document["parts"].items():
            if not one["value"]:
                raise ValueError(f"parts.{part}.value is empty")
            self._expect_declaration(part, one["value"])
            self._expect_digest(f"parts.{part}.sha256", one["sha256"], self._digest(one["value"]))
        self._expect_digest("sha256", document["sha256"], self._whole(document["parts"], None))

    def _expect_digest(self, field: str, given: str, fits: str) -> None:
        if given != fits:
            raise ValueError(f"{field} is {given}, and what it covers has {fits}")

    def _values(self, document: Any) -> dict[str, Any]:
        return {part: one["value"] for part, one in document["parts"].items()} if document else {}

    def _differences(self, path: str, old: Any, new: Any) -> Iterator[str]:
        if isinstance(old, dict) and isinstance(new, dict):
            for key in {**old, **new}:
                yield from self._differences(_below(path, key), old.get(key, _ABSENT), new.get(key, _ABSENT))
        elif old is _ABSENT or new is _ABSENT or self._digest(old) != self._digest(new):
            yield f"{path}: {self._shown(old)} -> {self._shown(new)}"

    def _shown(self, value: Any) -> str:
        return "absent" if value is _ABSENT else json.dumps(value)


def _below(path: str, step: Any) -> str:
    if isinstance(step, int):
        return f"{path}[{step}]"
    name = step if re.fullmatch(r"[\w-]+", step) else f"[{json.dumps(step)}]"
    return f"{path}.{name}" if path and name == step else f"{path}{name}"
