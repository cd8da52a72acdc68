"""The routers of a transformers model, and the one moment in which each chooses its experts."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Choose", "Router", "choosing", "find_routers"]

_GROUPS = ("num_group", "n_group")
_EXPERTS = ("num_experts", "n_routed_experts", "num_local_experts")

Choose = Callable[[int, Any, Any], Any]
"""Of a layer, its scores `[..., experts]` and the ids `[..., top_k]` that its router took: the ids to go on with."""


@dataclass(frozen=True)
class Router:
    """One layer's router: the module, its number of experts, and how many of them a token is sent to.

    A `grouped` router first chooses groups of experts, by scores with an axis more.
    """

    module: Any
    experts: int
    top_k: int
    grouped: bool

    def chooses(self, scores: Any, ids: Any) -> bool:
        """Whether a top-k that took `ids` by `scores` is the choice among all experts."""
        if self.grouped and scores.dim() > 2:
            return False
        return (scores.shape[-1], ids.shape[-1]) == (self.experts, self.top_k)


def find_routers(model: Any) -> list[Router]:
    """The routers of `model` in the order of its layers.

    A router is a module with the integers `top_k` and `num_experts` (or `n_routed_experts`, `num_local_experts`) that
    holds no other such module. In transformers 5 that is the gate of an expert layer, and in 4.57 the whole layer.
    Raises `ValueError` for a model that has none, or whose routers differ in number of experts or top_k: one record
    has one layout. Spec: bodies, BODY-9.
    """
    found: dict[str, Router] = {}
    for name, module in model.named_modules():
        experts = next((value for key in _EXPERTS if type(value := getattr(module, key, None)) is int), None)
        top_k = getattr(module, "top_k", None)
        if experts is not None and type(top_k) is int:
            grouped = any(type(getattr(module, key, None)) is int for key in _GROUPS)
            found[name] = Router(module, experts, top_k, grouped)
    routers = {name: one for name, one in found.items() if not any(other.startswith(f"{name}.") for other in found)}
    if not routers:
        raise ValueError(
            f"{type(model).__name__} has no routed experts that can be recorded: no module in it has top_k and "
            "num_experts; build without routing replay, or take a mixture-of-experts model"
        )
    layouts = {(one.experts, one.top_k): name for name, one in routers.items()}
    if len(layouts) > 1:
        raise ValueError(
            f"{type(model).__name__} has routers of different layouts, and one record has one: "
            + ", ".join(f"{name} {experts} experts and top_k {top_k}" for (experts, top_k), name in layouts.items())
        )
    return list(routers.values())


@contextlib.contextmanager
def choosing(routers: list[Router], choose: Choose) -> Iterator[None]:
    """Let `choose` decide, in every forward pass, which experts each router sends its tokens to.

    A router takes its experts with one `torch.topk` over the scores of all experts. `choose` is asked right there, and
    the router goes on with the scores that belong to the ids it answers: weights are made of them as the model makes
    them, and gradients flow. A router whose forward pass takes no such top-k, or more than one, raises `RuntimeError`.
    """
    from torch import Tensor, topk
    from torch.overrides import TorchFunctionMode

    class AtTopK(TorchFunctionMode):
        def __init__(self, layer: int, router: Router) -> None:
            self.layer, self.router, self.taken = layer, router, 0

        def __torch_function__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            if func is not topk and func is not Tensor.topk:
                return result
            scores = args[0] if args else kwargs["input"]
            if not self.router.chooses(scores, result.indices):
                return result
            self.taken += 1
            ids = choose(self.layer, scores, result.indices)
            return result if ids is result.indices else type(result)((scores.gather(-1, ids), ids))

    with contextlib.ExitStack() as undo:
        for layer, router in enumerate(routers):
            at = AtTopK(layer, router)
            undo.callback(router.module.register_forward_pre_hook(_entering(at)).remove)
            undo.callback(router.module.register_forward_hook(_leaving(at), always_call=True).remove)
        yield


def _entering(at: Any) -> Callable[..., None]:
    def enter(_module: Any, _args: Any) -> None:
        at.taken = 0
        at.__enter__()

    return enter


def _leaving(at: Any) -> Callable[..., None]:
    def leave(module: Any, _args: Any, output: Any) -> None:
        at.__exit__(None, None, None)
        if output is not None and at.taken != 1:
            raise RuntimeError(
                f"{type(module).__name__} of layer {at.layer} took {at.taken} top-k over its experts, expected one; "
                "its routing can be neither recorded nor replayed"
            )

    return leave
