"""Chapter identity, for whoever binds packers to checkpoints: documents, class sources, and the resume gate."""

import hashlib
import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from packer_schemas.canonical import identity_digest
from packer_schemas.identity_cases import ClassSourceCase, Declared, DocumentCase, ResumeCase, Spoiled, ValueCase
from packproof.class_sources import class_on_disk
from packproof.declared import ABSENT, METHODS, entries_that_differ
from packproof.described import described
from packproof.driver import calling, finished, short
from packproof.gate_packers import bind, declaring, refused
from packproof.load import describe
from packproof.registry import check
from packproof.strategies_gates import class_sources, declaring_anything, documents, json_values, resumes
from packproof.subject import Subject
from packproof.violation import Unexercised, Violation

__all__: list[str] = []


@check("IDENT-2", cases=lambda *_: declaring_anything())
def ident_2(subject: Subject, case: DocumentCase) -> None:
    """Held-out validation refuses a packer that declares no semantics identity."""
    packer = declaring(case.declared)
    for part, method in METHODS.items():
        expect = f"expect_{part}"
        call, ask = f"{expect}({_worded(case.declared)})", getattr(subject.gate, expect)
        if getattr(case.declared, part) is None:
            refused(subject, call, lambda ask=ask: ask(packer), "GatePacker", method)
        else:
            _admitted(subject, call, lambda ask=ask: ask(packer))


@check("IDENT-4", cases=lambda *_: json_values())
def ident_4(subject: Subject, case: ValueCase) -> None:
    """Equal JSON values have one canonical form, byte for byte, and different values have different forms."""
    for value, told in ((case.value, ""), (_turned_round(case.value), ", keys in the opposite order")):
        call = f"bind(a packer that declares {{'value': {case.value!r}}}{told})"
        document, _ = bind(subject, declaring(Declared(semantics={"value": value})), call)
        expected, got = identity_digest({"value": case.value}), _digest_of(document, "semantics")
        if got != expected:
            raise Violation.of(f"{call}; the digest of semantics", expected=expected, got=got)


@check("IDENT-5", cases=lambda *_: documents())
def ident_5(subject: Subject, case: DocumentCase) -> None:
    """The identity document holds every declaration with its digest, and one digest over these."""
    packer, call = declaring(case.declared), f"bind({_worded(case.declared)})"
    document, source = bind(subject, packer, call)
    parts = case.declared.model_dump(exclude_none=True)
    if not parts:
        raise Unexercised("nothing is declared, of which IDENT-1 speaks")
    if document is None:
        raise Violation.of(call, expected="a document", got=document)
    _expect_document(subject, call, parts, document)
    if case.spoiled == "nothing":
        moved, _ = bind(subject, declaring(case.declared, "Moved"), f"{call}, of another class")
        got = (moved or {}).get("sha256")
        if got != document["sha256"]:
            raise Violation.of(f"{call}, of another class; sha256", expected=document["sha256"], got=got)
        return
    saved = {"identity": _spoiled(document, case.spoiled), "class_source_sha256": source}
    call = f"admit(a document in which {case.spoiled} was edited, the same packer)"
    refused(subject, call, lambda: subject.gate.admit(saved, packer), _FIELD[case.spoiled], kinds=(ValueError,))


@check("IDENT-15", cases=lambda *_: class_sources())
def ident_15(subject: Subject, case: ClassSourceCase) -> None:
    """Whoever binds an identity binds the source of the packer's class beside it, as a digest of its own."""
    with class_on_disk(case) as (packer, texts):
        expected = identity_digest(texts)
        _, got = bind(subject, packer, "bind(a packer of a class in a file)")
    if got != expected:
        call = f"bind(a packer whose class and bases have the sources {texts}); class_source_sha256"
        raise Violation.of(call, expected=expected, got=got)
    call = "bind(a packer of a class without a source); class_source_sha256"
    _, got = bind(subject, type("Made", (), {})(), call)
    if got is not None:
        raise Violation.of(call, expected=None, got=got)


