"""The stand-in accelerator: what counts as asking for one, what does not, and that nothing of it stays."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import set_default_device

from packproof.api import check_packer
from packproof.stand_in import accelerator_stand_in
from packproof.zoo import member
from packproof.zoo.miniature import MiniaturePacker

ONE = torch.ones(1)


def default_for_a_while() -> Any:
    """The default device, set by a name that was imported before."""
    set_default_device("cuda")
    set_default_device(None)


def start_by_name() -> None:
    """The start of a runtime that is not CUDA's."""
    torch.xpu.init()


def within_a_device() -> Any:
    """A tensor made in the block of a device."""
    with torch.device("cuda"):
        return torch.zeros(1)


@pytest.mark.parametrize(
    ("asks", "request_"),
    [
        (lambda: ONE.to("cuda:0"), "tensor.to('cuda:0')"),
        (lambda: ONE.to(0), "tensor.to(0)"),
        (lambda: ONE.to(torch.device("mps")), "tensor.to('mps')"),
        (lambda: ONE.to("xpu", torch.float64), "tensor.to('xpu')"),
        (ONE.cuda, "tensor.cuda()"),
        (lambda: torch.zeros(1, device=0), "zeros(device=0)"),
        (lambda: torch.zeros(1, pin_memory=True), "zeros(pin_memory=True)"),
        (start_by_name, "torch.xpu.init()"),
        (default_for_a_while, "a default device of 'cuda'"),
        (within_a_device, "a default device of 'cuda'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_request_is_written_down(asks: Callable[[], Any], request_: str) -> None:
    """Every way to ask for an accelerator, or to start one, is recorded once."""
    with accelerator_stand_in() as seen:
        asks()
    assert seen.requests == [request_]


@pytest.mark.parametrize(
    "idles",
    [
        lambda: torch.cuda.is_available() and torch.xpu.is_available() and torch.backends.mps.is_available(),
        lambda: ONE.to(torch.float64, False, True),
        lambda: ONE.to("cpu"),
        lambda: torch.zeros(1, device="cpu"),
        lambda: torch.device("cuda"),
        lambda: torch.Generator().manual_seed(0),
        lambda: set_default_device("cpu"),
    ],
    ids=["asking whether", "dtype", "to the CPU", "made on the CPU", "naming", "generator", "default of CPU"],
)
def test_what_asks_for_nothing_is_not_written_down(idles: Callable[[], Any]) -> None:
    """Asking whether there is an accelerator, naming one, and work on the CPU are no requests."""
    with accelerator_stand_in() as seen:
        assert idles() is not False
    assert seen.requests == []


def test_what_is_there_stays_there_until_it_is_fetched() -> None:
    """A change of dtype leaves a tensor on the stand-in, and the CPU gets it back, whatever the default device."""
    with accelerator_stand_in():
        set_default_device("cuda")
        there = ONE.to("cuda").to(torch.float64)
        assert there.device.type != "cpu"
        assert there.to("cpu").device.type == there.cpu().device.type == "cpu"


def test_the_default_device_comes_back_also_after_an_error() -> None:
    """A default device set in the block is gone afterwards, when an exception ended it as well."""

    def fails() -> None:
        with accelerator_stand_in():
            set_default_device("cuda")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert torch.get_default_device() == ONE.device
    assert torch.zeros(1).device == ONE.device


def test_a_packer_that_sets_the_default_device_harms_no_other() -> None:
    """A good packer that is judged after one that left the default device on an accelerator conforms."""
    with pytest.raises(AssertionError, match="CPU-1"):
        check_packer(member("batch-by-default-device").factory, effort="quick", select="CPU")
    check_packer(MiniaturePacker, effort="quick", select="CPU")
