"""Chapter identity, from both sides: what changes an output changes the identity, and nothing else does.

The kit changes one thing at a time in a model folder and sets up a packer on either. Whether a change decides an output
is seen on the probes, with one more that is made of the model's own added tokens.
"""

from collections.abc import Iterable

from hypothesis import strategies as st

from packer_schemas.identity_cases import ModelChangeCase
from packproof.changed_packers import Shaped, Workshop, workshop
from packproof.changes import (
    IMAGE_CHANGES,
    MODEL_TYPES,
    OPERATIONAL_CHANGES,
    OTHER_TOKENS,
    PLACEHOLDERS,
    SPECIAL_TOKEN_CHANGES,
    TEMPLATE_CHANGES,
    TOKENIZER_CHANGES,
    UNSEEN_TEMPLATE_CHANGES,
    VIDEO_CHANGES,
    ModelFiles,
    ids_exchanged,
)
from packproof.declared import entries_that_differ, first_difference, worded
from packproof.fitting import Build
from packproof.registry import check
from packproof.subject import Subject
from packproof.violation import CallFailed, NotTested, Unexercised, Violation
from packproof.vocabulary import Vocabulary

__all__: list[str] = []

_ONE_PLACE = "at one place"  # a packer that declares its path is IDENT-6's

MODEL_TYPE, TRUST_FLAG = "the model type", "the trust flag"


def _one_of(*names: str) -> Build:
    def cases(model: str | None, _: Vocabulary) -> st.SearchStrategy[ModelChangeCase]:
        return st.builds(ModelChangeCase, model=st.just(model), change=st.sampled_from(names))

    return cases


@check("IDENT-7", cases=_one_of(*TOKENIZER_CHANGES))
def ident_7(subject: Subject, case: ModelChangeCase) -> None:
    """Tokenizers of different content give different identities."""
    place = workshop(subject, case.model)
    seen = place.tried(TOKENIZER_CHANGES[case.change](place.files))
    try:
        _expect_seen(case, place.unchanged(), seen)
    except Unexercised as error:
        if "PolicyPacker" in subject.capabilities:
            raise NotTested(str(error)) from None
        raise


@check("IDENT-8", cases=_one_of(*TEMPLATE_CHANGES, *UNSEEN_TEMPLATE_CHANGES))
def ident_8(subject: Subject, case: ModelChangeCase) -> None:
    """Chat templates of different text give different identities."""
    place = workshop(subject, case.model)
    before = place.unchanged()
    if case.change in TEMPLATE_CHANGES:
        _expect_seen(case, before, place.tried(TEMPLATE_CHANGES[case.change](place.files)))
        return
    seen = [next(place.tried(change(place.files)), before) for change in TEMPLATE_CHANGES.values()]
    if not any(before.shows(one) for one in seen):
        raise Unexercised(f"no change of the template in its folder shows in what the packer renders on {case.model}")
    pairs = (place.tried(change(place.files)) for change in UNSEEN_TEMPLATE_CHANGES[case.change])
    for one, other in zip(*pairs, strict=False):
        _expect_another(case, one, other)


@check("IDENT-9", cases=_one_of(*SPECIAL_TOKEN_CHANGES))
def ident_9(subject: Subject, case: ModelChangeCase) -> None:
    """Another special-token policy, or another pad id, gives another identity."""
    place = workshop(subject, case.model)
    candidates = SPECIAL_TOKEN_CHANGES[case.change](place.files)
    _expect_seen(case, place.unchanged(), place.tried(candidates), parts=())


@check("IDENT-10", cases=_one_of(MODEL_TYPE, TRUST_FLAG))
def ident_10(subject: Subject, case: ModelChangeCase) -> None:
    """The model type, the trust flag and every other setting that decides an output are in the identity."""
    place = workshop(subject, case.model)
    if subject.built_ready or not place.files.config:
        raise Unexercised("the packer is set up on no model folder that the kit could change")
    before = place.unchanged()
    if case.change == TRUST_FLAG:
        trusted = not subject.trust_remote_code
        try:
            after = place.shaped(place.files, trust_remote_code=trusted)
        except CallFailed:
            raise Unexercised(f"setup refuses trust_remote_code={trusted}") from None  # LIFE-6 speaks
        _expect_another(case, before, after, parts=())
        return
    others = [one for one in MODEL_TYPES if one != place.files.config.get("model_type")]
    typed = (place.files.having(config={**place.files.config, "model_type": one}) for one in others)
    after = next(place.tried(typed), None)
    if after is None:
        raise Unexercised("setup takes no other model type with this tokenizer")
    _expect_another(case, before, after)