@check("IDENT-16", cases=lambda *_: resumes())
def ident_16(subject: Subject, case: ResumeCase) -> None:
    """A resume under another identity is refused, with the fields that differ and the advice to start a fresh run."""
    live = declaring(case.live)
    saved: dict[str, Any] = {"identity": bind(subject, declaring(case.saved))[0]}
    saved["class_source_sha256"] = bind(subject, live)[1]
    if saved["identity"] is not None:
        saved["identity"]["packer"] = "another.module.Packer"  # decides nothing
    if not case.same_source:
        saved["class_source_sha256"] = hashlib.sha256(b"what the class was").hexdigest()
    kept = deepcopy(saved)
    differing = entries_that_differ(*(one.model_dump(exclude_none=True) for one in (case.saved, case.live)))
    call = f"admit({_worded(case.saved)}, {_worded(case.live)}{'' if case.same_source else ', of another source'})"
    if differing or not case.same_source:
        one_sided = (case.saved == Declared()) != (case.live == Declared())
        named = [] if one_sided else [text for one in differing for text in _named(*one)]
        refused(subject, call, lambda: subject.gate.admit(saved, live), *named, "fresh run", kinds=(ValueError,))
    else:
        _admitted(subject, call, lambda: subject.gate.admit(saved, live))
    if saved != kept:
        raise Violation.of(call, expected="the saved mapping as it was", got="a changed one")


def _admitted(subject: Subject, call: str, ask: Callable[[], Any]) -> None:
    """Demand that the gate has nothing against it."""
    with calling(call, subject.note):
        try:
            finished(ask(), call)
        except (ValueError, TypeError) as error:
            raise Violation.of(call, expected="no objection", got=f"raised {describe(error)}") from None


def _named(path: str, *values: Any) -> list[str]:
    """What a refusal says of one difference: the path, and both values, of which texts and containers are shortened."""
    plain = [one for one in values if one is ABSENT or not isinstance(one, (str, dict, list))]
    return [path, *("absent" if one is ABSENT else json.dumps(one) for one in plain)]


def _worded(declared: Declared) -> str:
    parts = declared.model_dump(exclude_none=True)
    said = " and ".join(f"{part} {short(value)}" for part, value in parts.items())
    return f"a packer that declares {said or 'nothing'}"


def _turned_round(value: Any) -> Any:
    """The same value, in which the keys of objects were put in the other way round."""
    if isinstance(value, dict):
        return {key: _turned_round(value[key]) for key in reversed(value)}
    return [_turned_round(one) for one in value] if isinstance(value, list) else value


def _digest_of(document: dict[str, Any] | None, part: str) -> Any:
    try:
        return (document or {})["parts"][part]["sha256"]
    except (KeyError, TypeError):
        return "no such field"


def _expect_document(subject: Subject, call: str, parts: dict[str, Any], document: dict[str, Any]) -> None:
    """A document with these values, whose digest over those of its parts is what the gate gives for them as a value."""
    fields = ["schema_version", "packer", "parts", "sha256"]
    if sorted(document) != sorted(fields):
        raise Violation.of(f"{call}; its fields", expected=", ".join(fields), got=", ".join(document))
    if type(document["schema_version"]) is not int or document["schema_version"] != 1:
        raise Violation.of(f"{call}; schema_version", expected=1, got=document["schema_version"])
    values = {name: one.get("value") if isinstance(one, dict) else one for name, one in document["parts"].items()}
    if described(values) != described(parts):
        raise Violation.of(f"{call}; the values of its parts", expected=parts, got=values)
    digests = {name: _digest_of(document, name) for name in parts}
    told = f"bind(a packer that declares {short(digests)}); the digest of semantics"
    whole = _digest_of(bind(subject, declaring(Declared(semantics=digests)), told)[0], "semantics")
    if document["sha256"] != whole:
        raise Violation.of(f"{call}; sha256, over the digests of its parts", expected=whole, got=document["sha256"])


def _spoiled(document: dict[str, Any], how: Spoiled) -> dict[str, Any]:
    """A copy of a document with one thing wrong, and digests that fit as far as they can."""
    document = deepcopy(document)
    part = next(iter(document["parts"].values()))
    if how == "the digest of a part":
        part["sha256"] = _WRONG
    elif how == "the digest of the whole":
        document["sha256"] = _WRONG
    elif how == "a value":
        part["value"]["edited by hand"] = True
    elif how == "a field less":
        del document["packer"]
    elif how == "a field more":
        document["comment"] = "edited by hand"
    elif how == "schema_version":
        document["schema_version"] = 2
    elif how == "no parts":
        document["parts"] = {}
    elif how == "another part":
        document["parts"]["tokenizer"] = part
    elif how == "an empty value":
        part |= {"value": {}, "sha256": identity_digest({})}
    if how not in ("the digest of a part", "the digest of the whole"):
        document["sha256"] = identity_digest({name: one["sha256"] for name, one in document["parts"].items()})
    return document


_WRONG = "0" * 64

_FIELD: dict[Spoiled, str] = {
    "the digest of a part": "sha256",
    "the digest of the whole": "sha256",
    "a value": "parts",
    "a field less": "packer",
    "a field more": "comment",
    "schema_version": "schema_version",
    "no parts": "parts",
    "another part": "parts",
    "an empty value": "value",
}
"""What a refusal of a spoiled document has to name."""
