"""The packer specification: normative chapters, and a loader for their numbered requirements."""

from packer_spec.requirements import (
    CHAPTERS,
    LEVELS,
    SPEC_VERSION,
    SPEC_VERSIONS,
    Chapter,
    Requirement,
    SpecError,
    chapters,
    requirement,
    requirements,
)

__all__ = [
    "CHAPTERS",
    "LEVELS",
    "SPEC_VERSION",
    "SPEC_VERSIONS",
    "Chapter",
    "Requirement",
    "SpecError",
    "chapters",
    "requirement",
    "requirements",
]
