"""Cases for the rules that bind a data source: what is read of it, when, and what was changed before."""

from typing import Literal

from pydantic import Field

from packer_schemas.case_parts import KIND, Frozen

__all__ = [
    "ItemForm",
    "Reading",
    "SourceAskedCase",
    "SourceOutsideCase",
    "SourceReadingCase",
    "SourceSpanCase",
    "TripleCase",
    "When",
]

Reading = Literal[
    "read again",
    "read backwards",
    "after the random state moved",
    "another instance",
    "a pickled copy",
    "another process",
    "another process, elsewhere",
]
"""How items are read the second time."""

When = Literal[
    "asked again",
    "after reading",
    "another instance",
    "another process",
    "another process, elsewhere",
    "a number raised",
    "a number lowered",
    "a switch turned",
    "a line dropped",
    "a line repeated",
    "two lines exchanged",
    "a line edited",
]
"""When a source is asked: under a circumstance that changes no item, or after a change of an argument or of a file."""

ItemForm = Literal[
    "as the source has it",
    "a triple",
    "a named triple",
    "a list of three",
    "a mapping",
    "a pair",
    "a tuple of four",
    "a text",
]
"""What stands in the place of an item of preferences."""

_PLACE = "Counts from the first index on, and past the last one from the first again."


class SourceReadingCase(Frozen):
    """Items of a source that are read twice."""

    kind: Literal["source-reading"] = Field(default="source-reading", description=KIND)
    reading: Reading = Field(description="How they are read the second time.")
    places: list[int] = Field(min_length=1, description=f"Which items, in this order. {_PLACE}")


class SourceSpanCase(Frozen):
    """Items of a source that stand next to each other."""

    kind: Literal["source-span"] = Field(default="source-span", description=KIND)
    place: int = Field(description=f"The first of them. {_PLACE} Negative numbers count from the end.")
    count: int = Field(default=1, ge=1, le=1000, description="How many.")


class SourceOutsideCase(Frozen):
    """An index that names no item, or one that counts from the end."""

    kind: Literal["source-outside"] = Field(default="source-outside", description=KIND)
    side: Literal["beyond the end", "before the start", "negative"] = Field(description="On which side it lies.")
    distance: int = Field(default=0, ge=0, description="How far beyond the nearest such index.")


class SourceAskedCase(Frozen):
    """A source that is asked for its fingerprint or its membership ids, and once more at another time."""

    kind: Literal["source-asked"] = Field(default="source-asked", description=KIND)
    when: When = Field(description="When it is asked the second time.")
    argument: int = Field(default=0, ge=0, description="Which of the arguments that can be changed so.")
    place: int = Field(default=0, ge=0, description="Which line of a file.")


class TripleCase(Frozen):
    """An item of a source of preferences, or one that a run is given in its place."""

    kind: Literal["triple"] = Field(default="triple", description=KIND)
    form: ItemForm = Field(description="What the item is.")
    place: int = Field(default=0, ge=0, description=f"Where it stands. {_PLACE}")
