"""Where a module with weights can hide in a packer, and what is no hiding place."""

import functools
import itertools
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import BaseModel, ConfigDict, PrivateAttr

from packproof.reachable import modules_with_weights

ENCODER = torch.nn.Linear(2, 2)


class Model(BaseModel):
    """A packer that is a pydantic model, with room for more."""

    model_config = ConfigDict(extra="allow")
    _encoder: Any = PrivateAttr(default=None)


class Slotted:
    """A packer that keeps nothing in a `__dict__`."""

    __slots__ = ("__encoder", "never_filled")

    def __init__(self, encoder: Any) -> None:
        self.__encoder = encoder


class Holder:
    """A packer with one attribute."""

    def __init__(self, held: Any) -> None:
        self.held = held


def closing_over(encoder: Any) -> Callable[[], Any]:
    """A function that has the encoder in its closure."""
    return lambda: encoder


def memoised(encoder: Any) -> Callable[[], Any]:
    """A function that keeps its answer, the encoder, which it took from elsewhere."""
    kept = functools.lru_cache([encoder].pop)
    kept()
    return kept


def caught() -> Exception:
    """An error from a place where an encoder was at hand."""
    encoder = ENCODER
    try:
        raise ValueError(type(encoder))
    except ValueError as error:
        return error


def private(encoder: Any) -> Model:
    """A model that keeps the encoder in a private attribute."""
    model = Model()
    model._encoder = encoder
    return model


def on_the_class(part: Any, name: str = "encoder") -> Any:
    """An object whose class has the part as its attribute."""
    return type("Holder", (), {name: part})()


@pytest.mark.parametrize(
    ("packer", "path"),
    [
        (Holder({"a": [(ENCODER,)]}), "packer.held['a'][0][0]"),
        (Holder(deque([ENCODER])), "packer.held[0]"),
        (Holder(np.array([None, ENCODER], dtype=object)), "packer.held.flat[1]"),
        (Holder({ENCODER: 1}), "packer.held key"),
        (Holder(functools.partial(print, ENCODER)), "packer.held.args[0]"),
        (Holder(functools.partial(print, end=ENCODER)), "packer.held.keywords['end']"),
        (Holder(closing_over(ENCODER)), "packer.held closing over encoder"),
        (Holder(lambda text, encoder=ENCODER: encoder(text)), "packer.held.__defaults__[0]"),
        (Holder(lambda *, encoder=ENCODER: encoder), "packer.held.__kwdefaults__['encoder']"),
        (Holder(functools.lru_cache(closing_over(ENCODER))), "packer.held.__wrapped__ closing over encoder"),
        (on_the_class(property(lambda self, encoder=ENCODER: encoder)), "packer.encoder.__defaults__[0]"),
        (on_the_class(staticmethod(functools.partial(print, ENCODER))), "packer.encoder.args[0]"),
        (on_the_class(classmethod(lambda cls, encoder=ENCODER: encoder)), "packer.encoder.__defaults__[0]"),
        (on_the_class(lambda self, encoder=ENCODER: encoder, "__call__"), "packer.__call__.__defaults__[0]"),
        (Holder({"a": ENCODER}.get), "packer.held in a builtin_function_or_method['a']"),
        (Holder({"a": ENCODER}.values()), "packer.held in a dict_values['a']"),
        (Holder(iter([ENCODER])), "packer.held in a list_iterator[0]"),
        (Holder(itertools.cycle([ENCODER])), "packer.held in a cycle in a list_iterator[0]"),
        (Holder(map(closing_over, [ENCODER])), "packer.held in a map[0] in a list_iterator[0]"),
        (Holder(part for part in (ENCODER,)), "packer.held in a generator in a tuple_iterator[0]"),
        (Holder(memoised(ENCODER)), "packer.held in a _lru_cache_wrapper"),
        (Slotted(ENCODER), "packer._Slotted__encoder"),
        (Model(encoder=ENCODER), "packer.__pydantic_extra__['encoder']"),
        (private(ENCODER), "packer.__pydantic_private__['_encoder']"),
    ],
    ids=lambda value: value.partition("packer.")[2] if isinstance(value, str) else "",
)
def test_weights_are_found_wherever_they_hang(packer: Any, path: str) -> None:
    """The module is found, and named by the way that leads to it."""
    assert modules_with_weights(packer) == [f"{path} (Linear)"]


@pytest.mark.parametrize(
    "held",
    [
        torch.nn.Dropout(),
        torch.nn.Linear,
        torch.ones(3),
        np.ones(3),
        functools.partial(print),
        print,
        iter([1]),
        caught(),
        property(),
        {("a", 1): 2},
    ],
    ids=lambda held: type(held).__name__,
)
def test_what_has_no_weights_is_passed_over(held: Any) -> None:
    """A module without weights, a class of modules, plain data and what has nothing bound are no finds."""
    assert modules_with_weights(Holder(held)) == []


def test_a_proxy_of_what_is_gone_stops_nothing() -> None:
    """An object that raises whatever it is asked is passed over, and the rest is searched."""
    packer = Holder([ENCODER, weakref.proxy(Holder(None))])
    assert modules_with_weights(packer) == ["packer.held[0] (Linear)"]


def test_an_object_that_hangs_in_a_circle_is_looked_at_once() -> None:
    """A packer that leads back to itself is searched to the end."""
    packer = Holder([])
    packer.held.extend([packer, packer.held, ENCODER])
    assert modules_with_weights(packer) == ["packer.held[2] (Linear)"]
