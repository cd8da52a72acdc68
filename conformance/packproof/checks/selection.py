"""Chapter selection: which packer a model gets, for a module that offers `init_data_packer` and its kin."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import strategies as st

from packer_schemas.build_spec import DataPackerBuildSpec
from packer_schemas.cases import SelectionCase
from packer_schemas.protocols import PolicyPacker, RolloutPacker
from packproof.capabilities import satisfies
from packproof.driver import REFUSALS, Driver, short
from packproof.fitting import Cases
from packproof.model_folders import model_folder
from packproof.models import model_path
from packproof.registry import check
from packproof.subject import Subject
from packproof.violation import CallFailed, Unexercised, Violation
from packproof.wrong_factories import WRONG_FACTORIES

_CAUSAL_ONLY = ("opt", "gptj", "phi", "bloom")
_TWO_HEADED = ("bert", "roberta", "electra", "t5", "bart")
_CLAIMED = "codegen"
_numbers = itertools.count(1)  # for a model type that nobody has claimed yet, whatever the module under test keeps


def _configs(*model_types: str, **more: Any) -> Cases:
    cases = [SelectionCase(config={"model_type": kind, **more}) for kind in model_types]

    def unfit(case: SelectionCase, _: Driver) -> str:
        wanted = "" if case.config.get("model_type") in model_types else ", ".join(model_types)
        return wanted and f"its config has no model_type of {wanted}"

    return Cases(lambda *_: st.sampled_from(cases), unfit)


def _any_config(case: SelectionCase, _: Driver) -> str:
    return "" if isinstance(case.config.get("model_type"), str) else "its config has no model_type"


_any_model = Cases(_configs("gpt2").build, _any_config)


@check("SEL-1", cases=_any_model)
def sel_1(subject: Subject, case: SelectionCase) -> None:
    """An explicit packer wins, and is set up with the model's name."""
    driver, packer, calls = _recorded(subject)
    with model_folder(case.config) as folder, driver.calling("init_data_packer(folder, packer=mine)"):
        got = subject.selection.init_data_packer(folder, packer=packer)
    if got is not packer:
        raise Violation.of(driver.last_call, expected="the packer given", got=f"another {type(got).__name__}")
    if [name for name, _ in calls] != [folder]:
        names = [("the folder" if name == folder else name) for name, _ in calls]
        got = f"setup called with {', '.join(map(repr, names))}" if names else "setup was not called"
        raise Violation.of(driver.last_call, expected="setup(folder), once", got=got)


@check("SEL-2", cases=_any_model)
def sel_2(subject: Subject, case: SelectionCase) -> None:
    """Registering another class for a claimed model type raises ValueError unless allow_override is true."""
    driver, select = _driver(subject), subject.selection
    first, second = _subclass(subject, "First"), _subclass(subject, "Second")
    with driver.calling("register([type], First, allow_override=True)"):
        select.register([_CLAIMED], first, allow_override=True)
    with driver.calling("register([type], First), once more"):
        select.register([_CLAIMED], first)
    driver.refuses("register([type], Second)", lambda: select.register([_CLAIMED], second), (ValueError,))
    call, unclaimed = "register([unclaimed, type], Second)", f"unclaimed-{next(_numbers)}"
    driver.refuses(call, lambda: select.register([unclaimed, _CLAIMED], second), (ValueError,))
    for kind, name in ((_CLAIMED, "type"), (unclaimed, "unclaimed")):
        if _selected(subject, kind) is second:
            call = f"{call}, refused; init_data_packer(folder of {name})"
            raise Violation.of(call, expected="no Second", got="a Second")
    call = "register([type], Second, allow_override=True)"
    with driver.calling(call):
        select.register([_CLAIMED], second, allow_override=True)
    if _selected(subject, _CLAIMED) is first:  # SEL-3 speaks of other classes
        raise Violation.of(f"{call}; init_data_packer(folder of type)", expected="a Second", got="a First")


@check("SEL-3", cases=Cases(_configs(_CLAIMED).build, _any_config))
def sel_3(subject: Subject, case: SelectionCase) -> None:
    """A registered model type selects a fresh packer of its registered class."""
    driver, select, mine = _driver(subject), subject.selection, _subclass(subject, "Registered")
    kind = str(case.config["model_type"])
    call = f"register([{kind!r}], Registered); init_data_packer(folder of {kind!r})"
    with model_folder(case.config) as folder, driver.calling(call):
        select.register([kind], mine, allow_override=True)
        first, second = select.init_data_packer(folder), select.init_data_packer(folder)
    if type(first) is not mine:
        raise Violation.of(call, expected="a Registered", got=f"a {type(first).__name__}")
    if first is second:
        raise Violation.of(f"{call}, twice", expected="two packers", got="one packer, returned twice")


@check("SEL-4", cases=_configs(*_CAUSAL_ONLY))
def sel_4(subject: Subject, case: SelectionCase) -> None:
    """An unregistered causal-only model type selects a text packer."""
    driver = _driver(subject)
    with model_folder(case.config) as folder, driver.calling(_call(case)):
        packer = subject.selection.init_data_packer(folder, model_backend=case.model_backend)
    if isinstance(packer, type) or not (satisfies(packer, PolicyPacker) and satisfies(packer, RolloutPacker)):
        raise Violation.of(driver.last_call, expected="a text packer", got=short(packer))