@check("IDENT-11", cases=_one_of(*IMAGE_CHANGES))
def ident_11(subject: Subject, case: ModelChangeCase) -> None:
    """Image processors of another type or with other settings give different processor declarations."""
    place = workshop(subject, case.model)
    files = _processor_of(place)
    _expect_processor(case, place.unchanged(media=True), place.tried(IMAGE_CHANGES[case.change](files)))


@check("IDENT-12", cases=_one_of(*VIDEO_CHANGES))
def ident_12(subject: Subject, case: ModelChangeCase) -> None:
    """The video processor is declared by itself, apart from the image processor."""
    place = workshop(subject, case.model)
    files = _processor_of(place)
    _expect_processor(case, place.unchanged(media=True), place.tried(VIDEO_CHANGES[case.change](files)))


@check("IDENT-13", cases=_one_of(*PLACEHOLDERS))
def ident_13(subject: Subject, case: ModelChangeCase) -> None:
    """Other placeholder ids give another processor declaration."""
    place = workshop(subject, case.model)
    files = _processor_of(place)
    exchanged, unrelated = ids_exchanged(files, case.change), ids_exchanged(files, OTHER_TOKENS)
    if exchanged is None or unrelated is None:
        raise Unexercised(f"the model has no id for {case.change}, or no other to give it")
    before = place.unchanged(media=True).declared.get("processor")
    other, after = (place.shaped(one).declared.get("processor") for one in (unrelated, exchanged))
    elsewhere, here = ({path for path, _, _ in entries_that_differ(before, one)} for one in (other, after))
    if not here - elsewhere:
        call = f"processor_semantics_identity(), with another id for {case.change}"
        fault = "an id enters as an integer, and neither by its name nor by the tokenizer's content"
        raise Violation.of(call, expected="a declaration that holds the other id", got="none of it", fault=fault)


@check("IDENT-14", cases=_one_of(*OPERATIONAL_CHANGES))
def ident_14(subject: Subject, case: ModelChangeCase) -> None:
    """A setting that changes no output is not in the identity."""
    place = workshop(subject, case.model)
    before = place.unchanged(place=_ONE_PLACE)
    if place.unchanged(place=_ONE_PLACE, take=1).digests != before.digests:
        raise Unexercised("two packers on one folder differ already, of which IDENT-6 speaks")
    for after in place.tried(OPERATIONAL_CHANGES[case.change](place.files), _ONE_PLACE):
        if before.shows(after) or after.digests == before.digests:
            continue
        path, old, new = first_difference(before.declared, after.declared)
        expected, got = f"{path} {old}, {worded(before.digests)}", f"{path} {new}, {worded(after.digests)}"
        fault = f"declared too wide: {case.change} changes no output"
        raise Violation.of(_call(case), expected=expected, got=got, fault=fault)


def _expect_seen(
    case: ModelChangeCase, before: Shaped, candidates: Iterable[Shaped], parts: tuple[str, ...] = ("processor",)
) -> None:
    """Demand another identity, in `parts` for themselves too, of the first candidate that shows in some output."""
    for after in candidates:
        shown = before.shows(after)
        if shown:
            _expect_another(case, before, after, parts, f"it shows on the probe {shown[0]!r}")
            return
    raise Unexercised(f"{case.change}: no probe shows it on {case.model}")


def _expect_another(
    case: ModelChangeCase,
    before: Shaped,
    after: Shaped,
    parts: tuple[str, ...] = ("processor",),
    shown: str = "it decides outputs",
) -> None:
    equal = [part for part in parts if part in before.digests and after.digests.get(part) == before.digests[part]]
    if equal or after.digests == before.digests:
        expected = f"another identity{f', in the part {equal[0]!r} too' if equal else ''}: {shown}"
        got = f"the same one: {worded(after.digests, equal[0] if equal else '')}"
        raise Violation.of(_call(case), expected=expected, got=got, fault=f"declared too narrow: {case.change}")


def _expect_processor(case: ModelChangeCase, before: Shaped, candidates: Iterable[Shaped]) -> None:
    after = next(iter(candidates), None)
    if after is None:
        raise Unexercised(f"{case.change}: the processor has no such setting, or setup takes no other")
    _expect_another(case, before, after, shown="it decides what media become")


def _processor_of(place: Workshop) -> ModelFiles:
    if place.subject.built_ready:
        raise Unexercised("the packer is built already set up, so that its processor cannot be changed")
    if place.media_files is None:
        raise Unexercised(f"the model {place.model} has no processor; name one that has with --packer-model")
    return place.media_files


def _call(case: ModelChangeCase) -> str:
    return f"setup({case.model!r}) with another folder: {case.change}"
