"""Chapter sources, for whoever takes sources in: fingerprints that are saved, cursors that come back, held-out data."""

import re
from typing import Any

from packer_schemas import identity_digest
from packer_schemas.source_run_cases import CursorCase, FingerprintCase, OverlapCase
from packproof.driver import REFUSALS, calling, finished
from packproof.load import describe
from packproof.registry import check
from packproof.source_runs import stock
from packproof.source_runs.asking import STOCK, answered, open_call, opened, overhearing, pointing, refused, shown
from packproof.source_runs.saved_cursors import CHECKPOINT, MODES, decision, differing_words, saved_cursor
from packproof.source_runs.strategies import cursors, fingerprints, overlaps
from packproof.sources.subject import SourceSubject
from packproof.violation import CallFailed, Unexercised, Violation

__all__: list[str] = []


@check("SOURCE-11", cases=lambda *_: fingerprints())
def source_11(subject: SourceSubject, case: FingerprintCase) -> None:
    """The fingerprint in a saved cursor is made from the source's own fingerprint and its length."""
    named = {} if case.words is None else {"words": case.words}
    settings = pointing("items" if case.words is None else "worded", **named, length=case.length, of=case.of)
    call, source = open_call(case.of, settings), opened(subject, case.of, settings)
    expected = None if case.words is None else identity_digest({"fingerprint": case.words, "length": case.length})
    call = f"saved_fingerprint({call})"
    got = answered(subject, call, lambda: subject.run.saved_fingerprint(source), "a fingerprint")
    if type(got) is not type(expected) or got != expected:
        raise Violation.of(call, expected=expected, got=shown(got))


@check("SOURCE-12", cases=lambda *_: cursors())
def source_12(subject: SourceSubject, case: CursorCase) -> None:
    """cursor_resume off ignores a saved cursor, auto restores it or refuses it, and strict also refuses to go on
    without one.
    """
    named = {"words": "sums-v1"} if case.fingerprinted else {}
    named |= {} if case.of == "prompts" else {"of": case.of}
    settings = pointing("worded" if case.fingerprinted else "items", **named, length=case.length)
    source = opened(subject, case.of, settings)
    own = answered(subject, "saved_fingerprint(source)", lambda: subject.run.saved_fingerprint(source))
    saved = saved_cursor(case, own)
    told = "a new run" if saved is None else f"a checkpoint with {_TOLD.get(case.saved, f'another {case.saved}')}"
    without = "" if case.fingerprinted else ", source without a fingerprint"
    without += "" if case.of == "prompts" else f", source of {case.of}"
    call, wanted = f"decide_cursor({case.mode!r}, {told}{without})", decision(case, own)
    run = subject.run
    if wanted == "refuse":
        names = _names(case, own, settings["factory"])
        with overhearing():
            refused(subject, call, lambda: run.decide_cursor(case.mode, source, saved), *names)
        return
    with overhearing() as heard, calling(call, subject.note):
        try:
            got = finished(run.decide_cursor(case.mode, source, saved), call)
        except CallFailed:
            raise
        except REFUSALS as error:
            raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}") from None
    answer = "restore" if wanted == "restore" else "start"
    if not isinstance(got, str) or got != answer:
        raise Violation.of(call, expected=answer, got=shown(got))
    if wanted == "start and say so" and not any(heard):
        raise Violation.of(call, expected="a log record of level warning or above", got="none", fault="says nothing")


_TOLD = {
    "no cursor": "no cursor",
    "the same": "a cursor that fits",
    "no fingerprint": "no fingerprint",
    "a field less": "a document without workers",
    "an empty document": "an empty document",
    "none for this rank": "no cursor for rank 0, and one for rank 1",
    "none for another rank": "a cursor for rank 0, and none for rank 1",
}


def _names(case: CursorCase, fingerprint: Any, path: str) -> tuple[str, ...]:
    """What a refusal has to name."""
    if case.mode not in MODES:
        return ()
    if case.saved == "a new run":
        return "cursor_fingerprint", path
    if case.saved == "no cursor":
        return (CHECKPOINT,)
    return differing_words(case, fingerprint if isinstance(fingerprint, str) else None)


@check("SOURCE-14", cases=lambda *_: overlaps())
def source_14(subject: SourceSubject, case: OverlapCase) -> None:
    """Validation during training starts only when the membership ids of the training and the held-out source are known
    and have none in common.
    """
    if any(len(set(ids)) < len(ids) for ids in (case.training, case.held_out) if ids):
        raise Unexercised("an id stands twice, which is a way to spoil them")
    stock.ASKED.clear()
    sources = {name: _source_of(subject, case, name) for name in ("training", "held_out")}
    if stock.ASKED:
        opening = f"open_{case.of} of training {case.training} and of held out {case.held_out}, without validation"
        raise Violation.of(f"{opening}; calls of membership_ids()", expected="none", got=len(stock.ASKED))
    common = sorted(set(case.training or ()) & set(case.held_out or ()))
    call = f"refuse_overlap(training {case.training}, held out {case.held_out})"
    paths = {"training": f"{STOCK}.trained", "held_out": f"{STOCK}.held_out"}
    unnamed = [name for name in paths if getattr(case, name) is None]
    stock.READ.clear()

    def ask() -> Any:
        return subject.run.refuse_overlap(sources["training"], sources["held_out"])

    if unnamed:
        _expect_one_named(subject, call, ask, [paths[name] for name in unnamed])
    elif case.spoiled != "nothing":
        call = f"{call}, {case.side} with {case.spoiled}"
        refused(subject, call, ask, paths[case.side], "membership_ids")
    elif common:
        _expect_overlap_told(subject, call, ask, common, list(paths.values()))
    else:
        answered(subject, call, ask, "no objection")
    if stock.READ:
        raise Violation.of(f"{call}; items read for it", expected="none", got=", ".join(map(str, stock.READ[:8])))


def _source_of(subject: SourceSubject, case: OverlapCase, side: str) -> Any:
    """What the run makes of the settings of one side."""
    ids = getattr(case, side)
    named: dict[str, Any] = {} if ids is None else {"ids": ids}
    if ids is not None and case.side == side:
        named["spoiled"] = case.spoiled
    factory = "trained" if side == "training" else "held_out"
    return opened(subject, case.of, pointing(factory, **named, length=2 if ids is None else len(ids), of=case.of))


def _expect_one_named(subject: SourceSubject, call: str, ask: Any, paths: list[str]) -> None:
    """Demand a refusal that names the method, and the path of a source without it."""
    error = refused(subject, call, ask, "membership_ids")
    if not any(path in str(error) for path in paths):
        wanted = f"ValueError that names {' or '.join(paths)}"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}")


def _expect_overlap_told(subject: SourceSubject, call: str, ask: Any, common: list[str], paths: list[str]) -> None:
    """Demand a refusal with the number of common ids, one of them at least, and both paths."""
    error = refused(subject, call, ask, *paths)
    wanted = f"ValueError that says {len(common)} and names {' or '.join(common)}"
    counted = re.search(rf"(?<!\d){len(common)}(?!\d)", str(error))
    if not counted or not any(id in str(error) for id in common):
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}")
