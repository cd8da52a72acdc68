"""The rules on runs, tried on runs that answer oddly: each is a failure of the run, and none of the kit."""

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from packer_schemas import Outcome
from packer_schemas.source_run_cases import CursorCase, SelectorsCase, UnreachableCase, WrittenItemCase
from packproof.effort import EFFORTS, Settings
from packproof.registry import all_checks, check_for
from packproof.runner import replay_case, run_check
from packproof.source_runs import stock
from packproof.source_runs.spelling import plain, spelled
from packproof.sources.subject import SourceSubject
from packproof.zoo.miniature_run import MiniatureRun, Sample

RULES = [id for id, check in all_checks().items() if check.requirement.needs == ("SourceRun",)]
METHODS = [
    "open_prompts",
    "open_preferences",
    "recorded",
    "saved_fingerprint",
    "decide_cursor",
    "refuse_overlap",
    "preflight",
]


class Unreadable:
    """Raises whatever is asked of it."""

    def __len__(self) -> int:
        raise KeyError("length")

    def __getitem__(self, index: Any) -> NoReturn:
        raise MemoryError("item")

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Unspeakable(ValueError):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def raising(error: BaseException) -> Callable[..., Any]:
    def answer(*_: Any) -> NoReturn:
        raise error

    return answer


async def later(*_: Any) -> None:
    """An answer that never comes."""


ODD = {
    "raises CancelledError": raising(asyncio.CancelledError()),
    "skips": raising(pytest.skip.Exception("not today")),
    "ends the process": raising(SystemExit(3)),
    "raises what has no text": raising(Unspeakable()),
    "is async": later,
    "returns None": lambda *_: None,
    "returns a number": lambda *_: 7,
    "returns what cannot be read": lambda *_: Unreadable(),
    "returns samples of nothing": lambda *_: [Sample(None)],  # pyright: ignore[reportArgumentType]
    "returns samples that cannot be read": lambda *_: [Sample({"prompt": Unreadable(), "metadata": Unreadable()})],
}


def judged(run: Any, id: str, effort: str = "quick") -> Outcome:
    return run_check(check_for(id), SourceSubject(run=run), Settings(EFFORTS[effort]))


def replayed(run: Any, id: str, case: Any) -> Outcome:
    return replay_case(check_for(id), SourceSubject(run=run), case)


@pytest.mark.parametrize("id", RULES)
@pytest.mark.parametrize("answer", ODD.values(), ids=list(ODD))
def test_a_run_that_answers_oddly_fails(id: str, answer: Any) -> None:
    """Whatever all its methods do, a run breaks rules, and the kit goes on."""
    run = type("Odd", (), {name: staticmethod(answer) for name in METHODS})()
    assert judged(run, id).status == "fail"


@pytest.mark.parametrize("method", METHODS)
def test_one_odd_method_breaks_no_more_than_rules(method: str) -> None:
    """With one method that returns what cannot be read, no rule ends in an error of the kit."""
    run = type("Odd", (MiniatureRun,), {method: staticmethod(ODD["returns what cannot be read"])})()
    found = {judged(run, id).status for id in RULES}
    assert "fail" in found
    assert "error" not in found


def test_every_cell_of_the_table_is_tried() -> None:
    """A mode that behaves as another one is caught, whichever two they are."""

    class Renamed(MiniatureRun):
        modes: dict[str, str] = {}  # noqa: RUF012

        def decide_cursor(self, cursor_resume: str, opened: Any, saved: Any) -> str:
            return super().decide_cursor(self.modes.get(cursor_resume, cursor_resume), opened, saved)

    for mode in ("off", "auto", "strict", "Auto"):
        for other in {"off", "auto", "strict"} - {mode}:
            run = Renamed()
            run.modes = {mode: other}
            assert judged(run, "SOURCE-12", "standard").status == "fail", (mode, other)


def test_a_warning_counts_wherever_it_comes_from() -> None:
    """What reaches the root logger is heard, and what is printed or warned of is not."""

    class Prints(MiniatureRun):
        def _start(self, why: str) -> str:
            print(why)
            return "start"

    case = CursorCase(mode="off", saved="the same")
    assert replayed(MiniatureRun(), "SOURCE-12", case).status == "pass"
    assert replayed(Prints(), "SOURCE-12", case).status == "fail"


def test_what_a_factory_raises_may_be_a_cause_of_a_cause() -> None:
    """An error between the factory's and the one that is reported is no fault."""

    class Wraps(MiniatureRun):
        def _called(self, factory: Any, arguments: Any, path: str) -> Any:
            try:
                return super()._called(factory, arguments, path)
            except ValueError as error:
                raise RuntimeError(f"rank 0: {path}") from error

    assert replayed(Wraps(), "SOURCE-17", UnreachableCase(why="raises", raised="KeyError")).status == "pass"


def test_a_run_that_reads_all_rows_at_once_keeps_the_rule() -> None:
    """A row that lacks a column is refused when it is read, and that is free to be when the source is built."""

    class Eager(MiniatureRun):
        def _look_at_first(self, opened: Any) -> None:
            for place in range(len(opened)):
                opened[place]

    assert judged(Eager(), "SOURCE-9").status == "pass"


def test_settings_that_exclude_nothing_are_not_tried() -> None:
    """One built-in source alone is opened by nobody."""
    outcome = replayed(MiniatureRun(), "SOURCE-15", SelectorsCase(factory=False, others={"path": "rows.jsonl"}))
    assert (outcome.status, outcome.reason) == (
        "not applicable",
        "one built-in source, or none, and nothing that excludes it",
    )


def test_what_was_written_is_shown_beside_what_was_read() -> None:
    """A failure shows the item before and after, and where somebody wrote into it."""

    class Shares(MiniatureRun):
        def _copied(self, value: Any) -> Any:
            return value

    outcome = replayed(Shares(), "SOURCE-6", WrittenItemCase(ways=["a list"], place="metadata"))
    assert outcome.counterexample is not None
    assert "written by user code" in outcome.counterexample.got
    assert "written by user code" not in outcome.counterexample.expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1.0, True, None, "1"]}, "{'a': [1.0, True, None, '1'], 'b': 1}"),
        (
            stock.held(["a named tuple", "an ordered dictionary"]),
            "OrderedDict({'within': Held(['innermost'], 'second')})",
        ),
        (({1}, b""), "(a set, a bytes)"),
    ],
)
def test_values_are_spelled_with_their_types(value: Any, text: str) -> None:
    """Containers that are not Python's own go by the name of their type, and what is no plain data too."""
    assert spelled(value) == text
    assert spelled(plain({"a": (1, [2])})) == "{'a': [1, [2]]}"
