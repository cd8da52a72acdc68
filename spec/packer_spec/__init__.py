"""The packer specification: normative chapters, and a loader for their numbered requirements."""

from packer_spec.requirements import (
    CHAPTERS,
    SPEC_VERSION,
    Chapter,
    Requirement,
    SpecError,
    chapters,
    requirement,
    requirements,
)

__all__ = [
    "CHAPTERS",
    "SPEC_VERSION",
    "Chapter",
    "Requirement",
    "SpecError",
    "chapters",
    "requirement",
    "requirements",
]
