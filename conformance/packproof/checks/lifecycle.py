"""Chapter lifecycle: building, setting up, using and saving a packer."""

import copy
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from packer_schemas.cases import PolicyCase, Sample, SetupCase
from packproof.containers import contain
from packproof.driver import Driver, observation, short
from packproof.every_call import SECOND, calls_from_setup
from packproof.expect import expect_equal, expect_ids, expect_same_input
from packproof.foreign_code import FOLDER_TOKENIZER, model_with_code, nobody_to_ask
from packproof.limits import setting_up
from packproof.models import resolve_model
from packproof.random_state import random_states, scrambled_random_state
from packproof.registry import check
from packproof.sharing import shared
from packproof.strategies import ROUTES, policies, setups, texts
from packproof.subject import Subject
from packproof.violation import CallFailed, Unexercised, Violation
from packproof.vocabulary import Vocabulary

_PROBES = ["the packer", "naïve 汉字 😀", "  two  spaces\n", "12345 don't"]
_CHANGEABLE = {
    "list": "list",
    "numpy int64": "array",
    "numpy int32": "int32 array",
    "tensor int64": "tensor",
    "tensor int32": "int32 tensor",
}
_OTHERS = {
    "ids": SECOND,
    "text": Sample(prompt="another prompt", completion="its answer"),
    "conversation": Sample(prompt=[{"role": "user", "content": "another talk"}], completion=[9]),
}
_TOO_MANY = 10_000  # tokens to ignore, more than a completion has


def _texts(model: str | None, _: Vocabulary) -> st.SearchStrategy[SetupCase]:
    return texts().map(lambda text: SetupCase(model=model, prompt=text))


@check("LIFE-1", cases=setups)
def life_1(subject: Subject, case: SetupCase) -> None:
    """The factory returns a fresh packer on every call."""
    with subject.on(case.model).calling(f"{subject.target}() twice"):
        first, second = subject.build(), subject.build()
    if first is second:
        raise Violation.of(f"{subject.target}() twice", expected="two packers", got="one packer, returned twice")


@check("LIFE-2", cases=_texts, heavy=True)
def life_2(subject: Subject, case: SetupCase) -> None:
    """After setup the packer's tokenizer encodes as the tokenizer of the named model does."""
    named, setup, other = _tokenizer(subject, case), f"setup({case.model!r})", _another_model(subject, case.model)
    own = [case.prompt] if isinstance(case.prompt, str) else []
    drivers = {setup: subject.on(case.model), f"setup({other!r}); {setup}": _set_up_again(subject, case.model)}
    for made_ready, driver in drivers.items():
        for text in (*own, *_PROBES, *_tokens_added(driver.tokenizer, named)):
            for special in (False, True):
                call = f"{made_ready}; tokenizer({text!r}, add_special_tokens={special})"
                with driver.calling(call):
                    got = driver.tokenizer(text, add_special_tokens=special).input_ids
                expect_ids(call, named(text, add_special_tokens=special).input_ids, got, fault="another tokenizer")


@check("LIFE-3", cases=setups)
def life_3(subject: Subject, case: SetupCase) -> None:
    """Setup refuses an empty model name with ValueError."""
    driver = Driver(subject.build(), case.model or "", subject.note)
    driver.refuses("setup('')", lambda: driver.packer.setup(""), (ValueError,))


@check("LIFE-4", cases=setups)
def life_4(subject: Subject, case: SetupCase) -> None:
    """After setup the pad id is the model's own where it declares one, and its end-of-sequence id where it declares
    none.
    """
    named = _tokenizer(subject, case)
    declared = named.pad_token_id is not None
    expected = named.pad_token_id if declared else named.eos_token_id
    fault = "declared pad id replaced" if declared else "no fallback to the end-of-sequence id"
    call = f"setup({case.model!r}); tokenizer.pad_token_id"
    expect_equal(call, expected, subject.on(case.model).tokenizer.pad_token_id, fault=fault)


@check("LIFE-5", cases=setups, heavy=True)
def life_5(subject: Subject, case: SetupCase) -> None:
    """Setup runs no code from the model folder unless trust_remote_code is true."""
    with model_with_code(resolve_model(_name(case))) as (folder, has_run):
        for flag in ({}, {"trust_remote_code": False}):
            packer, refusal = subject.build(), None
            call = f"setup(folder with its own tokenizer code{', trust_remote_code=False' if flag else ''})"
            with nobody_to_ask() as questions:
                try:
                    with setting_up():
                        packer.setup(folder, **flag)
                except Exception as error:
                    refusal = error  # refusing the folder keeps the rule
            if has_run():
                outcome = f"then raised {type(refusal).__name__}" if refusal else "and accepted it"
                raise Violation.of(call, expected="no code runs", got=f"the folder's code ran, {outcome}")
            if questions:
                asked = questions[0].strip().rpartition("\n")[2]
                raise Violation.of(call, expected="no question at the terminal", got=f"asked {short(asked)}")


