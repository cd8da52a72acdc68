"""A project of somebody who locks packers: what they declare and do stands in a file that a test can edit."""

from user_project import Project

__all__ = ["lock_project"]

PACKERS = """
import json
from pathlib import Path

from packers import Plain


def settings():
    return json.loads((Path(__file__).parent / "settings.json").read_text())


class Prefixed(Plain):
    def __init__(self):
        self.settings = settings()

    def validation_semantics_identity(self):
        return {name: self.settings[name] for name in self.settings["declared"]}

    def get_policy_input(self, *given, **named):
        row = super().get_policy_input(*given, **named)
        more = self.settings["prefix"]
        return {"input_ids": more + row["input_ids"], "logprob_masks": [0] * len(more) + row["logprob_masks"]}


class Silent(Prefixed):
    validation_semantics_identity = None
"""

SETTINGS = '{"declared": ["prefix", "note"], "prefix": [7], "note": "x"}'


def lock_project(project: Project) -> Project:
    """Two packers, `mine`, which declares, and `silent`, which does not, named in pyproject.toml."""
    project.write("locked.py", PACKERS)
    project.write("settings.json", SETTINGS)
    project.table(packer='["mine=locked:Prefixed", "silent=locked:Silent"]')
    return project
