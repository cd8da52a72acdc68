"""Chapter lifecycle: building, setting up, using and saving a packer."""

import copy
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from packer_schemas.cases import PolicyCase, Sample, SetupCase
from packproof.containers import contain
from packproof.driver import Driver, observation
from packproof.expect import expect_equal, expect_ids, expect_same_input
from packproof.foreign_code import FOLDER_TOKENIZER, model_with_code
from packproof.limits import setting_up
from packproof.models import resolve_model
from packproof.registry import check
from packproof.strategies import ROUTES, policies, setups
from packproof.subject import Subject
from packproof.violation import CallFailed, Unexercised, Violation

_PROBES = ["the packer", "naïve 汉字 😀", "  two  spaces\n", "12345 don't"]
_OTHER = Sample(prompt_ids=[7, 8], completion=[9, 10], n_ignore_prefix_tokens=1)
_REUSABLE = {"list": "list", "numpy int64": "array", "tensor int64": "tensor"}


@check("LIFE-1", cases=setups)
def life_1(subject: Subject, case: SetupCase) -> None:
    """The factory returns a fresh packer on every call."""
    with subject.on(case.model).calling(f"{subject.target}() twice"):
        first, second = subject.build(), subject.build()
    if first is second:
        raise Violation.of(f"{subject.target}() twice", expected="two packers", got="one packer, returned twice")


@check("LIFE-2", cases=setups)
def life_2(subject: Subject, case: SetupCase) -> None:
    """After setup the packer's tokenizer encodes as the tokenizer of the named model does."""
    named = _tokenizer(subject, case)
    tokenizer = subject.on(case.model).tokenizer
    for text in _PROBES:
        for special in (False, True):
            expected, got = (t(text, add_special_tokens=special).input_ids for t in (named, tokenizer))
            call = f"setup({case.model!r}); tokenizer({text!r}, add_special_tokens={special})"
            expect_ids(call, expected, got, fault="another tokenizer")


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


@check("LIFE-5", cases=setups)
def life_5(subject: Subject, case: SetupCase) -> None:
    """Setup runs no code from the model folder unless trust_remote_code is true."""
    driver = Driver(subject.build(), "a folder with code", subject.note)
    with model_with_code(resolve_model(_name(case))) as (folder, has_run):
        try:
            with setting_up():
                driver.packer.setup(folder)
        except Exception as error:
            refusal = error  # refusing the folder keeps the rule
        else:
            refusal = None
        if has_run():
            outcome = f"then raised {type(refusal).__name__}" if refusal else "and accepted it"
            got = f"the folder's code ran, {outcome}"
            raise Violation.of("setup(folder with its own tokenizer code)", expected="no code runs", got=got)


@check("LIFE-6", cases=setups)
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
    unused = subject.fresh(case.model).policy_input(case.sample)
    used = subject.fresh(case.model)
    used.collate([used.policy_input(_OTHER)], 8)
    elsewhere = subject.fresh(_another_model(subject, case.model))
    elsewhere.policy_input(_OTHER)
    row = used.policy_input(case.sample)
    expect_same_input(f"{row.call} on two packers", unused, row, "depends on the instance or its history")


@check("LIFE-9", cases=policies(ROUTES))
def life_9(subject: Subject, case: PolicyCase) -> None:
    """Building a policy input leaves its arguments as they were."""
    item, arguments = observation(case.sample.prompt), _arguments(case.sample)
    before = copy.deepcopy((item.representations, arguments))
    row = subject.on(case.model).policy_input(case.sample, item, **arguments)
    expect_equal(f"{row.call}, the sample afterwards", before[0], item.representations, fault="changed")
    for name, stream in arguments.items():
        call = f"{row.call}, the {name} afterwards"
        if isinstance(stream, list):
            expect_ids(call, before[1][name], stream, fault="changed")
        else:
            expect_equal(call, before[1][name], stream, fault="changed")


@check("LIFE-10", cases=policies(ROUTES))
def life_10(subject: Subject, case: PolicyCase) -> None:
    """A policy input shares no memory with its arguments."""
    driver = subject.on(case.model)
    given = _arguments(case.sample)
    for container, noun in _REUSABLE.items():
        streams = {name: contain(ids, container) for name, ids in given.items() if isinstance(ids, list)}
        try:
            row = driver.policy_input(case.sample, **streams)
        except CallFailed:
            if container == "list":
                raise
            continue  # AUTH-7 speaks
        for stream in streams.values():
            stream[:] = [0] * (len(stream) + 1) if isinstance(stream, list) else stream + 1
        again = type(row).of(row.raw, row.call)
        call = f"{row.call}, after the caller reused its ids"
        expect_same_input(call, row, again, f"shares the caller's {noun}")


@check("LIFE-11", cases=policies(ROUTES), heavy=True)
def life_11(subject: Subject, case: PolicyCase) -> None:
    """No call moves the global random state of Python, NumPy or torch."""
    with _scrambled_random_state():  # so that seeding shows, even with the seed in force
        before = _random_states()

        def unmoved(call: str) -> None:
            moved = [name for name, state in _random_states().items() if state != before[name]]
            if moved:
                raise Violation.of(call, expected="random state as before", got=f"{', '.join(moved)} moved")

        driver = subject.fresh(case.model)
        unmoved(f"{subject.target}()" if subject.built_ready else f"setup({driver.model!r})")
        row = driver.policy_input(case.sample)
        unmoved(row.call)
        driver.max_len([row])
        unmoved(driver.last_call)
        driver.collate([row], len(row.ids))
        unmoved(driver.last_call)
        if "RolloutPacker" in subject.capabilities:
            driver.rollout_input(case.sample.prompt)
            unmoved(driver.last_call)


@check("LIFE-12", cases=policies(ROUTES), heavy=True)
def life_12(subject: Subject, case: PolicyCase) -> None:
    """A packer set up from a folder that save_state wrote gives equal results."""
    driver = subject.fresh(case.model)
    with tempfile.TemporaryDirectory(prefix="packproof-") as folder:
        with driver.calling("save_state(folder)"):
            driver.packer.save_state(folder)
        reloaded = Driver(subject.build(), driver.model, subject.note)
        with reloaded.calling("save_state(folder); setup(folder)"), setting_up():
            reloaded.packer.setup(folder)
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


def _name(case: SetupCase) -> str:
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


@lru_cache(maxsize=8)
def _loaded(folder: str, trust_remote_code: bool) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, trust_remote_code=trust_remote_code)


def _arguments(sample: Sample) -> dict[str, Any]:
    streams = {"completion": sample.completion, "prompt_ids": sample.prompt_ids}
    return {name: copy.copy(value) for name, value in streams.items()}


@contextmanager
def _scrambled_random_state() -> Iterator[None]:
    """The global generators in a state that nobody seeds to; put back afterwards."""
    import numpy as np
    import torch

    kept = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002  the global state is the point
    random.seed(0x5EED_0F_A_CA5E)
    np.random.seed(0x5EED_CA5E)  # noqa: NPY002
    torch.manual_seed(0x5EED_CA5E)
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
        torch.set_rng_state(kept[2])


def _random_states() -> dict[str, Any]:
    import numpy as np
    import torch

    numpy_state: Any = np.random.get_state(legacy=False)  # noqa: NPY002  the global state is the point
    words = numpy_state["state"]
    return {
        "random": random.getstate(),
        "numpy.random": (words["key"].tobytes(), words["pos"], numpy_state["has_gauss"], numpy_state["gauss"]),
        "torch": torch.get_rng_state().numpy().tobytes(),
    }
