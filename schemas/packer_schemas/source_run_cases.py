"""Cases for the rules on runs that take data sources in: settings, what stands behind them, and what was saved."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from packer_schemas.case_parts import KIND, Frozen

__all__ = [
    "ColumnSetting",
    "Columns",
    "ColumnsCase",
    "CursorCase",
    "FactoryCallCase",
    "FingerprintCase",
    "MissingColumnCase",
    "NoSource",
    "OverlapCase",
    "PathKey",
    "PathKind",
    "PreflightCase",
    "RaisedByFactory",
    "ReturnedCase",
    "SavedCursor",
    "SelectorsCase",
    "SourceKind",
    "SpoiledIds",
    "UnreachableCase",
    "Way",
    "WhyUnreachable",
    "WrittenItemCase",
]

_Name = Annotated[str, Field(min_length=1)]
_Ids = Annotated[list[_Name], Field(min_length=1)]

SourceKind = Literal["prompts", "preferences"]
"""What a source is for."""

OF = "What the source is for."

NoSource = Literal[
    "nothing",
    "the class itself",
    "splits",
    "splits of its own",
    "letters",
    "raw",
    "no rows",
    "no items",
    "a walk",
    "an iterator",
    "unordered",
    "a stream",
    "a stream that is counted",
    "no index of its own",
    "no index",
    "no length",
    "a broken length",
    "a number",
]
"""What a factory returns that is no source: something else than a map-style object, or an empty one."""

Way = Literal["a dictionary", "a list", "a tuple", "a named tuple", "an ordered dictionary"]
"""A container on the way to what is written into."""

ColumnSetting = Literal[
    "prompt_column", "response_column", "image_column", "video_column", "id_column", "metadata_columns"
]
"""A setting that names a column."""

SavedCursor = Literal[
    "a new run",
    "no cursor",
    "the same",
    "length",
    "seed",
    "shuffle",
    "fingerprint",
    "no fingerprint",
    "kind",
    "schema_version",
    "a field less",
    "an empty document",
    "none for this rank",
    "none for another rank",
]
"""What a checkpoint holds, if there is one: a cursor that fits, one that differs in a field, or less than that."""

SpoiledIds = Literal["nothing", "a list", "one too few", "an empty one", "a number", "one twice"]
"""What is wrong with membership ids."""

PathKey = Literal[
    "rl.data.factory",
    "rl.data.items_fn",
    "rl.validation.data.factory",
    "rl.validation.data.items_fn",
    "data_packer.factory",
    "data_packer.teacher_model_factory",
]
"""A setting that holds a dotted path."""

PathKind = Literal[
    "good", "no such package", "no such module", "no such name", "not callable", "no dot", "a module that raises"
]
"""What a dotted path leads to."""

WhyUnreachable = Literal[
    "no such package",
    "no such module",
    "no such name",
    "no dot",
    "a module that raises",
    "raises",
    "returns nothing",
]
"""Why there is no source behind a path."""

RaisedByFactory = Literal["FileNotFoundError", "KeyError", "ValueError", "ImportError", "TypeError", "SystemExit"]
"""What a factory raises."""


class FactoryCallCase(Frozen):
    """A factory of the kit's own that tells how it was called, and writes into what it was given."""

    kind: Literal["factory-call"] = Field(default="factory-call", description=KIND)
    of: SourceKind = Field(default="prompts", description=OF)
    kwargs: dict[str, JsonValue] = Field(description="`factory_kwargs`; left out of the settings where empty.")


class ReturnedCase(Frozen):
    """A factory of the kit's own that returns what is no source."""

    kind: Literal["returned"] = Field(default="returned", description=KIND)
    of: SourceKind = Field(default="prompts", description=OF)
    what: NoSource = Field(description="What it returns.")


class WrittenItemCase(Frozen):
    """A source that keeps its items, one of which is written into after it was read."""

    kind: Literal["written-item"] = Field(default="written-item", description=KIND)
    ways: list[Way] = Field(
        description="Containers around the innermost list of the item, from the inside out; of media there are none."
    )
    place: Literal["prompt", "reference", "metadata", "image", "video", "preferences"] = Field(
        description="Where in a sample these stand; or in the prompt and the payloads of a triple."
    )
    by: Literal["the consumer", "items_fn"] = Field(
        default="the consumer", description="Who writes; of prompts it may be the function of the settings."
    )


