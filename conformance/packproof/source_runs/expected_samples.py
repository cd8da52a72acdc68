"""What the samples of rows are to hold, for SOURCE-8: one of two makers of samples that have to agree."""

from collections.abc import Mapping
from typing import Any

from packer_schemas.source_run_cases import ColumnsCase

__all__ = ["column_settings", "expected_sample", "is_refused"]

_CANONICAL = {
    "response_column": "reference",
    "image_column": "image",
    "video_column": "video",
    "id_column": "id",
}


def column_settings(case: ColumnsCase) -> dict[str, Any]:
    """The settings of a case that are set."""
    return {name: value for name, value in case.columns.model_dump().items() if value}


def expected_sample(case: ColumnsCase, row: Mapping[str, Any]) -> dict[str, Any]:
    """The representations of the sample of a row that has all columns."""
    settings = column_settings(case)
    made = {"prompt": row[settings["prompt_column"]]}
    made |= {name: row[settings[setting]] for setting, name in _CANONICAL.items() if setting in settings}
    if "metadata_columns" in settings:
        made["metadata"] = {column: row[column] for column in settings["metadata_columns"]}
    parts: list[Any] = [{"type": "image", "image": handle} for handle in _list_of(made.get("image"))]
    parts += _list_of(made.get("video"))
    if parts:
        made["prompt"] = [{"role": "user", "content": [*parts, {"type": "text", "text": made["prompt"]}]}]
    return made


def is_refused(case: ColumnsCase, row: Mapping[str, Any]) -> bool:
    """Whether the prompt of a row is no text beside a media column."""
    settings = column_settings(case)
    beside = "image_column" in settings or "video_column" in settings
    return beside and not isinstance(row[settings["prompt_column"]], str)


def _list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
