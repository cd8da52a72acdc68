"""Objectives: what the trainer makes of trajectories, with the packer shaping and the model scoring."""

from packer_reference.objectives.advantages import group_advantages
from packer_reference.objectives.objective import Objective, make_objective
from packer_reference.objectives.result import ObjectiveResult

__all__ = ["Objective", "ObjectiveResult", "group_advantages", "make_objective"]
