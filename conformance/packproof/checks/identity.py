"""Chapter identity: what a packer declares, in which form, and that it stays the same."""

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.canonical import canonical_json
from packer_schemas.identity import MAX_BYTES
from packer_schemas.identity_cases import Circumstance, DeclarationCase, DeclarationForm, SteadyCase
from packproof.behaviour import observed
from packproof.changed_packers import workshop
from packproof.declared import METHODS, declarations, digests, first_difference, worded
from packproof.driver import Driver, short
from packproof.elsewhere import declared_elsewhere
from packproof.gate_packers import bind, declaring_raw, odd_declaration, refused
from packproof.load import describe
from packproof.registry import check
from packproof.subject import Subject
from packproof.violation import Unexercised, Violation
from packproof.vocabulary import Vocabulary

__all__: list[str] = []

_FORMS = [form for form in get_args(DeclarationForm) if form != "as declared"]


def _as_declared(model: str | None, _: Vocabulary) -> st.SearchStrategy[DeclarationCase]:
    return st.just(DeclarationCase(model=model))


def _forms(model: str | None, _: Vocabulary) -> st.SearchStrategy[DeclarationCase]:
    forms = st.sampled_from(get_args(DeclarationForm))
    return st.builds(DeclarationCase, model=st.just(model), form=forms)


def _circumstances(model: str | None, _: Vocabulary) -> st.SearchStrategy[SteadyCase]:
    return st.builds(SteadyCase, model=st.just(model), circumstance=st.sampled_from(get_args(Circumstance)))


@check("IDENT-1", cases=_as_declared)
def ident_1(subject: Subject, case: DeclarationCase) -> None:
    """A packer declares its identity through the two protocols, and a consumer finds a declaration by isinstance
    alone.
    """
    driver = subject.on(case.model)
    packer = driver.packer
    for method in METHODS.values():
        on_class = inspect.getattr_static(type(packer), method, None)
        if on_class is None and getattr(packer, method, None) is not None:
            fault = "what only the instance or __getattr__ has is no declaration"
            raise Violation.of(f"packer.{method}", expected=f"a method of {type(packer).__name__}", fault=fault)
    found = declarations(driver)
    if "semantics" not in found:
        wanted = "a PackerSemanticsIdentity: a packer with validation_semantics_identity()"
        raise Violation.of(f"{subject.target}()", expected=wanted, got=f"{type(packer).__name__} without the method")
    for part in found if not subject.built_ready else ():
        early, method = Driver(subject.build(), driver.model, subject.note), METHODS[part]
        early.refuses(f"{method}(), before setup", getattr(early.packer, method), (Exception,), "a refusal")
    if "ResumeGate" in subject.capabilities:
        document, _ = bind(subject, declaring_raw({}), "bind(a packer with `identity` and neither method)")
        if document is not None:
            raise Violation.of(
                "bind(a packer with `identity` and neither method)", expected="no document", got=document
            )


@check("IDENT-3", cases=_forms)
def ident_3(subject: Subject, case: DeclarationCase) -> None:
    """A declaration is plain JSON data of at most 64 KiB."""
    if case.form != "as declared":
        if "ResumeGate" not in subject.capabilities:
            raise Unexercised("no resume gate named (--packer-gate), which would have to refuse it")
        declared, place = odd_declaration(case.form)
        packer = declaring_raw({"semantics": declared})
        refused(subject, f"bind(a packer that declares {case.form})", lambda: subject.gate.bind(packer), place)
        return
    driver = subject.on(case.model)
    for part, declared in declarations(driver).items():
        call = f"{METHODS[part]}()"
        if not isinstance(declared, Mapping) or not declared:
            raise Violation.of(call, expected="a mapping with an entry at least", got=short(declared))
        try:
            size = len(canonical_json(dict(declared), part))
        except (ValueError, TypeError) as error:
            raise Violation.of(call, expected="plain JSON data", got=error) from None
        if size > MAX_BYTES:
            got = f"{size} bytes"
            fault = "what is large enters as a digest of its content"
            raise Violation.of(call, expected=f"at most {MAX_BYTES} bytes of canonical JSON", got=got, fault=fault)


