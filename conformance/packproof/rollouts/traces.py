"""What a call may leave behind: changed arguments, a changed tokenizer, and lists that are not the trajectory's own."""

from collections.abc import Mapping, Sequence
from typing import Any

from packproof.driver import short
from packproof.same import same
from packproof.sharing import shared
from packproof.violation import Violation

__all__ = ["expect_as_before", "expect_modes", "expect_own_lists", "modes_of", "snapshot"]


def snapshot(tokenizer: Any) -> dict[str, Any]:
    """What of a tokenizer has to stay as it is."""
    return {
        "padding_side": tokenizer.padding_side,
        "truncation_side": tokenizer.truncation_side,
        "pad_token_id": tokenizer.pad_token_id,
        "chat_template": tokenizer.chat_template,
        "special_tokens_map": dict(tokenizer.special_tokens_map),
        "its length": len(tokenizer),
        "what it adds": list(tokenizer("a")["input_ids"]),
    }


def expect_as_before(
    call: str, before: Mapping[str, Any], held: Mapping[str, Any], tokenizer: Mapping[str, Any], own: Any
) -> None:
    """Demand that arguments equal their copies, and that a tokenizer is as it was."""
    now = snapshot(own)
    for name, value in tokenizer.items():
        if not same(value, now[name]):
            raise Violation.of(f"{call}; {name} of packer.tokenizer", expected=short(value), got=short(now[name]))
    for name, value in before.items():
        if not same(value, held[name]):
            raise Violation.of(f"{call}; {name} afterwards", expected=short(value), got=short(held[name]))


def modes_of(model: Any) -> dict[str, tuple[str, bool]]:
    """The mode of every module of a model, and whether parameters of its own take grads."""
    return {
        name or "the model": (
            "training" if module.training else "evaluation",
            any(one.requires_grad for one in module.parameters(recurse=False)),
        )
        for name, module in model.named_modules()
    }


def expect_modes(call: str, before: Mapping[str, Any], model: Any) -> None:
    """Demand that every module of a model is in the mode that it was in."""
    now = modes_of(model)
    for name, (mode, grads) in before.items():
        if now[name][0] != mode:
            raise Violation.of(f"{call}; mode of {name}", expected=mode, got=now[name][0])
        if now[name][1] != grads:
            raise Violation.of(f"{call}; requires_grad in {name}", expected=grads, got=now[name][1])


def expect_own_lists(call: str, infos: Sequence[Mapping[str, Any]], held: Mapping[str, Any]) -> None:
    """Demand that nothing mutable in a `policy_info` lies in an argument, or in that of another trajectory."""
    for at, info in enumerate(infos):
        for name in shared(info, [held["prompt_ids"], held["sampling"]]):
            got = "it is part of an argument"
            raise Violation.of(f"{call}; {name} of trajectory {at}", expected="an object of its own", got=got)
        for name in shared(info, list(infos[:at])):
            got = "it is part of another trajectory"
            raise Violation.of(f"{call}; {name} of trajectory {at}", expected="an object of its own", got=got)
