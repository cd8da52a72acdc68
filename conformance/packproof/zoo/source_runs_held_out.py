"""Faults of chapter sources in whoever takes sources in: what is held out, and what of it is also trained."""

import logging
from collections.abc import Mapping
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_cursors import Opened
from packproof.zoo.miniature_run import MiniatureRun

__all__: list[str] = []

_log = logging.getLogger(__name__)


@fault("SOURCE-14")
class NamelessPassed(MiniatureRun):
    """A source without ids is validated on with a warning, and nobody knows what was trained of it."""

    def _ids(self, opened: Opened) -> tuple[str, ...]:
        return super()._ids(opened) if hasattr(opened.source, "membership_ids") else ()


@fault("SOURCE-14")
class IdsOfItems(MiniatureRun):
    """Where there are no ids every item is read and written out, which decodes both sets before the first step."""

    def _ids(self, opened: Opened) -> tuple[str, ...]:
        if hasattr(opened.source, "membership_ids"):
            return super()._ids(opened)
        return tuple(f"{opened.path} {opened.source[place]}" for place in range(len(opened)))


@fault("SOURCE-14")
class ItemsReadAlong(MiniatureRun):
    """Ids and items are collected in one loop, so that all media are opened to compare names."""

    def _ids(self, opened: Opened) -> tuple[str, ...]:
        named = zip(super()._ids(opened), (opened.source[place] for place in range(len(opened))), strict=True)
        return tuple(name for name, _ in named)


@fault("SOURCE-14")
class AnyIdsWillDo(MiniatureRun):
    """Ids are compared as they come, a list, numbers or too few of them, and what is not named is not found."""

    def _expect_ids(self, ids: Any, opened: Opened) -> None:
        pass


@fault("SOURCE-14")
class RepeatsPassed(MiniatureRun):
    """An id that stands for two items is taken, and one of them is not looked for."""

    def _expect_ids(self, ids: Any, opened: Opened) -> None:
        if not isinstance(ids, tuple) or len(ids) != len(opened) or len(set(ids)) == len(ids):
            super()._expect_ids(ids, opened)


@fault("SOURCE-14")
class ComparedPlaceByPlace(MiniatureRun):
    """Ids are compared place by place, and what stands elsewhere in the other set is not found."""

    def _common(self, trained: tuple[str, ...], held_out: tuple[str, ...]) -> list[str]:
        return [one for one, other in zip(trained, held_out, strict=False) if one == other]


@fault("SOURCE-14")
class WholeOverlapOnly(MiniatureRun):
    """Validation is refused when everything that is held out is trained, and a part of it may be."""

    def _common(self, trained: tuple[str, ...], held_out: tuple[str, ...]) -> list[str]:
        common = super()._common(trained, held_out)
        return common if len(common) == len(held_out) else []


@fault("SOURCE-14")
class OverlapLogged(MiniatureRun):
    """What is held out and trained is counted in the log, and the validation curve falls."""

    def _expect_apart(self, trained: tuple[str, ...], held_out: tuple[str, ...], *paths: str) -> None:
        _log.debug("%d ids are in both", len(self._common(trained, held_out)))


@fault("SOURCE-14")
class IdsUntold(MiniatureRun):
    """The refusal counts what is in both, and names none of it."""

    def _expect_apart(self, trained: tuple[str, ...], held_out: tuple[str, ...], *paths: str) -> None:
        if count := len(self._common(trained, held_out)):
            raise ValueError(f"{count} ids are in both {' and '.join(paths)}")


@fault("SOURCE-14")
class OneSideTold(MiniatureRun):
    """The refusal names the training data, and leaves open which of the held-out sets it met."""

    def _expect_apart(self, trained: tuple[str, ...], held_out: tuple[str, ...], *paths: str) -> None:
        super()._expect_apart(trained, held_out, paths[0])


@fault("SOURCE-14")
class AskedWithoutValidation(MiniatureRun):
    """Every source is asked for its ids when it is opened, validation or not, and a long list is made for nobody."""

    def _source(self, settings: Mapping[str, Any]) -> tuple[Any, str]:
        source, path = super()._source(settings)
        if hasattr(source, "membership_ids"):
            _log.debug("%s has %d ids", path, len(source.membership_ids()))
        return source, path
