"""No false alarm on packers whose policy inputs, or whose insides, are unusual and right."""

import weakref

import pytest
import torch
from pydantic import BaseModel

from known_good.verdicts import not_passed
from packproof import check_packer
from packproof.zoo.miniature import MiniaturePacker


class SlottedRow:
    """A policy input without a `__dict__`, that has one slot empty and one not a number."""

    __slots__ = ("empty", "input_ids", "logprob_masks", "scores")

    def __init__(self, row):
        self.input_ids = row["input_ids"]
        self.logprob_masks = row["logprob_masks"]
        self.scores = torch.full((len(row["input_ids"]),), float("nan"))

    def __getitem__(self, name):
        return getattr(self, name)


class ModelRow(BaseModel, extra="allow"):
    """A pydantic model whose fields are all extra."""

    def __getitem__(self, name):
        return getattr(self, name)


class ProxyRow:
    """Shows the attributes of another object as its own."""

    def __init__(self, row):
        self._row = SlottedRow(row)

    def __getattr__(self, name):
        if name.startswith("__"):  # asked for while a copy is made, before there is a row
            raise AttributeError(name)
        return getattr(self._row, name)

    def __getitem__(self, name):
        return getattr(self._row, name)


class OtherRows(MiniaturePacker):
    """Makes policy inputs of the class `kind`."""

    def _row(self, prompt, completion, ignored):
        return self.kind(super()._row(prompt, completion, ignored))


def with_rows(kind):
    """A factory of packers with policy inputs of a kind."""
    return type("WithRows", (OtherRows,), {"kind": staticmethod(kind)})


class HoldsAProxyOfNothing(MiniaturePacker):
    """Keeps a weak proxy of an owner that is gone."""

    def __init__(self):
        super().__init__()
        self.owner = weakref.proxy(MiniaturePacker())


class LoadsWhatIsAskedFor(MiniaturePacker):
    """Asks in setup, as libraries do, whether there is an accelerator, and how many."""

    def setup(self, name_or_path, trust_remote_code=False):
        super().setup(name_or_path, trust_remote_code)
        self.devices = torch.cuda.device_count() if torch.cuda.is_available() else 0


@pytest.mark.parametrize(
    "factory",
    [
        with_rows(SlottedRow),
        with_rows(lambda row: ModelRow(**row, score=float("nan"))),
        with_rows(ProxyRow),
        HoldsAProxyOfNothing,
        LoadsWhatIsAskedFor,
    ],
    ids=["slots and nan", "pydantic extras and nan", "proxy", "proxy of nothing", "asks for devices"],
)
def test_an_odd_packer_conforms(factory):
    """Slots, empty ones too, NaN, proxies and questions about devices break no rule of the chapters that look there."""
    report = check_packer(factory, select=["LIFE", "CPU"], effort="quick", raise_on_failure=False)
    assert not_passed(report) == {}
