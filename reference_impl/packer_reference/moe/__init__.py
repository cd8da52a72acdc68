"""Routed experts of transformers models: their routers found, their choices recorded and replayed."""

from packer_reference.moe.record import RoutingRecorder

__all__ = ["RoutingRecorder"]
