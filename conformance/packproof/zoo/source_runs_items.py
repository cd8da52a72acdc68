"""Faults of chapter sources in whoever takes sources in: what of a row reaches a sample, and what stays of a write."""

import json
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_cursors import Opened
from packproof.zoo.miniature_run import MiniatureRun, Sample

__all__: list[str] = []


@fault("SOURCE-6")
class OwnObjectsHandedOut(MiniatureRun):
    """Items are handed on as the source keeps them, and a template that rewrites a message rewrites the data."""

    def _copied(self, value: Any) -> Any:
        return value


@fault("SOURCE-6")
class OneLevelCopied(MiniatureRun):
    """A copy of the row is made and none of what is in it, so that messages are still the source's own."""

    def _copied(self, value: Any) -> Any:
        return copy(value)


@fault("SOURCE-6")
class TuplesNotEntered(MiniatureRun):
    """Tuples cannot be written into and are not copied, and neither are the lists in them."""

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        return value


@fault("SOURCE-6")
class SamplesKept(MiniatureRun):
    """A sample that was made is kept for the next epoch, with whatever was written into it meanwhile."""

    def _sample(self, opened: Opened, index: int, settings: Mapping[str, Any], fn: Callable[..., Any] | None) -> Any:
        made = vars(opened).setdefault("made", {})
        if index not in made:
            made[index] = super()._sample(opened, index, settings, fn)
        return made[index]


@fault("SOURCE-6")
class CopiedThroughJson(MiniatureRun):
    """Rows are copied by writing and reading JSON, which knows neither tuples nor any dictionary but its own."""

    def _row(self, opened: Opened, index: int) -> Any:
        return json.loads(json.dumps(super()._row(opened, index), default=dict))


@fault("SOURCE-6")
class FunctionGetsTheRow(MiniatureRun):
    """The samples are copies, and the function of the user's before them gets the row that the source keeps."""

    def _sample(self, opened: Opened, index: int, settings: Mapping[str, Any], fn: Callable[..., Any] | None) -> Any:
        if fn is None:
            return super()._sample(opened, index, settings, fn)
        row = self._copied(fn(opened.source[index]))
        return Sample(self._representations(row, settings, f"{opened.path}: row {index}"))


@fault("SOURCE-6")
class PairsNotCopied(MiniatureRun):
    """Rows are copied and preferences are not, for a triple is a tuple."""

    def _triple(self, opened: Opened, index: int) -> tuple[Any, Any, Any]:
        super()._triple(opened, index)
        return opened.source[index]


@fault("SOURCE-6")
class PromptOfPairShared(MiniatureRun):
    """The two payloads of a preference are copied, and the conversation before them is the source's own."""

    def _triple(self, opened: Opened, index: int) -> tuple[Any, Any, Any]:
        _, winner, loser = super()._triple(opened, index)
        return opened.source[index][0], winner, loser


@fault("SOURCE-6")
class MediaShared(MiniatureRun):
    """Media are thought too large to copy, and the list of handles that holds them is shared along with them."""

    def _row(self, opened: Opened, index: int) -> Any:
        row, own = super()._row(opened, index), opened.source[index]
        return {**row, **{column: own[column] for column in ("picture", "clip") if column in own}}


@fault("SOURCE-8")
class RestKept(MiniatureRun):
    """Columns are renamed and the rest of the row stays, the answer under its second name among it."""

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        return {**row, **super()._representations(row, settings, where)}


@fault("SOURCE-8")
class NullForUnset(MiniatureRun):
    """Every sample has every entry, null where no setting names a column."""

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        return {"reference": None, "id": None, **super()._representations(row, settings, where)}


@fault("SOURCE-8")
class NullsDropped(MiniatureRun):
    """An entry whose value is null is left out, so that a reward looks for it in vain."""

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        made = super()._representations(row, settings, where)
        return {name: value for name, value in made.items() if value is not None}


@fault("SOURCE-8")
class ZerosDropped(MiniatureRun):
    """An entry whose value is 0 or false is left out, and an answer that is zero is none."""

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        made = super()._representations(row, settings, where)
        return {name: value for name, value in made.items() if value or not isinstance(value, int)}


@fault("SOURCE-8")
class NumbersAsTexts(MiniatureRun):
    """References are made texts on the way, and a number is compared with what it looks like."""

    def _value(self, row: Mapping[str, Any], setting: str, column: str, where: str) -> Any:
        value = super()._value(row, setting, column, where)
        return str(value) if isinstance(value, int) else value


@fault("SOURCE-8")
class MetadataFlat(MiniatureRun):
    """The listed columns stand beside `prompt`, where one called `reference` takes the place of the answer."""

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        made = super()._representations(row, settings, where)
        listed = made.pop("metadata", {})
        return {**made, **listed}


