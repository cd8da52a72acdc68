"""What a packer does on the probe corpus, call by call, and the digests of it that a lock pins (IDENT-17)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from packer_schemas.canonical import identity_digest
from packproof import limits
from packproof.described import described
from packproof.driver import Driver, observation
from packproof.probes import PROBES, Probe
from packproof.violation import CaseTimeout, PackerExit

__all__ = ["behaviour_digest", "observed"]


def behaviour_digest(found: Mapping[str, Mapping[str, str]]) -> str:
    """One digest over those of all answers, by model and probe; their order is no part of it."""
    return identity_digest({model: dict(probes) for model, probes in found.items()})


def observed(
    driver: Driver, capabilities: Iterable[str], probes: Iterable[Probe] = PROBES
) -> dict[str, dict[str, Any]]:
    """What every call gave, by probe and call: plain JSON data, see `described`, or the kind of the refusal.

    Only calls that the packer's `capabilities` promise are made. What a packer raises is a refusal here, whatever it
    is; other rules speak of it. `CaseTimeout` where all of it takes longer than a case may.
    """
    promised = set(capabilities)
    with limits.guarded(limits.CASE_LIMIT_S):
        seen = {probe.name: _on(driver, promised, probe) for probe in probes}
        if "SpecialTokenGuard" in promised:
            seen["special tokens"] = {"adds_special_tokens": _tried(driver.packer.adds_special_tokens)[0]}
    return seen


def _on(driver: Driver, capabilities: set[str], probe: Probe) -> dict[str, Any]:
    packer, seen, rows = driver.packer, {}, []
    for number, sample in enumerate(probe.samples):
        item = observation(sample.prompt)
        if "RolloutPacker" in capabilities and sample.prompt_ids is None:
            seen[f"get_rollout_input {number}"] = _tried(lambda item=item: packer.get_rollout_input(item))[0]
        if "PretokenizedRolloutPacker" in capabilities and sample.prompt_ids:
            ids = list(sample.prompt_ids)
            call = _tried(lambda item=item, ids=ids: packer.get_pretokenized_rollout_input(item, ids))
            seen[f"get_pretokenized_rollout_input {number}"] = call[0]
        if "PolicyPacker" in capabilities:
            call = _tried(lambda sample=sample: driver.answer(sample, sample.completion, sample.prompt_ids))
            seen[f"get_policy_input {number}"] = call[0]
            rows += [call[1]] * (call[1] is not None)
    if rows and len(rows) == len(probe.samples):
        seen["policy_compute_max_len"], width = _tried(lambda: packer.policy_compute_max_len(list(rows)))
        if width is not None:
            wide = width + probe.extra_width
            seen["policy_collate_fn"] = _tried(lambda: packer.policy_collate_fn(list(rows), wide))[0]
    return seen


def _tried(call: Callable[[], Any]) -> tuple[Any, Any]:
    """The answer of a call, described and as it is; for a refusal its kind and None."""
    try:
        answer = call()
        return described(answer), answer
    except (CaseTimeout, KeyboardInterrupt, GeneratorExit):
        raise
    except PackerExit:
        return {"refused": "os._exit"}, None
    except BaseException as error:  # pytest.skip's and asyncio's are no Exception
        return {"refused": type(error).__name__}, None