@check("IDENT-6", cases=_circumstances)
def ident_6(subject: Subject, case: SteadyCase) -> None:
    """Packers that were set up from the same content declare the same identity in every process, place and moment."""
    first = subject.fresh(case.model)
    before = declarations(first)
    digests_before = digests(before)  # now, for what is done next may write into it
    with first.calling("validation_semantics_identity(), copied"):
        before = deepcopy(before)
    call, after, digests_after = _again(subject, first, case.circumstance)
    if digests_after != digests_before:
        path, old, new = first_difference(before, after)
        expected, got = (f"{path} {text}, {worded(of)}" for text, of in ((old, digests_before), (new, digests_after)))
        raise Violation.of(call, expected=expected, got=got, fault=f"another identity: {case.circumstance}")


def _again(subject: Subject, first: Driver, circumstance: Circumstance) -> tuple[str, dict[str, Any], dict[str, str]]:
    """What is declared under a circumstance, its digests, and how it came about."""
    if circumstance.startswith("another process"):
        return _in_another_process(subject, first, circumstance)
    if circumstance in _ON_THE_SAME:
        _ON_THE_SAME[circumstance](subject, first)
        return _asked(f"validation_semantics_identity(), {circumstance}", first)
    if circumstance == "another instance":
        driver = subject.fresh(first.model if not subject.built_ready else None)
        return _asked(f"validation_semantics_identity() of {circumstance}", driver)
    return _from_another_folder(subject, first, circumstance)


def _asked(call: str, driver: Driver) -> tuple[str, dict[str, Any], dict[str, str]]:
    declared = declarations(driver)
    return call, declared, digests(declared)


def _used(subject: Subject, driver: Driver) -> None:
    observed(driver, subject.capabilities)


def _tokenizer_used(subject: Subject, driver: Driver) -> None:
    """Calls that leave their settings in the serialised text of a fast tokenizer; a packer's owner may make them."""
    if "UsesTokenizer" not in subject.capabilities:
        raise Unexercised("the packer shows no tokenizer")
    try:
        driver.tokenizer(["a packer", "one"], padding="max_length", max_length=8, truncation=True)
    except Exception as error:
        raise Unexercised(f"the tokenizer cannot pad and cut: {describe(error)}") from None


def _answer_written_into(_: Subject, driver: Driver) -> None:
    for declared in declarations(driver).values():
        _write_into(declared)


def _write_into(value: Any, within: tuple[int, ...] = ()) -> None:
    """Put something into every mapping and list, to any depth; `within` are those around it, by `id`."""
    if id(value) in within or not isinstance(value, (dict, list)):
        return
    for one in list(value.values() if isinstance(value, dict) else value):
        _write_into(one, (*within, id(value)))
    if isinstance(value, dict):
        value["written by the caller"] = True
    else:
        value.append("written by the caller")


_ON_THE_SAME: dict[str, Callable[[Subject, Driver], None]] = {
    "after use": _used,
    "after the tokenizer padded and cut": _tokenizer_used,
    "after the answer was written into": _answer_written_into,
}


def _from_another_folder(
    subject: Subject, first: Driver, circumstance: Circumstance
) -> tuple[str, dict[str, Any], dict[str, str]]:
    if subject.built_ready:
        raise Unexercised("the packer is built already set up, and takes no other folder")
    place = workshop(subject, first.model)
    if circumstance == "a saved and reloaded packer":
        if "SavesState" not in subject.capabilities:
            raise Unexercised("the packer does not satisfy SavesState")
        folder = place.empty()
        with first.calling("save_state(folder)"):
            first.packer.save_state(str(folder))
    else:
        folder = place.folder(place.files.reordered(), "a copy")
    driver = subject.fresh(first.model, folder=str(folder))
    return _asked(f"validation_semantics_identity() of {circumstance}", driver)


def _in_another_process(
    subject: Subject, first: Driver, circumstance: Circumstance
) -> tuple[str, dict[str, Any], dict[str, str]]:
    model, moved = first.model, circumstance == "another process, elsewhere" and not subject.built_ready
    if moved:
        place = workshop(subject, model)
        found = declared_elsewhere(subject, circumstance, model, str(place.folder(place.files)))
    else:
        found = declared_elsewhere(subject, circumstance, model)
    return f"validation_semantics_identity() in {circumstance}", found.declared, found.digests