@fault("SOURCE-8")
class TextFirst(MiniatureRun):
    """The text stands before the media, and the model sees the question before the picture."""

    def _with_media(self, prompt: str, image: Any, video: Any) -> Any:
        turns = super()._with_media(prompt, image, video)
        return turns if turns is prompt else [{**turns[0], "content": turns[0]["content"][::-1]}]


@fault("SOURCE-8")
class VideosFirst(MiniatureRun):
    """Videos stand before images, so that every item belongs to another placeholder."""

    def _parts(self, image: Any, video: Any) -> list[Any]:
        return [*super()._parts(None, video), *super()._parts(image, None)]


@fault("SOURCE-8")
class ListAsOneImage(MiniatureRun):
    """A list of images becomes one part with all of them, which no processor can open."""

    def _parts(self, image: Any, video: Any) -> list[Any]:
        return super()._parts([image] if isinstance(image, list) else image, video)


@fault("SOURCE-8")
class TurnWithoutMedia(MiniatureRun):
    """A row without media becomes a turn too, and the chat template is applied to what was a plain text."""

    def _with_media(self, prompt: str, image: Any, video: Any) -> Any:
        return [{"role": "user", "content": [*self._parts(image, video), {"type": "text", "text": prompt}]}]


@fault("SOURCE-8")
class ConversationTakesMedia(MiniatureRun):
    """Beside a conversation the media get a turn of their own in front, where nobody asked for one."""

    def _expect_text(self, prompt: Any, media: dict[str, str], where: str) -> None:
        pass


@fault("SOURCE-8")
class MediaMoved(MiniatureRun):
    """Once the media are in the prompt their own entries are gone, and a reward cannot look at them."""

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        made = super()._representations(row, settings, where)
        return {name: value for name, value in made.items() if name not in ("image", "video")}


@fault("SOURCE-8")
class DictionariesOnly(MiniatureRun):
    """A row has to be a dictionary, and the mapping that a reader of tables hands out is refused."""

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        if not isinstance(row, dict):
            raise TypeError(f"{where} is a {type(row).__name__} and no dict")
        return super()._representations(row, settings, where)


@fault("SOURCE-9")
class NullForMissing(MiniatureRun):
    """A column that is not there is null in every sample, and every reward the same."""

    def _value(self, row: Mapping[str, Any], setting: str, column: str, where: str) -> Any:
        return row.get(column)


@fault("SOURCE-9")
class BareKeyError(MiniatureRun):
    """A missing column is a `KeyError`, with the name of the column and nothing to look for."""

    def _value(self, row: Mapping[str, Any], setting: str, column: str, where: str) -> Any:
        return row[column]


@fault("SOURCE-9")
class FirstRowNotLookedAt(MiniatureRun):
    """No row is read before the first step, and a misspelt column is found once the model is loaded."""

    def _look_at_first(self, opened: Opened) -> None:
        pass


@fault("SOURCE-9")
class LaterRowsTrusted(MiniatureRun):
    """The columns are compared with the first row alone, and what later rows lack is null."""

    def _value(self, row: Mapping[str, Any], setting: str, column: str, where: str) -> Any:
        return super()._value(row, setting, column, where) if where.endswith(" 0") else row.get(column)


@fault("SOURCE-9")
class ColumnsUntold(MiniatureRun):
    """The refusal names the column that is not there, and none of those that are."""

    def _value(self, row: Mapping[str, Any], setting: str, column: str, where: str) -> Any:
        if column not in row:
            raise ValueError(f"{where} lacks the column {column} that {setting} names")
        return row[column]


@fault("SOURCE-9")
class RowUntold(MiniatureRun):
    """The refusal does not say which row of a million it was."""

    def _value(self, row: Mapping[str, Any], setting: str, column: str, where: str) -> Any:
        return super()._value(row, setting, column, where.rpartition(" ")[0])


@fault("SOURCE-9")
class RowsSkipped(MiniatureRun):
    """Rows without a configured column are left out, and nobody hears how many."""

    def _source(self, settings: Mapping[str, Any]) -> tuple[Any, str]:
        source, path = super()._source(settings)
        named = [settings.get(f"{name}_column") for name in ("prompt", "response", "image", "video", "id")]
        wanted = [column for column in (*named, *settings.get("metadata_columns", [])) if column]
        items = [source[place] for place in range(len(source))]
        kept = [row for row in items if not isinstance(row, dict) or all(column in row for column in wanted)]
        return (kept if 0 < len(kept) < len(items) and "items_fn" not in settings else source), path
