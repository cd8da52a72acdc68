"""Faults of chapter identity in whoever binds packers to checkpoints: gates that let too much or too little by."""

import inspect
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_gate import MiniatureGate

__all__: list[str] = []

_log = logging.getLogger(__name__)


@fault("IDENT-1")
class NamesGuessed(MiniatureGate):
    """Where neither method is there, the attributes `identity` and `fingerprint` are tried: many objects have one."""

    def _declared(self, packer: Any) -> dict[str, Any]:
        guessed = getattr(packer, "identity", getattr(packer, "fingerprint", None))
        return super()._declared(packer) or ({"semantics": {"identity": guessed}} if guessed else {})


@fault("IDENT-2")
class ValidationWarnsOnly(MiniatureGate):
    """Held-out validation runs with a packer that declares nothing, and writes a warning."""

    def expect_semantics(self, packer: Any) -> None:
        """As the miniature, without an error."""
        try:
            super().expect_semantics(packer)
        except TypeError:
            _log.debug("the packer declares nothing")


@fault("IDENT-2")
class AnyDeclarationWillDo(MiniatureGate):
    """A packer that declares its processor alone is taken for one that vouches for everything."""

    def expect_semantics(self, packer: Any) -> None:
        """As the miniature, for either protocol."""
        if "processor" not in self._declared(packer):
            super().expect_semantics(packer)


@fault("IDENT-2")
class RefusesWithoutAName(MiniatureGate):
    """The refusal says that something is missing, and neither of which packer nor what."""

    def _expect(self, part: str, packer: Any) -> None:
        try:
            super()._expect(part, packer)
        except TypeError:
            raise TypeError("the packer cannot be used for validation") from None


@fault("IDENT-3")
class TuplesTakenForLists(MiniatureGate):
    """What is declared goes through a JSON writer first, which makes lists of tuples and texts of numbers for keys."""

    def _declared(self, packer: Any) -> dict[str, Any]:
        found = super()._declared(packer)
        try:
            return {part: json.loads(json.dumps(value)) for part, value in found.items()}
        except (TypeError, ValueError):
            return found


@fault("IDENT-3")
class StringsForTheRest(MiniatureGate):
    """What JSON has no word for is written by `str()`, a set and an address among it."""

    def _declared(self, packer: Any) -> dict[str, Any]:
        return {part: self._made_plain(value) for part, value in super()._declared(packer).items()}

    def _made_plain(self, value: Any) -> Any:
        if type(value) in (dict, list):
            pairs = value.items() if type(value) is dict else enumerate(value)
            made = {key: self._made_plain(one) for key, one in pairs}
            return made if type(value) is dict else list(made.values())
        return value if type(value) in (str, int, float, bool, type(None), tuple, bytes) else str(value)


@fault("IDENT-3")
class AnySize(MiniatureGate):
    """No declaration is too large, so that checkpoints carry vocabularies."""

    def _expect_declaration(self, part: str, value: Any) -> None:
        try:
            super()._expect_declaration(part, value)
        except ValueError as error:
            if "bytes, expected at most" not in str(error):
                raise


@fault("IDENT-4")
class BoolAndIntConfused(MiniatureGate):
    """`True` is written as 1, for Python compares them equal."""

    def _canonical(self, value: Any) -> bytes:
        return super()._canonical(_mapped(value, lambda one: int(one) if isinstance(one, bool) else one))


@fault("IDENT-4")
class OneNumberType(MiniatureGate):
    """Whole floats are written as integers, as a language with one number type does."""

    def _canonical(self, value: Any) -> bytes:
        return super()._canonical(_mapped(value, lambda one: int(one) if type(one) is float and one % 1 == 0 else one))


@fault("IDENT-4")
class SixDigits(MiniatureGate):
    """Floats are written with six digits, so that two rates are one."""

    def _canonical(self, value: Any) -> bytes:
        return super()._canonical(_mapped(value, lambda one: float(f"{one:.6g}") if type(one) is float else one))


@fault("IDENT-4")
class KeysAsTheyCome(MiniatureGate):
    """Keys are written in the order in which the packer put them in."""

    def _canonical(self, value: Any) -> bytes:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


@fault("IDENT-4")
class AsciiOnly(MiniatureGate):
    """Letters beyond ASCII are escaped, which is JSON and not the canonical form."""

    def _canonical(self, value: Any) -> bytes:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


@fault("IDENT-4", "IDENT-15")
class BlanksBetween(MiniatureGate):
    """A blank stands behind every comma, which is good to read and not the canonical form."""

    def _canonical(self, value: Any) -> bytes:
        return json.dumps(value, sort_keys=True, separators=(", ", ":"), ensure_ascii=False, allow_nan=False).encode()


@fault("IDENT-5")
class DigestOverEverything(MiniatureGate):
    """The digest covers the name of the class too, and a class that moves to another module is another identity."""

    def _whole(self, parts: Mapping[str, Any], packer: Any) -> str:
        digests = {part: one["sha256"] for part, one in parts.items()}
        return self._digest(digests | ({} if packer is None else {"packer": self._name(packer)}))

    def _read(self, document: Any) -> None:
        super()._read(document and document | {"sha256": self._whole(document["parts"], None)})


