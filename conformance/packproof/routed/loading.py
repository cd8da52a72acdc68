"""The steps that carry recorded routing around a packer, as a user names them."""

from typing import Any

from packer_schemas.routing_steps import RoutingSteps
from packproof.capabilities import methods_of, satisfies
from packproof.load import load_object
from packproof.violation import UsageError

__all__ = ["load_routing"]


def load_routing(given: Any) -> Any:
    """A module or object of `RoutingSteps`, by its name or as it is; `UsageError` when it is none."""
    found = load_object(given, "--packer-routing") if isinstance(given, str) else given
    if isinstance(found, type) or not satisfies(found, RoutingSteps):
        wanted = f"a module or object with {', '.join(methods_of(RoutingSteps))}"
        raise UsageError(f"--packer-routing {given!r}: expected {wanted}.")
    return found