class Columns(Frozen):
    """The settings that name columns."""

    prompt_column: _Name = Field(default="prompt", description="Column that becomes `prompt`.")
    response_column: str | None = Field(default=None, description="Column that becomes `reference`, or none.")
    image_column: str | None = Field(default=None, description="Column that becomes `image`, or none.")
    video_column: str | None = Field(default=None, description="Column that becomes `video`, or none.")
    id_column: str | None = Field(default=None, description="Column that becomes `id`, or none.")
    metadata_columns: list[_Name] = Field(default=[], description="Columns that become entries of `metadata`.")


class ColumnsCase(Frozen):
    """Rows, and the columns of them that reach samples."""

    kind: Literal["columns"] = Field(default="columns", description=KIND)
    rows: list[dict[str, JsonValue]] = Field(min_length=1, description="The rows, as the source has them.")
    columns: Columns = Field(description="The settings; those that are null or empty are left out.")
    items_fn: bool = Field(default=False, description="Whether a function writes the names of columns in capitals.")
    read_only: bool = Field(default=False, description="Whether the rows are mappings that are no dictionaries.")


class MissingColumnCase(Frozen):
    """Rows of which one lacks a column that a setting names."""

    kind: Literal["missing-column"] = Field(default="missing-column", description=KIND)
    setting: ColumnSetting = Field(description="The setting.")
    at: int = Field(ge=0, le=40, description="Index of the row that lacks the column; there is one row after it.")
    items_fn: bool = Field(default=False, description="Whether a function writes the names of columns in capitals.")


class FingerprintCase(Frozen):
    """A source with words of its own for its content."""

    kind: Literal["fingerprint"] = Field(default="fingerprint", description=KIND)
    of: SourceKind = Field(default="prompts", description=OF)
    words: _Name | None = Field(description="What `cursor_fingerprint()` returns; null: the source has no such method.")
    length: int = Field(ge=1, le=400, description="How many items it has.")


class CursorCase(Frozen):
    """A start of a run: its `cursor_resume`, its source, and what the checkpoint holds."""

    kind: Literal["cursor"] = Field(default="cursor", description=KIND)
    of: SourceKind = Field(default="prompts", description=OF)
    mode: str = Field(description="The value of `cursor_resume`.")
    saved: SavedCursor = Field(description="What the checkpoint holds.")
    fingerprinted: bool = Field(default=True, description="Whether the source has `cursor_fingerprint()`.")
    length: int = Field(default=12, ge=1, le=400, description="How many items the source has.")
    read: int = Field(default=1, ge=0, description="How many of them were given out before the cursor was saved.")


class OverlapCase(Frozen):
    """A source that is trained and one that is held out, by the ids of their items."""

    kind: Literal["overlap"] = Field(default="overlap", description=KIND)
    of: SourceKind = Field(default="preferences", description=OF)
    training: _Ids | None = Field(description="Ids that are trained, each once; null: no `membership_ids()`.")
    held_out: _Ids | None = Field(description="Ids that are held out, each once; null: no `membership_ids()`.")
    spoiled: SpoiledIds = Field(default="nothing", description="What is wrong with the ids of one side.")
    side: Literal["training", "held_out"] = Field(default="training", description="Whose ids are spoiled.")


class SelectorsCase(Frozen):
    """Settings with selectors of sources."""

    kind: Literal["selectors"] = Field(default="selectors", description=KIND)
    of: SourceKind = Field(default="prompts", description=OF)
    factory: bool = Field(default=True, description="Whether `factory` names one of the kit's own.")
    others: dict[str, str | int | None] = Field(description="The other selectors that the settings hold.")
    kwargs: bool = Field(default=False, description="Whether there are keyword arguments.")


class PreflightCase(Frozen):
    """A configuration in which one dotted path leads somewhere, or nowhere, and all others are good."""

    kind: Literal["preflight"] = Field(default="preflight", description=KIND)
    key: PathKey = Field(description="The setting.")
    path: PathKind = Field(description="Where its path leads.")
    validation: bool = Field(default=True, description="Whether there is a section `rl.validation`.")


class UnreachableCase(Frozen):
    """A path that leads to no source."""

    kind: Literal["unreachable"] = Field(default="unreachable", description=KIND)
    of: SourceKind = Field(default="prompts", description=OF)
    why: WhyUnreachable = Field(description="Why it does not.")
    raised: RaisedByFactory = Field(default="FileNotFoundError", description="What a factory raises that does.")