@fault("IDENT-5")
class PartForEveryProtocol(MiniatureGate):
    """A part that is not declared stands in the document as null."""

    def _document(self, packer: Any) -> dict[str, Any] | None:
        document = super()._document(packer)
        return document and document | {"parts": {"semantics": None, "processor": None, **document["parts"]}}

    def _values(self, document: Any) -> dict[str, Any]:
        kept = document and document | {"parts": {name: one for name, one in document["parts"].items() if one}}
        return super()._values(kept)

    def _read(self, document: Any) -> None:
        super()._read(document and document | {"parts": {name: one for name, one in document["parts"].items() if one}})


@fault("IDENT-5")
class DigestsTrusted(MiniatureGate):
    """The digests of a saved document are believed, so that one edited by hand is an identity."""

    def _expect_digest(self, field: str, given: str, fits: str) -> None:
        pass


@fault("IDENT-5")
class LayoutIgnored(MiniatureGate):
    """A saved document of another layout is read as if it had this one."""

    def _read(self, document: Any) -> None:
        super()._read(document and document | {"schema_version": 1})


@fault("IDENT-5")
class MoreFieldsTaken(MiniatureGate):
    """Fields that a document does not have by the specification are passed over."""

    def _read(self, document: Any) -> None:
        fields = ("schema_version", "packer", "parts", "sha256")
        super()._read(document and {name: one for name, one in document.items() if name in fields})


@fault("IDENT-15")
class SourceLeftOut(MiniatureGate):
    """No source is bound, so that an edited method resumes under the old name."""

    def _source(self, cls: type) -> str | None:
        return None


@fault("IDENT-15")
class SourceOfTheModule(MiniatureGate):
    """The whole module is hashed, and a comment on another class ends every lineage."""

    def _text(self, cls: type) -> str:
        module = inspect.getmodule(cls)
        return inspect.getsource(module or cls) if super()._text(cls) else ""


@fault("IDENT-15")
class BasesLeftOut(MiniatureGate):
    """Only the class itself is hashed, and what it inherits may change."""

    def _source(self, cls: type) -> str | None:
        try:
            return self._digest([self._text(cls)])
        except (OSError, TypeError):
            return None


@fault("IDENT-15")
class SourceAsIndented(MiniatureGate):
    """The text is hashed with its indentation, so that a class that moves into a function is another one."""

    def _text(self, cls: type) -> str:
        return inspect.getsource(cls)


@fault("IDENT-15")
class NameForSource(MiniatureGate):
    """Where no source can be had the name of the class is hashed in its place, which equals itself for ever."""

    def _source(self, cls: type) -> str | None:
        return super()._source(cls) or self._digest([cls.__qualname__])


@fault("IDENT-16")
class WarnsAndGoesOn(MiniatureGate):
    """A difference is a line in the log, and the run goes on."""

    def _decide(self, differences: list[str], same_source: bool) -> None:
        _log.debug("another identity: %s", differences)


@fault("IDENT-16", report="https://github.com/dhruvdcoder/xlm-core/issues/50")
class OnlyTheNamesCompared(MiniatureGate):
    """Fields are compared by their names, and a value that changed is no difference.

    Data of one tokenizer was loaded under another in https://github.com/dhruvdcoder/xlm-core/issues/50.
    """

    def _decide(self, differences: list[str], same_source: bool) -> None:
        super()._decide([one for one in differences if "absent" in one], same_source)


@fault("IDENT-16")
class DigestsShown(MiniatureGate):
    """The refusal says that the digests differ, and not in which field."""

    def _decide(self, differences: list[str], same_source: bool) -> None:
        super()._decide(["sha256"] * bool(differences), same_source)


@fault("IDENT-16")
class FirstFieldShown(MiniatureGate):
    """The refusal names one field, and the next run the second one."""

    def _decide(self, differences: list[str], same_source: bool) -> None:
        super()._decide(differences[:1], same_source)


@fault("IDENT-16")
class NoAdvice(MiniatureGate):
    """The refusal does not say what to do."""

    def _decide(self, differences: list[str], same_source: bool) -> None:
        if differences or not same_source:
            raise ValueError("\n".join(differences) or "another source")


@fault("IDENT-16")
class SourceIgnored(MiniatureGate):
    """A class whose source changed resumes, as its declaration is the same."""

    def _decide(self, differences: list[str], same_source: bool) -> None:
        super()._decide(differences, True)


@fault("IDENT-16")
class ClassNameDecides(MiniatureGate):
    """The name of the class is compared along with the rest, and a moved class is refused."""

    def _values(self, document: Any) -> dict[str, Any]:
        return super()._values(document) | ({"packer": document["packer"]} if document else {})


@fault("IDENT-16")
class SavedOneOverwritten(MiniatureGate):
    """The saved document is brought up to date by the resume, so that the next one has nothing to compare."""

    def admit(self, saved: Mapping[str, Any], packer: Any) -> None:
        """As the miniature; writes into what was saved."""
        super().admit(saved, packer)
        if isinstance(saved, dict):
            saved.update(self.bind(packer))


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with every scalar in it changed."""
    if isinstance(value, Mapping):
        return {key: _mapped(one, change) for key, one in value.items()}
    return [_mapped(one, change) for one in value] if isinstance(value, list) else change(value)
