"""What a run's configuration says of its data: which source, which columns, and what becomes of a saved cursor."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler

from packer_schemas.all_mistakes import validated
from packer_schemas.canonical import canonical_json

__all__ = ["CursorResume", "PreferenceSourceSettings", "PromptSourceSettings", "SourceSettings"]

CursorResume = Literal["off", "auto", "strict"]
"""What a run does with a saved cursor. Spec: sources, SOURCE-12."""

Column = Annotated[str, Field(min_length=1)]


class SourceSettings(BaseModel):
    """What prompts and preferences have in common; a string or number that is empty, 0 or null counts as left out.

    More than one selector, and keyword arguments without a factory, are refused. Spec: sources, SOURCE-15.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    selectors: ClassVar[tuple[str, ...]] = ("factory",)
    others: ClassVar[tuple[str, ...]] = ()
    """Selectors of another kind of source, which exclude these too."""

    factory: str | None = Field(default=None, description="Dotted path of a factory; it returns the source.")
    factory_kwargs: dict[str, Any] = Field(
        default_factory=dict, description="Keyword arguments of the factory, all of them: plain JSON data."
    )
    cursor_resume: CursorResume = Field(
        default="auto",
        description="What becomes of a saved cursor: `off` ignores it, `auto` restores or refuses it, and `strict` "
        "also refuses to go on without one.",
    )

    @property
    def selected(self) -> dict[str, Any]:
        """The selectors that are set, by name: at most one."""
        return {name: value for name in self.selectors if (value := getattr(self, name))}

    @field_validator("factory_kwargs", mode="after")
    @classmethod
    def _are_plain(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            canonical_json(value, "factory_kwargs")
        except TypeError as error:  # which pydantic would let through
            raise ValueError(error) from error
        return value

    @model_validator(mode="wrap")
    @classmethod
    def _one_is_selected(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return validated(value, handler, cls._misselected(value) if isinstance(value, Mapping) else None)

    @classmethod
    def _misselected(cls, given: Mapping[str, Any]) -> str | None:
        selected = {name: given[name] for name in (*cls.selectors, *cls.others) if given.get(name)}
        found = ", ".join(f"{name}={value!r}" for name, value in selected.items())
        if len(selected) > 1:
            return f"expected one source at most, got {found}; keep one of them"
        if (kwargs := given.get("factory_kwargs")) and "factory" not in selected:
            said = f"expected a factory for factory_kwargs={kwargs!r}, got {found or 'none'}"
            return f"{said}; name it, or leave them out"
        return None


class PromptSourceSettings(SourceSettings):
    """Where a run's prompts come from, and which columns of a row become what.

    Beyond what a schema checks: at most one of factory, path and name is set, and factory_kwargs need a factory.
    """

    selectors: ClassVar[tuple[str, ...]] = ("factory", "path", "name")

    path: str | None = Field(default=None, description="Built-in source: a local file or folder of rows.")
    name: str | None = Field(default=None, description="Built-in source: a data set by its public name.")
    prompt_column: Column = Field(default="prompt", description="Column that becomes `prompt`.")
    response_column: str | None = Field(default=None, description="Column that becomes `reference`, or none.")
    image_column: str | None = Field(default=None, description="Column that becomes `image`, or none.")
    video_column: str | None = Field(default=None, description="Column that becomes `video`, or none.")
    id_column: str | None = Field(default=None, description="Column that becomes `id`, or none.")
    metadata_columns: list[Column] = Field(
        default_factory=list, strict=True, description="Columns that become entries of `metadata`, under their names."
    )
    items_fn: str | None = Field(
        default=None, description="Dotted path of a function from one row to one row, called before columns are read."
    )


class PreferenceSourceSettings(SourceSettings):
    """Where a run's preference pairs come from.

    Beyond what a schema checks: at most one of factory, jsonl_path, tar_path and synthetic_pairs is set, and
    factory_kwargs need a factory.
    """

    selectors: ClassVar[tuple[str, ...]] = ("factory", "jsonl_path", "tar_path", "synthetic_pairs")

    jsonl_path: str | None = Field(default=None, description="Built-in source: a JSON Lines file of pairs.")
    tar_path: str | None = Field(default=None, description="Built-in source: a tar archive of pairs.")
    synthetic_pairs: int | None = Field(
        default=None, strict=True, ge=0, description="Built-in source: this many made-up pairs."
    )
    shuffle: bool = Field(default=False, strict=True, description="Whether every epoch has an order of its own.")