@check("SEL-5", cases=_configs(*_TWO_HEADED))
def sel_5(subject: Subject, case: SelectionCase) -> None:
    """A model type that also has a masked or sequence-to-sequence head is refused, never taken for text."""
    with model_folder(case.config) as folder:
        _driver(subject).refuses(_call(case), lambda: subject.selection.init_data_packer(folder))


@check("SEL-6", cases=_configs("vipllava", "paligemma", vision_config={}, text_config={}))
def sel_6(subject: Subject, case: SelectionCase) -> None:
    """An unregistered vision model on the native path is refused with a message that names its type and the hf
    backend.
    """
    with model_folder(case.config) as folder:
        for backend in (None, "i4"):
            wanted = (str(case.config["model_type"]), "hf")
            run = partial(subject.selection.init_data_packer, folder, None, False, backend)
            _refused_naming(subject, _call(case), run, wanted)


@check("SEL-7", cases=_any_model)
def sel_7(subject: Subject, case: SelectionCase) -> None:
    """An unknown model_backend is refused with ValueError."""
    call = f"{_call(case)[:-1]}, model_backend='no-such-backend')"
    with model_folder(case.config) as folder:
        run = lambda: subject.selection.init_data_packer(folder, model_backend="no-such-backend")  # noqa: E731
        _driver(subject).refuses(call, run, (ValueError,))


@check("SEL-8", cases=_any_model)
def sel_8(subject: Subject, case: SelectionCase) -> None:
    """A factory path that cannot be imported is refused with a message that holds the path."""
    for path in ("no_such_package.packers.make", "packproof.wrong_factories.no_such_factory"):
        _refused_naming(subject, f"build_packer(factory={path!r})", lambda: _build(subject, path), (path,))  # noqa: B023


@check("SEL-9", cases=_any_model)
def sel_9(subject: Subject, case: SelectionCase) -> None:
    """A factory that returns anything but a packer is refused with a message that holds its path."""
    for path in WRONG_FACTORIES:
        _refused_naming(subject, f"build_packer(factory={path!r})", lambda: _build(subject, path), (path,))  # noqa: B023


@check("SEL-10", cases=_any_model)
def sel_10(subject: Subject, case: SelectionCase) -> None:
    """Building twice from one spec gives two packers, both set up."""
    driver, path = _driver(subject), subject.target.replace(":", ".")
    if "<" in path:
        raise Unexercised("the factory has no importable path")
    call = f"build_packer(factory={path!r}), twice"
    with driver.calling(call):
        first, second = _build(subject, path), _build(subject, path)
    if first is second:
        raise Violation.of(call, expected="two packers", got="one packer, returned twice")
    idle = [packer for packer in (first, second) if getattr(packer, "tokenizer", None) is None]
    if idle and "UsesTokenizer" in subject.capabilities:
        raise Violation.of(call, expected="packers set up", got="a packer without its tokenizer")


@check("SEL-11", cases=_any_model)
def sel_11(subject: Subject, case: SelectionCase) -> None:
    """trust_remote_code is off unless asked for, and reaches setup as asked."""
    with model_folder(case.config) as folder:
        for given in ({}, {"trust_remote_code": True}):
            driver, packer, calls = _recorded(subject)
            call = f"init_data_packer(folder, packer=mine{', trust_remote_code=True' if given else ''})"
            with driver.calling(call):
                subject.selection.init_data_packer(folder, packer=packer, **given)
            wanted = bool(given)
            if any(flag is not wanted for _, flag in calls):
                got = f"setup with trust_remote_code={calls[-1][1]}"
                raise Violation.of(call, expected=f"setup with trust_remote_code={wanted}", got=got)


def _driver(subject: Subject) -> Driver:
    return Driver(None, "a folder", subject.note)


def _recorded(subject: Subject) -> tuple[Driver, Any, list[tuple[str, bool]]]:
    """A packer from the subject's factory that writes down what its setup is called with."""
    packer, calls = subject.build(), []

    def setup(name_or_path: str, trust_remote_code: bool = False) -> None:
        calls.append((name_or_path, trust_remote_code))

    packer.setup = setup
    return _driver(subject), packer, calls


def _selected(subject: Subject, kind: str) -> type | None:
    """The class of the packer that a model type gets; None where it is refused."""
    with model_folder({"model_type": kind}) as folder:
        try:
            with _driver(subject).calling(f"init_data_packer(folder of {kind!r})"):
                return type(subject.selection.init_data_packer(folder))
        except CallFailed:
            return None


def _subclass(subject: Subject, name: str) -> type:
    return type(name, (type(subject.build()),), {"__doc__": "A packer class of its own, for the registry."})


def _build(subject: Subject, path: str) -> Any:
    return subject.selection.build_packer(DataPackerBuildSpec(name_or_path=str(model_path("tiny-gpt2")), factory=path))


def _call(case: SelectionCase) -> str:
    vision = ", vision_config=..." if "vision_config" in case.config else ""
    return f"init_data_packer(folder with model_type={case.config['model_type']!r}{vision})"


def _refused_naming(subject: Subject, call: str, run: Callable[[], Any], wanted: tuple[str, ...]) -> None:
    """Demand a refusal whose message holds every text in `wanted`."""
    wording = f"an error whose message names {' and '.join(wanted)}"
    accept = (*REFUSALS, ImportError, AttributeError, RuntimeError)
    message = str(_driver(subject).refuses(call, run, accept, wording))
    if any(text not in message for text in wanted):
        got = message if len(message) < 300 else message[:297] + "..."
        raise Violation.of(call, expected=wording, got=f"the message {got!r}")