@check("LIFE-6", cases=setups, heavy=True)
def life_6(subject: Subject, case: SetupCase) -> None:
    """With trust_remote_code true, setup uses the tokenizer class that the model folder brings."""
    driver = Driver(subject.build(), "a folder with code", subject.note)
    call = "setup(folder with its own tokenizer code, trust_remote_code=True)"
    with model_with_code(resolve_model(_name(case))) as (folder, has_run):
        with driver.calling(call), setting_up():
            driver.packer.setup(folder, trust_remote_code=True)
        used = type(driver.tokenizer).__name__
        if not has_run() or used != FOLDER_TOKENIZER:
            raise Violation.of(call, expected=f"the folder's {FOLDER_TOKENIZER}", got=used)


@check("LIFE-7", cases=policies(ROUTES))
def life_7(subject: Subject, case: PolicyCase) -> None:
    """A second call with equal arguments gives an equal result."""
    driver = subject.on(case.model)
    first = driver.policy_input(case.sample)
    second = driver.policy_input(case.sample)
    expect_same_input(f"{first.call}, called twice", first, second, "the second call differs")


@check("LIFE-8", cases=policies(ROUTES), heavy=True)
def life_8(subject: Subject, case: PolicyCase) -> None:
    """Packers from one factory are interchangeable, whatever each was used for before."""
    fresh = subject.fresh(case.model)
    unused = fresh.policy_input(case.sample)
    used = subject.fresh(_another_model(subject, case.model))
    first = "" if subject.built_ready else f"setup({used.model!r}); "
    _put_to_use(used, first)
    if not subject.built_ready:
        used.model = _name(case)
        used.setup(resolve_model(used.model), subject.trust_remote_code)
        used.vocabulary = fresh.vocabulary
        _put_to_use(used, f"{first}setup({used.model!r}); ")
    _put_to_use(subject.fresh(_another_model(subject, case.model)), first)
    row = used.policy_input(case.sample)
    expect_same_input(f"{row.call} on two packers", unused, row, "depends on the instance or its history")


@check("LIFE-9", cases=policies(ROUTES))
def life_9(subject: Subject, case: PolicyCase) -> None:
    """Building a policy input leaves its arguments as they were."""
    refused = case.sample.model_copy(update={"n_ignore_prefix_tokens": _TOO_MANY})
    for sample in (case.sample, refused):
        for container in _CHANGEABLE:
            driver, item, ids = subject.on(case.model), observation(sample.prompt), _ids(sample, container)
            before = copy.deepcopy(item.representations)
            try:
                driver.policy_input(sample, item, **ids)
            except CallFailed:
                if sample is not refused and container == "list":  # of other containers AUTH-7 speaks
                    raise
            call = f"{driver.last_call}, the sample afterwards"
            expect_equal(call, before, item.representations, fault="changed")
            expect_equal(call, ["representations"], list(vars(item)), fault="changed")
            for name, stream in ids.items():
                call = f"{driver.last_call}, the {name} afterwards"
                now = stream if isinstance(stream, list) else stream.tolist()
                expect_ids(call, _ids(sample, "list")[name], now, fault="changed")


@check("LIFE-10", cases=policies(ROUTES))
def life_10(subject: Subject, case: PolicyCase) -> None:
    """A policy input shares no memory with its arguments."""
    driver = subject.on(case.model)
    for container, noun in _CHANGEABLE.items():
        item, ids = observation(case.sample.prompt), _ids(case.sample, container)
        try:
            row = driver.policy_input(case.sample, item, **ids)
        except CallFailed:
            if container == "list":
                raise
            continue  # AUTH-7 speaks
        for stream in ids.values():
            stream[:] = [0] * (len(stream) + 1) if isinstance(stream, list) else stream + 1
        again = type(row).of(row.raw, row.call)
        call = f"{row.call}, after the caller reused its ids"
        expect_same_input(call, row, again, f"shares the caller's {noun}")
        held = shared(row.raw, item, *ids.values())
        if held:
            raise Violation.of(f"{row.call}: {held[0]}", expected="an object of its own", got="the caller's")


