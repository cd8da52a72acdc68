"""Routed experts of transformers models: their routers found, their choices recorded and replayed.

Importing it loads neither torch nor transformers.
"""

from packer_reference.moe.record import RoutingRecorder
from packer_reference.moe.replay import ReplayedModel

__all__ = ["ReplayedModel", "RoutingRecorder"]
