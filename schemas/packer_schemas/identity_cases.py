"""Cases for the rules on identity: what packers declare, under which circumstance or change, and what a gate makes."""

from typing import Literal

from pydantic import Field, JsonValue

from packer_schemas.case_parts import KIND, Frozen, OnModel

__all__ = [
    "Circumstance",
    "ClassSourceCase",
    "DeclarationCase",
    "DeclarationForm",
    "Declared",
    "DocumentCase",
    "ModelChangeCase",
    "ResumeCase",
    "Spoiled",
    "SteadyCase",
    "ValueCase",
]

DeclarationForm = Literal[
    "as declared",
    "a tuple",
    "a set",
    "bytes",
    "an infinity",
    "a number for a key",
    "a float of NumPy",
    "an ordered dict",
    "101 levels",
    "a byte too many",
    "an empty mapping",
    "a list",
]
"""What a declaration holds: what the packer itself declares, or something odd that a gate has to refuse."""

Circumstance = Literal[
    "another instance",
    "after use",
    "after the tokenizer padded and cut",
    "after the answer was written into",
    "a copied folder",
    "a saved and reloaded packer",
    "another process",
    "another process, elsewhere",
]
"""Under what a packer is asked again."""

Spoiled = Literal[
    "nothing",
    "the digest of a part",
    "the digest of the whole",
    "a value",
    "a field less",
    "a field more",
    "schema_version",
    "no parts",
    "another part",
    "an empty value",
]
"""What is wrong with a saved document."""


class DeclarationCase(OnModel):
    """A packer that is asked for its declarations."""

    kind: Literal["declaration"] = Field(default="declaration", description=KIND)
    form: DeclarationForm = Field(default="as declared", description="What the declaration holds.")


class SteadyCase(OnModel):
    """A packer that is asked twice, the second time under a circumstance that decides no output."""

    kind: Literal["steady"] = Field(default="steady", description=KIND)
    circumstance: Circumstance = Field(description="Under what it is asked again.")


class ModelChangeCase(OnModel):
    """Two packers, one of them set up on a model folder in which one thing was changed."""

    kind: Literal["model-change"] = Field(default="model-change", description=KIND)
    change: str = Field(description="Name of the change, as the kit's catalogue has it.")


class Declared(Frozen):
    """What a packer declares; null for a protocol that it does not satisfy."""

    semantics: dict[str, JsonValue] | None = Field(default=None, description="Its semantics identity.")
    processor: dict[str, JsonValue] | None = Field(default=None, description="Its processor identity.")


class DocumentCase(Frozen):
    """A packer of the kit's own that a gate makes a document of, which is then spoiled and read again."""

    kind: Literal["document"] = Field(default="document", description=KIND)
    declared: Declared = Field(description="What the packer declares.")
    spoiled: Spoiled = Field(default="nothing", description="What is wrong with the document when it is read.")


class ValueCase(Frozen):
    """A JSON value in the declaration of a packer of the kit's own."""

    kind: Literal["json-value"] = Field(default="json-value", description=KIND)
    value: JsonValue = Field(description="The value.")


class ClassSourceCase(Frozen):
    """The source of a class, and of one that it inherits from, written to a module of their own."""

    kind: Literal["class-source"] = Field(default="class-source", description=KIND)
    body: list[str] = Field(min_length=1, description="Lines of the class's body, without their indentation.")
    base: list[str] = Field(default=[], description="Lines of the body of its base; empty for a class without one.")
    depth: int = Field(default=0, ge=0, le=3, description="How many functions the class is defined inside of.")


class ResumeCase(Frozen):
    """A packer that a checkpoint was saved with, and the one that a run resumes with, both of the kit's own."""

    kind: Literal["resume"] = Field(default="resume", description=KIND)
    saved: Declared = Field(description="What was declared when the checkpoint was saved.")
    live: Declared = Field(description="What is declared now.")
    same_source: bool = Field(default=True, description="Whether the class has the source that it had.")