@check("LIFE-11", cases=policies(ROUTES), heavy=True)
def life_11(subject: Subject, case: PolicyCase) -> None:
    """No call moves the global random state of Python, NumPy or torch."""
    with scrambled_random_state():  # so that seeding shows, even with the seed in force
        before = random_states()
        for call, _ in calls_from_setup(subject, case.model, case.sample):
            moved = [name for name, state in random_states().items() if state != before[name]]
            if moved:
                raise Violation.of(call, expected="random state as before", got=f"{', '.join(moved)} moved")


@check("LIFE-12", cases=policies(ROUTES), heavy=True)
def life_12(subject: Subject, case: PolicyCase) -> None:
    """A packer set up from a folder that save_state wrote gives equal results."""
    driver = subject.fresh(case.model)
    with tempfile.TemporaryDirectory(prefix="packproof-") as parent:
        folder, moved = Path(parent, "saved"), Path(parent, "moved")
        folder.mkdir()
        with driver.calling("save_state(folder)"):
            driver.packer.save_state(str(folder))
        folder.rename(moved)
        reloaded = Driver(subject.build(), driver.model, subject.note)
        with reloaded.calling("save_state(folder); setup(the folder, moved)"), setting_up():
            reloaded.packer.setup(str(moved))
        before, after = driver.policy_input(case.sample), reloaded.policy_input(case.sample)
        expect_same_input(f"{before.call} after save_state and setup", before, after, "lost on save and reload")
        if "UsesTokenizer" in subject.capabilities:
            pads = [d.tokenizer.pad_token_id for d in (driver, reloaded)]
            expect_equal("save_state(folder); setup(folder); tokenizer.pad_token_id", *pads, fault="pad id lost")


@check("LIFE-13", cases=setups)
def life_13(subject: Subject, case: SetupCase) -> None:
    """adds_special_tokens says whether the tokenizer adds special tokens by default, and assert_no_special_tokens
    raises ValueError exactly then.
    """
    driver = subject.on(case.model)
    plain, bare = (driver.tokenizer("a", add_special_tokens=flag).input_ids for flag in (True, False))
    with driver.calling("adds_special_tokens()"):
        says = driver.packer.adds_special_tokens()
    expect_equal("adds_special_tokens()", plain != bare, says)
    if says:
        driver.refuses("assert_no_special_tokens()", driver.packer.assert_no_special_tokens, (ValueError,))
        return
    with driver.calling("assert_no_special_tokens()"):
        driver.packer.assert_no_special_tokens()


def _name(case: SetupCase | PolicyCase) -> str:
    if case.model is None:
        raise Unexercised("no model is named")
    return case.model


def _another_model(subject: Subject, model: str | None) -> str | None:
    """The next of the subject's models, which is the same one where it has only one."""
    models = subject.models
    return models[(models.index(model or models[0]) + 1) % len(models)] if (model or models[0]) in models else models[0]


def _tokenizer(subject: Subject, case: SetupCase) -> Any:
    """The tokenizer of the case's model as transformers loads it; ours, never handed to a packer."""
    return _loaded(resolve_model(_name(case)), subject.trust_remote_code)


def _tokens_added(tokenizer: Any, named: Any) -> list[str]:
    """Tokens that only the packer's tokenizer finds in a text; a pad token is no part of one, and is LIFE-4's."""
    own, known = (getattr(one, "get_added_vocab", dict)() for one in (tokenizer, named))
    return sorted(own.keys() - known.keys() - {tokenizer.pad_token})


@lru_cache(maxsize=8)
def _loaded(folder: str, trust_remote_code: bool) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, trust_remote_code=trust_remote_code)


def _set_up_again(subject: Subject, model: str | None) -> Driver:
    """A packer that was set up on another model before; kept between cases, as the driver of the first setup is."""
    driver = subject.on(_another_model(subject, model), "set up again")
    if model is not None and driver.model != model:
        again = Driver(driver.packer, model, subject.note)
        again.setup(resolve_model(model), subject.trust_remote_code)
        driver.model = model  # only now: a setup that failed is tried again
    return driver


def _put_to_use(driver: Driver, before: str) -> None:
    """Shape and collate samples of every route that the packer takes; a failure says what was done `before`."""
    try:
        rows = [driver.policy_input(one) for route, one in _OTHERS.items() if driver.vocabulary.takes(route)]
        driver.collate(rows, max(len(row.ids) for row in rows) + 1)
    except CallFailed as error:
        raise error.told(call=f"{before}{error.counterexample.call}") from error


def _ids(sample: Sample, container: str) -> dict[str, Any]:
    """Those arguments of a sample that are ids, new, in a container."""
    given = {"completion": sample.completion, "prompt_ids": sample.prompt_ids}
    return {name: contain(ids, container) for name, ids in given.items() if isinstance(ids, list)}
