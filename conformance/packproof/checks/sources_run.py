"""Chapter sources, for whoever takes sources in: what is configured, how its factory is called, what is refused."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from packer_schemas.source_run_cases import (
    FactoryCallCase,
    PathKey,
    PathKind,
    PreflightCase,
    ReturnedCase,
    SelectorsCase,
    UnreachableCase,
)
from packproof.driver import REFUSALS, short
from packproof.load import describe
from packproof.registry import check
from packproof.source_runs import stock
from packproof.source_runs.asking import (
    STOCK,
    answered,
    item_of,
    message_of,
    open_call,
    opened,
    pointing,
    refused,
    shown,
)
from packproof.source_runs.no_sources import TYPES, WORDS
from packproof.source_runs.spelling import spelled
from packproof.source_runs.strategies import factory_calls, preflights, returned_things, selectors, unreachable_paths
from packproof.sources.subject import SourceSubject
from packproof.violation import Unexercised, Violation

__all__: list[str] = []


@check("SOURCE-1", cases=lambda *_: factory_calls())
def source_1(subject: SourceSubject, case: FactoryCallCase) -> None:
    """A source is built in its owning process, by one call of its factory with exactly the keyword arguments that the
    resolved configuration records.
    """
    factory = f"{STOCK}.{'echo' if case.of == 'prompts' else 'echo_pair'}"
    settings: dict[str, Any] = {"factory": factory} | ({"factory_kwargs": case.kwargs} if case.kwargs else {})
    given, call = deepcopy(settings), open_call(case.of, settings)
    stock.CALLED.clear()
    item = item_of(subject, opened(subject, case.of, given), 0, call)
    got = item.get("prompt") if isinstance(item, dict) else item[0]
    expected = spelled({"positional": [], "named": case.kwargs})
    if not isinstance(got, str) or got != expected:
        found = got if isinstance(got, str) else shown(got)
        raise Violation.of(f"{call}; what the factory was called with", expected=expected, got=found)
    if len(stock.CALLED) > 1:
        raise Violation.of(f"{call}; calls of the factory", expected=1, got=len(stock.CALLED))
    if spelled(given) != spelled(settings):
        raise Violation.of(f"{call}; its settings afterwards", expected=settings, got=given)
    _expect_recorded(subject, given, {"factory": factory, "factory_kwargs": case.kwargs})


def _expect_recorded(subject: SourceSubject, settings: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    call = f"recorded({short(dict(settings))})"
    found = answered(subject, call, lambda: dict(subject.run.recorded(settings)))
    for name, value in expected.items():
        got = answered(subject, call, lambda name=name: spelled(found[name]) if name in found else "nothing")
        if got != spelled(value):
            raise Violation.of(f"{call}; {name}", expected=spelled(value), got=got)


@check("SOURCE-2", cases=lambda *_: returned_things())
def source_2(subject: SourceSubject, case: ReturnedCase) -> None:
    """A factory that returns anything but a non-empty map-style object is refused."""
    settings = pointing("returning", module="packproof.source_runs.no_sources", what=case.what)
    call = f"{open_call(case.of, settings)}, which returns {case.what}"
    types = [TYPES[case.what]] if case.what in TYPES else []
    error = refused(subject, call, lambda: _asked(subject, case.of)(settings), *types, kinds=REFUSALS)
    words = WORDS.get(case.what, ())
    if words and not any(word in message_of(error) for word in words):
        wanted, fault = f"an error that says {words[0]}", "the message does not say what is wrong"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault=fault)


@check("SOURCE-15", cases=lambda *_: selectors())
def source_15(subject: SourceSubject, case: SelectorsCase) -> None:
    """More than one selector of a source is refused with ValueError that names the ones that are set."""
    _expect_selectors(case)
    settings: dict[str, Any] = {"factory": f"{STOCK}.items"} if case.factory else {}
    if case.kwargs or (case.factory and case.of == "preferences"):
        settings["factory_kwargs"] = {"of": case.of}
    settings |= case.others
    chosen = {name: value for name, value in settings.items() if value and name != "factory_kwargs"}
    call = open_call(case.of, settings)
    stock.CALLED.clear()
    if len(chosen) > 1:
        names = [text for name, value in chosen.items() for text in (name, str(value))]
        refused(subject, call, lambda: _asked(subject, case.of)(settings), *names)
        if stock.CALLED:
            raise Violation.of(call, expected="no source opened", got="a call of the factory before the refusal")
    elif not case.factory and case.kwargs:
        refused(subject, call, lambda: _asked(subject, case.of)(settings), "factory_kwargs")
    elif case.factory:
        opened(subject, case.of, settings)
    else:
        raise Unexercised("one built-in source, or none, and nothing that excludes it")


def _expect_selectors(case: SelectorsCase) -> None:
    """`Unexercised` for a selector of the other kind of source, or a value that is none of its type."""
    own = ("path", "name") if case.of == "prompts" else ("jsonl_path", "tar_path", "synthetic_pairs")
    for name, value in case.others.items():
        if name not in own or (value is not None and isinstance(value, int) != (name == "synthetic_pairs")):
            raise Unexercised(f"{name}={value!r} is no selector of {case.of}")


@check("SOURCE-16", cases=lambda *_: preflights())
def source_16(subject: SourceSubject, case: PreflightCase) -> None:
    """Every configured dotted path is imported by the driver before anything is placed, and none is called there."""
    if not case.validation and case.key.startswith("rl.validation"):
        raise Unexercised("a setting of validation, and no validation")
    config = _config(case.key, case.path)
    without = "" if case.validation else " and without rl.validation"
    if not case.validation:
        del config["rl"]["validation"]
    call = f"preflight(a configuration with {case.key}={_PATHS[case.path]!r}{without})"
    stock.CALLED.clear()
    if case.path == "good":
        answered(subject, call, lambda: subject.run.preflight(config), "no objection")
    else:
        refused(subject, call, lambda: subject.run.preflight(config), kinds=(Exception,))
    if stock.CALLED:
        raise Violation.of(call, expected="no call of a factory", got=f"{len(stock.CALLED)} of them")


def _config(key: PathKey, path: PathKind) -> dict[str, Any]:
    """A configuration in which every path is good, apart from the one of `key`."""
    good = _PATHS["good"]
    data = {"factory": good, "factory_kwargs": {}, "items_fn": f"{STOCK}.capitals"}
    packers = {"factory": good, "teacher_model_factory": good}
    config = {"rl": {"data": data, "validation": {"data": dict(data)}}, "data_packer": packers}
    section: dict[str, Any] = config
    *steps, name = key.split(".")
    for step in steps:
        section = section[step]
    section[name] = _PATHS[path]
    return config


_PATHS: dict[str, str] = {
    "good": f"{STOCK}.uncalled",
    "no such package": "no_such_package_at_all.rows.build",
    "no such module": "packproof.source_runs.no_such_module.build",
    "no such name": f"{STOCK}.no_such_name",
    "not callable": f"{STOCK}.NOT_CALLABLE",
    "no dot": "no_dot_in_here",
    "a module that raises": "packproof.source_runs.raising_module.build",
}


@check("SOURCE-17", cases=lambda *_: unreachable_paths())
def source_17(subject: SourceSubject, case: UnreachableCase) -> None:
    """Every failure to get a source names the dotted path that was configured for it."""
    settings = _unreachable(case)
    call = open_call(case.of, settings)
    if case.why == "returns nothing":
        _expect_path_if_refused(subject, case, settings, call)
        return
    error = refused(subject, call, lambda: _asked(subject, case.of)(settings), settings["factory"], kinds=(Exception,))
    if case.why == "raises":
        _expect_cause(call, error, case.raised)


def _unreachable(case: UnreachableCase) -> dict[str, Any]:
    if case.why == "raises":
        return pointing("raising", name=case.raised)
    if case.why == "returns nothing":
        return pointing("returning", module="packproof.source_runs.no_sources", what="nothing")
    return {"factory": _PATHS[case.why]}


def _expect_path_if_refused(subject: SourceSubject, case: UnreachableCase, settings: dict[str, Any], call: str) -> None:
    """Demand the path in the refusal of what is no source; that it is refused at all is SOURCE-2."""
    try:
        refused(subject, call, lambda: _asked(subject, case.of)(settings), settings["factory"], kinds=REFUSALS)
    except Violation as error:
        if error.counterexample.fault.startswith("the message does not name"):
            raise
        raise Unexercised("what is no source is not refused: see SOURCE-2") from None


def _expect_cause(call: str, error: BaseException, raised: str) -> None:
    """Demand that what the factory raised is a cause of the error, directly or not."""
    cause, causes = error.__cause__, []
    while cause is not None and len(causes) < 10:
        causes.append(type(cause).__name__)
        cause = cause.__cause__
    if raised not in causes:
        got = f"{type(error).__name__}, caused by {' and '.join(causes) or 'nothing'}"
        raise Violation.of(call, expected=f"an error caused by the {raised} of the factory", got=got)


def _asked(subject: SourceSubject, of: str) -> Any:
    return subject.run.open_prompts if of == "prompts" else subject.run.open_preferences
