"""A stand-in accelerator: torch reports one, every use of it is written down, and work goes on without it.

Tensors that were asked for on the accelerator are made on torch's `meta` device, which needs no hardware, so a packer
that moves data runs to its end and what it returns shows where it lies.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

__all__ = ["StandIn", "accelerator_stand_in"]

_ACCELERATORS = ("cuda", "mps", "xpu", "npu", "hpu")


@dataclass
class StandIn:
    """What the packer did with the accelerator, in words and in order."""

    requests: list[str] = field(default_factory=list)


@contextmanager
def accelerator_stand_in() -> Iterator[StandIn]:
    """Within the block torch seems to have one CUDA device; yields the record of its use."""
    import torch
    from torch.overrides import TorchFunctionMode

    seen = StandIn()

    class Redirect(TorchFunctionMode):
        def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(func, "__name__", str(func))
            kwargs = dict(kwargs or {})
            if name == "cuda":
                seen.requests.append("tensor.cuda()")
                return args[0].to("meta")
            if name == "pin_memory":
                seen.requests.append("tensor.pin_memory()")
                return args[0]
            if kwargs.pop("pin_memory", False):
                seen.requests.append(f"{name}(pin_memory=True)")
            if _names_accelerator(kwargs.get("device")):
                seen.requests.append(f"{name}(device={str(kwargs['device'])!r})")
                kwargs["device"] = "meta"
            if name == "to" and any(map(_names_accelerator, args[1:])):
                target = next(str(arg) for arg in args[1:] if _names_accelerator(arg))
                seen.requests.append(f"tensor.to({target!r})")
                args = tuple("meta" if _names_accelerator(arg) else arg for arg in args)
            back = name in ("to", "cpu") and "meta" not in (*args[1:], kwargs.get("device"))
            if back and isinstance(args[0], torch.Tensor) and args[0].is_meta:
                return torch.zeros(args[0].shape, dtype=args[0].dtype)  # values never went along
            return func(*args, **kwargs)

    def start(what: str, answer: Any = None) -> Callable[..., Any]:
        def record(*args: Any, **kwargs: Any) -> Any:
            seen.requests.append(what)
            return answer

        return record

    device = torch.device("cuda", 0)
    replaced: list[tuple[Any, str, Any]] = [
        (torch.cuda, "is_available", lambda: True),
        (torch.cuda, "device_count", lambda: 1),
        (torch.cuda, "current_device", lambda: 0),
        (torch.cuda, "init", start("torch.cuda.init()")),
        (torch.cuda, "_lazy_init", start("the start of CUDA")),
        (torch.cuda, "set_device", start("torch.cuda.set_device()")),
        (torch.cuda, "synchronize", start("torch.cuda.synchronize()")),
        (torch, "set_default_device", start("torch.set_default_device()")),
    ]
    if hasattr(torch, "accelerator"):
        replaced.append((torch.accelerator, "is_available", lambda: True))
        replaced.append((torch.accelerator, "current_accelerator", lambda check_available=False: device))
    with ExitStack() as stack:
        for owner, name, instead in replaced:
            stack.enter_context(patch.object(owner, name, instead))
        stack.enter_context(Redirect())
        yield seen


def _names_accelerator(value: Any) -> bool:
    import torch

    if isinstance(value, torch.device):
        return value.type in _ACCELERATORS
    return isinstance(value, str) and value.partition(":")[0] in _ACCELERATORS
