"""Strategies for completions: where they end, by themselves and beside others, and what they are drawn from."""

from functools import cache, partial
from random import Random
from typing import get_args

from hypothesis import strategies as st

from packer_schemas.rollout_cases import DrawsCase, GenerationCase, SampledId, TinyTokenizer
from packproof.pools import pool
from packproof.rollouts.strategies import EVEN, PROMPTS

__all__ = ["beside_each_other", "draws", "greedy_ends"]

_NEAR_THE_END = (1, 2, 3)


@cache
def greedy_ends() -> st.SearchStrategy[GenerationCase]:
    """Greedy completions that end by a limit, or with a stop token, or have the id of the fill among them."""
    kinds = [partial(_end, kind=kind) for kind in get_args(SampledId)]
    return pool("BODY-6", [*kinds, _limit, _limit, _last_places, _last_places], each=200, size=_size)


def _limit(pick: Random) -> GenerationCase:
    return _case(pick, [pick.choice(PROMPTS)], max_tokens=pick.randint(1, 4), group=pick.randint(1, 2))


def _last_places(pick: Random) -> GenerationCase:
    return _case(pick, pick.sample(EVEN, pick.randint(1, 2)), max_tokens=4, room=pick.choice(_NEAR_THE_END))


def _end(pick: Random, kind: SampledId) -> GenerationCase:
    prompts = pick.sample(EVEN, pick.randint(1, 3))
    return _case(pick, prompts, max_tokens=pick.randint(3, 4), samples_id=kind, at=pick.randint(0, 2))


@cache
def beside_each_other() -> st.SearchStrategy[GenerationCase]:
    """Prompts of different lengths that are generated together, half of them to where the positions end."""
    return pool("BODY-12", [partial(_beside, room=None), partial(_beside, room=1)], each=400, size=_size)


def _beside(pick: Random, room: int | None) -> GenerationCase:
    prompts = pick.sample(PROMPTS, pick.randint(2, 3))
    again = [pick.choice(prompts)] if pick.random() < 0.25 else []
    return _case(pick, [*prompts, *again], max_tokens=pick.randint(2, 3), room=room)


def _case(pick: Random, prompts: list[str], **more: object) -> GenerationCase:
    own = {"prompts": prompts, "positions": pick.choice(["rotary", "learned"]), **_model(pick)}
    return GenerationCase.model_validate({**own, **more})


@cache
def draws() -> st.SearchStrategy[DrawsCase]:
    """Many ids drawn at several temperatures, some on a model with settings of its own, and keys that nobody knows."""
    heats = [(0.5, False), (2.0, False), (1.0, True), (2.0, True)]
    drawn = [partial(_draws, temperature=heat, own_settings=own) for heat, own in heats]
    unknown = [partial(_draws, unknown=key) for key in ("max_token", "sampled_from")]
    return pool("BODY-21", [*drawn, *unknown], size=_size)


def _draws(pick: Random, **more: object) -> DrawsCase:
    prompts = [pick.choice(PROMPTS)] if "unknown" in more else pick.sample(EVEN, 2)
    return DrawsCase.model_validate({"prompts": prompts, **_model(pick), **more})


def _model(pick: Random) -> dict[str, object]:
    return {"tokenizer": pick.choice(get_args(TinyTokenizer)), "weights": pick.randint(0, 30)}


def _size(case: GenerationCase | DrawsCase) -> int:
    return len(case.prompts)
