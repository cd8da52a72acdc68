"""A stand-in accelerator: torch reports one, every use of it is written down, and work goes on without it.

Tensors that were asked for on the accelerator are made on torch's `meta` device, which needs no hardware, so a packer
that moves data runs to its end and what it returns shows where it lies. The same goes for a default device.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

__all__ = ["StandIn", "accelerator_stand_in"]

_ACCELERATORS = ("cuda", "mps", "xpu", "npu", "hpu")
_STARTS = ("init", "_lazy_init", "set_device", "set_device_index", "synchronize")
_ANSWERS: dict[str, Callable[..., Any]] = {
    "is_available": lambda: True,
    "device_count": lambda: 1,
    "current_device": lambda: 0,
    "current_accelerator": lambda check_available=False: _device("cuda:0"),
}


@dataclass
class StandIn:
    """What the packer did with the accelerator, in words and in order."""

    requests: list[str] = field(default_factory=list)


@contextmanager
def accelerator_stand_in() -> Iterator[StandIn]:
    """Within the block torch seems to have one device each of CUDA, XPU and MPS; yields the record of their use.

    Whatever happened there, torch's default device afterwards is the one from before.
    """
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._device import DeviceContext

    seen = StandIn()

    class Redirect(TorchFunctionMode):
        def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(func, "__name__", str(func))
            kwargs = dict(kwargs or {})
            if name in ("cuda", "xpu"):
                seen.requests.append(f"tensor.{name}()")
                return args[0].to("meta")
            if name == "pin_memory":
                seen.requests.append("tensor.pin_memory()")
                return args[0]
            if kwargs.pop("pin_memory", False):
                seen.requests.append(f"{name}(pin_memory=True)")
            if _names_accelerator(kwargs.get("device")):
                seen.requests.append(f"{name}(device={_named(kwargs['device'])})")
                kwargs["device"] = "meta"
            if name == "to" and any(map(_names_accelerator, args[1:])):
                target = next(_named(arg) for arg in args[1:] if _names_accelerator(arg))
                seen.requests.append(f"tensor.to({target})")
                args = (args[0], *("meta" if _names_accelerator(arg) else arg for arg in args[1:]))
            back = name == "cpu" or (name == "to" and any(map(_names_cpu, (*args[1:], kwargs.get("device")))))
            if back and isinstance(args[0], torch.Tensor) and args[0].is_meta:
                return torch.zeros(args[0].shape, dtype=args[0].dtype, device="cpu")  # values never went along
            return func(*args, **kwargs)

    make_context = DeviceContext.__init__

    def make_default(self: Any, device: Any) -> None:  # what `set_default_device` comes down to, however it is imported
        if _names_accelerator(device):
            seen.requests.append(f"a default device of {_named(device)}")
            device = "meta"
        make_context(self, device)

    def start(call: str) -> Callable[..., None]:
        return lambda *args, **kwargs: seen.requests.append(call)

    runtimes = {"cuda": torch.cuda, "xpu": torch.xpu, "mps": torch.mps, "backends.mps": torch.backends.mps}
    if hasattr(torch, "accelerator"):  # since torch 2.6
        runtimes["accelerator"] = torch.accelerator
    replaced = [(owner, name, answer) for owner in runtimes.values() for name, answer in _ANSWERS.items()]
    replaced += [(owner, name, start(f"torch.{at}.{name}()")) for at, owner in runtimes.items() for name in _STARTS]
    with ExitStack() as stack:
        stack.callback(_restore_default_device, torch.get_default_device())
        stack.enter_context(patch.object(DeviceContext, "__init__", make_default))
        for owner, name, instead in replaced:
            if hasattr(owner, name):
                stack.enter_context(patch.object(owner, name, instead))
        stack.enter_context(Redirect())
        yield seen


def _restore_default_device(before: Any) -> None:
    import torch

    if torch.get_default_device() != before:
        torch.set_default_device(None if before.type == "cpu" else before)


def _device(name: str) -> Any:
    import torch

    return torch.device(name)


def _names_cpu(value: Any) -> bool:
    import torch

    return isinstance(value, (str, torch.device)) and str(value).partition(":")[0] == "cpu"


def _named(device: Any) -> str:
    return repr(device if isinstance(device, int) else str(device))


def _names_accelerator(value: Any) -> bool:
    import torch

    if isinstance(value, torch.device):
        return value.type in _ACCELERATORS
    if isinstance(value, int):
        return not isinstance(value, bool)  # an index alone means the accelerator that there is
    return isinstance(value, str) and value.partition(":")[0] in _ACCELERATORS
