"""The parts of a run's configuration that speak of data and packers; everything else in it is the run's own."""

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler

from packer_schemas.all_mistakes import validated
from packer_schemas.build_spec import DataPackerFactories
from packer_schemas.source_settings import PreferenceSourceSettings, PromptSourceSettings

__all__ = ["RunConfig", "dotted_paths"]

_PATHS = {
    "rl.data": ("factory", "items_fn"),
    "rl.validation.data": ("factory", "items_fn"),
    "data_packer": ("factory", "teacher_model_factory"),
}
_PAIRS = [name for name in PreferenceSourceSettings.selectors if name != "factory"]
_PROMPTS = [name for name in PromptSourceSettings.selectors if name != "factory"]


class _Section(BaseModel):
    """Part of a configuration: keys that it does not know are left alone, unless one looks like a slip of the pen."""

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())

    @model_validator(mode="wrap")
    @classmethod
    def _no_slips(cls, section: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        known = [name for name in cls.model_fields if len(name) > 2]
        unknown = [key for key in section if key not in cls.model_fields] if isinstance(section, Mapping) else []
        close = {key: difflib.get_close_matches(str(key), known, n=1, cutoff=0.8) for key in unknown}
        slips = [f"{key!r} (did you mean {match[0]!r}?)" for key, match in close.items() if match]
        return validated(section, handler, f"there is no setting {', '.join(slips)}" if slips else None)


class _Prompts(PromptSourceSettings, _Section):
    pass


class _Pairs(PreferenceSourceSettings, _Section):
    others: ClassVar[tuple[str, ...]] = tuple(_PROMPTS)


def _kind(section: Any) -> str:
    """Prompts, unless a source that only preferences have is set: one schema of a run may list the keys of both."""
    given = section.get if isinstance(section, Mapping) else lambda name: getattr(section, name, None)
    return "preferences" if any(given(name) for name in _PAIRS) else "prompts"


_Source = Annotated[Annotated[_Prompts, Tag("prompts")] | Annotated[_Pairs, Tag("preferences")], Discriminator(_kind)]

_PathOrNone = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class _Packers(DataPackerFactories, _Section):
    factory: _PathOrNone = Field(default="", description="Student model; empty or null: the registry.")
    teacher_model_factory: _PathOrNone = Field(default="", description="Distinct teacher model; empty: the registry.")


class _Validation(_Section):
    data: _Source | None = Field(default=None, description="Where the held-out data comes from.")


class _Rl(_Section):
    data: _Source | None = Field(default=None, description="Where the training data comes from.")
    validation: _Validation | None = Field(default=None, description="Validation during training; null: none.")


class RunConfig(_Section):
    """A run's configuration, as far as it chooses sources and packers.

    `rl.data` and `rl.validation.data` hold settings of prompts, or of preferences where a built-in source of those is
    set; of a factory alone either can be built. `data_packer` holds the factories of packers. Other keys are left
    alone, but for one that is almost the name of a setting: it would be a setting that nobody applies.
    `ValidationError` is a `ValueError`, and names the key.
    """

    rl: _Rl | None = Field(default=None, description="The run itself.")
    data_packer: _Packers | None = Field(default=None, description="The configured packer factories.")

    def sources(self) -> dict[str, PromptSourceSettings | PreferenceSourceSettings]:
        """The settings of every source, by the key of their section."""
        rl = self.rl or _Rl()
        found = {"rl.data": rl.data, "rl.validation.data": (rl.validation or _Validation()).data}
        return {key: settings for key, settings in found.items() if settings is not None}


def dotted_paths(document: Any) -> dict[str, str]:
    """Every dotted path in a configuration, valid or not, by the key of its setting. Spec: sources, SOURCE-16."""
    found: dict[str, str] = {}
    for section, names in _PATHS.items():
        value = document
        for step in section.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        given = value if isinstance(value, Mapping) else {}
        found |= {f"{section}.{name}": given[name] for name in names if isinstance(given.get(name), str)}
    return {key: path for key, path in found.items() if path}
