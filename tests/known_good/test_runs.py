"""No false alarm on runs that take sources in: the miniature, and one that makes every free choice the other way."""

import copy
import enum
import logging
import types
from collections.abc import Mapping
from typing import Any

from packproof import check_source
from packproof.zoo.miniature_cursors import Opened
from packproof.zoo.miniature_run import MiniatureRun

RUN_RULES = {f"SOURCE-{number}" for number in (1, 2, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17)}


class Start(enum.StrEnum):
    START = "start"
    RESTORE = "restore"


class Bundle:
    """A sample whose representations are made at every look."""

    def __init__(self, made: dict[str, Any]) -> None:
        self._made = made

    @property
    def representations(self) -> Mapping[str, Any]:
        return types.MappingProxyType(copy.deepcopy(self._made))


class Otherwise(MiniatureRun):
    """Reads all rows at once, warns of every start, copies deeply, and words everything in another way."""

    def recorded(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        section = super().recorded(settings) | {"cursor_resume": "auto", "note": "of the run's own"}
        return types.MappingProxyType(section)

    def decide_cursor(self, cursor_resume: str, opened: Opened, saved: Mapping[str, Any] | None) -> str:
        logging.getLogger("a.run").error("looking at %s", opened.path)
        return Start(super().decide_cursor(cursor_resume, copy.copy(opened), copy.deepcopy(saved)))

    def preflight(self, config: Mapping[str, Any]) -> None:
        try:
            super().preflight(config)
        except Exception as error:
            raise RuntimeError("the configuration cannot be used") from error

    def _look_at_first(self, opened: Opened) -> None:
        for place in range(len(opened)):
            opened[place]

    def _sample(self, *given: Any) -> Any:
        return Bundle(super()._sample(*given).representations)

    def _copied(self, value: Any) -> Any:
        return copy.deepcopy(value)

    def _called(self, factory: Any, arguments: dict[str, Any], path: str) -> Any:
        try:
            return super()._called(factory, arguments, path)
        except ValueError as error:
            raise RuntimeError(f"rank 0 could not build {path}") from error

    def _expect_source(self, source: Any, path: str) -> None:
        try:
            super()._expect_source(source, path)
        except (TypeError, ValueError) as error:
            named = source if isinstance(source, type) else type(source)
            said = f"{path}: {named} has no length, or no item at an index"
            raise ValueError(said) from error

    def _refuse_selectors(self, chosen: dict[str, Any]) -> None:
        lines = "\n".join(f"- {name}\n  {value}" for name, value in chosen.items())
        raise ValueError(f"these exclude each other:\n{lines}")

    def _expect_apart(self, trained: tuple[str, ...], held_out: tuple[str, ...], *paths: str) -> None:
        if common := self._common(trained, held_out):
            raise ValueError(f"{common[-1]} and others ({len(common)} in all): {paths[1]}, {paths[0]}")


def passed(run: Any) -> set[str]:
    """The rules that a run alone keeps; it is conformant."""
    report = check_source(run=run, effort="quick")
    assert report.subjects[0].verdict == "conformant", report
    return {one.requirement for one in report.subjects[0].outcomes if one.status == "pass"}


def test_the_miniature_run_keeps_every_rule() -> None:
    """A run alone is held to the rules that bind one."""
    assert passed(MiniatureRun()) == RUN_RULES


def test_a_run_is_free_in_what_the_chapter_leaves_open() -> None:
    """Classes of errors, wordings, when rows are read, how samples are made: nothing of it breaks a rule."""
    assert passed(Otherwise()) == RUN_RULES
