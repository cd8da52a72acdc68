"""What of a row reaches a sample: the configured columns, under their canonical names and with their values."""

from collections.abc import Mapping
from typing import Any

from packer_reference.sources.media_turn import media_turn
from packer_schemas import PromptSourceSettings

__all__ = ["ColumnMap", "column_settings"]

_CANONICAL = {
    "prompt_column": "prompt",
    "response_column": "reference",
    "image_column": "image",
    "video_column": "video",
    "id_column": "id",
}
_MEDIA = ("image_column", "video_column")


def column_settings(settings: PromptSourceSettings) -> dict[str, str]:
    """The columns that settings name, by setting; entries of a list as `metadata_columns[0]`. An empty name is none."""
    named = {setting: column for setting in _CANONICAL if (column := getattr(settings, setting))}
    return named | {f"metadata_columns[{at}]": column for at, column in enumerate(settings.metadata_columns)}


class ColumnMap:
    """Makes the representations of one sample from one row; `origin` says in messages where the rows come from."""

    def __init__(self, settings: PromptSourceSettings, origin: str) -> None:
        self._origin = origin
        self._columns = column_settings(settings)

    def representations(self, row: Any, index: int) -> dict[str, Any]:
        """`prompt`, and what else a setting names; values are the row's own objects.

        Beside a media column `prompt` becomes one user turn. Raises `ValueError` for a column that the row lacks and
        for what `media_turn` refuses, `TypeError` for a row that is no mapping. Spec: sources, SOURCE-8 and SOURCE-9.
        """
        where = f"{self._origin}: row {index}"
        if not isinstance(row, Mapping):
            raise TypeError(f"{where} is a {type(row).__name__}, expected a mapping from column names to values")
        made: dict[str, Any] = {}
        for setting, column in self._columns.items():
            if column not in row:
                has = ", ".join(map(repr, row)) or "none"
                raise ValueError(f"{where} has no column {column!r}, which {setting} names; it has {has}")
            if name := _CANONICAL.get(setting):
                made[name] = row[column]
            else:
                made.setdefault("metadata", {})[column] = row[column]
        if media := {setting: self._columns[setting] for setting in _MEDIA if setting in self._columns}:
            made["prompt"] = media_turn(made, media, where)
        return made
