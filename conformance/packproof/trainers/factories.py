"""Factories of packers that a run is configured with by their paths; they say how often they were called."""

from collections.abc import Mapping
from typing import Any

from packproof.zoo.miniature import MiniaturePacker

__all__ = ["BUILT", "STUDENT", "TEACHER", "StudentPacker", "TeacherPacker", "student", "teacher"]

BUILT: list[Any] = []
"""The packers that the factories made, in order; whoever looks empties it first."""

STUDENT, TEACHER = f"{__name__}.student", f"{__name__}.teacher"


class StudentPacker(MiniaturePacker):
    """A text packer that keeps what it was set up with."""

    def __init__(self) -> None:
        super().__init__()
        self.set_up_with: tuple[Any, ...] = ()

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature."""
        super().setup(name_or_path, trust_remote_code)
        self.set_up_with = (str(name_or_path), trust_remote_code)

    def validation_semantics_identity(self) -> Mapping[str, Any]:
        """Plain data."""
        return {"packer": "packproof"}

    def processor_semantics_identity(self) -> Mapping[str, Any]:
        """Plain data."""
        return {"processor": "packproof"}


class TeacherPacker(StudentPacker):
    """A packer of another class."""


def student() -> StudentPacker:
    """A packer for the student's model."""
    BUILT.append(StudentPacker())
    return BUILT[-1]


def teacher() -> TeacherPacker:
    """A packer for the teacher's model."""
    BUILT.append(TeacherPacker())
    return BUILT[-1]
