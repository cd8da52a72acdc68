"""What the vector files have in common: the frame of a file and of a vector, refusals, and tagged values."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator
from typing_extensions import TypeAliasType

from packer_schemas.plain_array import Array

__all__ = [
    "Array",
    "Bit",
    "Count",
    "FloatValue",
    "Frozen",
    "IntValue",
    "Refusal",
    "RepeatValue",
    "TaggedValue",
    "TokenizerFacts",
    "Vector",
    "VectorFile",
]


class Frozen(BaseModel):
    """A part of a vector file: no field may be missing, misspelled or added."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Refusal(Frozen):
    """The input is refused. In another language any error will do that is told from an answer and from a crash."""

    kind: Literal["ValueError", "TypeError", "ValueError or TypeError", "KeyError", "NotImplementedError"] = Field(
        description="What is raised, in Python; of two kinds joined by 'or' either will do."
    )
    mentions: list[str] = Field(
        description="Numbers and names that occur in the message, each as a whole word: not directly beside another "
        "letter, digit or underscore."
    )


def _exactly_one_outcome(schema: dict[str, Any]) -> None:
    given = {"not": {"type": "null"}}
    schema["oneOf"] = [{"required": [key], "properties": {key: given}} for key in ("expected", "error")]


class Vector(Frozen):
    """One input, and either what comes out or how it is refused."""

    model_config = ConfigDict(json_schema_extra=_exactly_one_outcome)

    id: str = Field(pattern=r"^[a-z]+-[0-9]{3}$", description="Name of the file and a number; never used again.")
    requirement: str = Field(pattern=r"^([A-Z]+-[0-9]+)?$", description="The rule it belongs to; may be empty.")
    note: str = Field(min_length=1, description="What is worth seeing about it, in a line.")
    error: Refusal | None = Field(default=None, description="How the input is refused.")

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if (self.error is None) == (getattr(self, "expected", None) is None):
            raise ValueError(f"{self.id} needs either expected or error")
        return self


class VectorFile(Frozen):
    """A file of vectors for one part of the specification."""

    spec: str = Field(pattern=r"^[0-9]+\.[0-9]+$", description="Version of the specification.")
    description: str = Field(description="What the inputs hold and what comes out.")


Bit = Annotated[StrictInt, Field(ge=0, le=1)]
Count = Annotated[StrictInt, Field(ge=0)]


class TokenizerFacts(Frozen):
    """Special ids of a tokenizer. Only collation uses one of them, the pad id; masks and rows do not depend on them."""

    model: str | None = Field(default=None, description="Model of the kit that has these ids; information only.")
    bos_token_id: StrictInt | None = Field(
        default=None, description="Id of the token that begins a text; null: there is none."
    )
    eos_token_id: StrictInt | None = Field(
        default=None, description="Id of the token that ends a text; null: there is none."
    )
    pad_token_id: StrictInt | None = Field(default=None, description="Id of the filler; null: there is none.")


class IntValue(Frozen):
    """An integer."""

    digits: str = Field(alias="int", pattern=r"^-?(0|[1-9][0-9]*)$", description="Its decimal digits.")


class FloatValue(Frozen):
    """A double-precision float."""

    text: str = Field(
        alias="float",
        pattern=r"^(-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?|NaN|-?Infinity)$",
        description="A decimal number that is read as the nearest double.",
    )


class Utf16Value(Frozen):
    """A string given by its UTF-16 code units, for those that JSON parsers refuse."""

    units: str = Field(alias="utf16", pattern=r"^([0-9a-f]{4})*$", description="Four hex digits a unit.")


class ListValue(Frozen):
    """A list."""

    items: list["TaggedValue"] = Field(alias="list", description="The items.")


class MapValue(Frozen):
    """A map as it was written: in its order, with keys of any type, which may come twice."""

    pairs: list[tuple["TaggedValue", "TaggedValue"]] = Field(alias="map", description="A key and a value each.")


Length = Annotated[StrictInt, Field(ge=1)]


class RepeatValue(Frozen):
    """A string too long to be written out: a text so many times."""

    repeated: tuple[StrictStr, Length] = Field(alias="repeat", description="The text, and how often it comes.")


class NinesValue(Frozen):
    """An integer too long to be written out: so many nines."""

    count: Length = Field(alias="nines", description="How many nines.")


class NestValue(Frozen):
    """Lists within one another, so many levels, the innermost of which is empty."""

    levels: Length = Field(alias="nest", description="How many levels.")


TaggedValue = TypeAliasType(
    "TaggedValue",
    StrictStr
    | StrictBool
    | IntValue
    | FloatValue
    | Utf16Value
    | ListValue
    | MapValue
    | RepeatValue
    | NinesValue
    | NestValue
    | None,
)
"""A typed value that no JSON parser spoils: strings, booleans and null stand for themselves, the rest has a tag."""
