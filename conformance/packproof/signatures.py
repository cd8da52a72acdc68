"""How the contract calls a packer's methods, and which of a packer's own cannot be called like that."""

import inspect
from pathlib import Path
from types import TracebackType
from typing import Any

from packer_schemas.protocols import PolicyPacker, RolloutPacker, SetsUp
from packproof.capabilities import CAPABILITIES, methods_of, satisfies
from packproof.load import describe
from packproof.violation import CallFailed

__all__ = ["expect_signatures", "wrong_signature"]

_CALLS: tuple[tuple[Any, str, int, tuple[str, ...]], ...] = (
    (SetsUp, "setup", 1, ()),  # `trust_remote_code` is LIFE-6's
    (RolloutPacker, "get_rollout_input", 1, ()),
    (PolicyPacker, "get_policy_input", 2, ("n_ignore_prefix_tokens", "prompt_ids")),
    (PolicyPacker, "policy_compute_max_len", 1, ()),
    (PolicyPacker, "policy_collate_fn", 2, ()),
)
"""Protocol, method, arguments by place and arguments by name, of the calls that nearly every rule makes."""
_READY = "A packer that its factory returns set up needs no setup."
_KIT = Path(__file__).parent


def expect_signatures(call: str, packer: Any, *, built_ready: bool) -> None:
    """`CallFailed`, of the factory's `call`, where a method cannot be called as nearly every rule calls it."""
    for protocol, name, places, keywords in _CALLS:
        if not satisfies(packer, protocol) or (built_ready and protocol is SetsUp):
            continue
        signature = _own_signature(getattr(packer, name))
        if signature is None:
            continue
        try:
            signature.bind(*[None] * places, **dict.fromkeys(keywords))
        except TypeError as error:
            got = f"returned {type(packer).__name__} with {name}{_untyped(signature)}"
            by_place = list(inspect.signature(getattr(protocol, name)).parameters)[1 : places + 1]
            typed = ", ".join([*by_place, *(f"{keyword}=..." for keyword in keywords)])
            advice = f"It is called as {name}({typed}): {error}.{f' {_READY}' if protocol is SetsUp else ''}"
            raise CallFailed(call, got, _in_contract(protocol, name), advice) from None


def wrong_signature(error: TypeError, packer: Any, call: str) -> CallFailed | None:
    """What to say of an error that the `call` of a packer's method was met with before any code of the packer ran."""
    name = call.partition("(")[0]
    protocol = next((one for one in CAPABILITIES.values() if name in methods_of(one)), None)
    if protocol is None or f"{name}() " not in str(error) or not _raised_in_kit(error.__traceback__):
        return None
    signature = _own_signature(getattr(packer, name))
    own = "" if signature is None else f"; the packer's own is {name}{_untyped(signature)}"
    got = f"raised {describe(error.with_traceback(None))}{own}"
    return CallFailed(call, got, _in_contract(protocol, name), _READY if protocol is SetsUp else "")


def _raised_in_kit(innermost: TracebackType | None) -> bool:
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    file = Path(innermost.tb_frame.f_code.co_filename) if innermost is not None else Path()
    return file.is_relative_to(_KIT) and not file.is_relative_to(_KIT / "zoo")


def _in_contract(protocol: Any, name: str) -> str:
    """A method's signature in the contract, without types: `setup(name_or_path, trust_remote_code=False)`."""
    _, *own = inspect.signature(getattr(protocol, name)).parameters.values()
    return f"{name}{_untyped(inspect.Signature(own))}"


def _own_signature(method: Any) -> inspect.Signature | None:
    """Of the very function that is called, not of one that it wraps, which may be called with something else."""
    try:
        if hasattr(method, "__signature__"):
            return None  # what a wrapper says of itself, and may be the signature of what it wraps
        return inspect.signature(method, follow_wrapped=False)
    except Exception:
        return None  # nothing to read; the call itself says what it takes


def _untyped(signature: inspect.Signature) -> str:
    own = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return str(inspect.Signature(own))
