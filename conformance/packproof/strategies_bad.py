"""Strategies for what a packer must refuse."""

from typing import Any

from hypothesis import strategies as st

from packer_schemas.cases import BadIdsCase, RefusedPromptCase
from packproof.fitting import only, unfit_bad_ids, unfit_completion, unfit_refused
from packproof.vocabulary import Vocabulary

__all__ = ["bad_ids", "refused_completions", "refused_prompts"]

_NEITHER: list[Any] = [None, 7, 1.5, True, {}, {"text": "a"}, {"role": "user", "content": "a"}]
_NO_MESSAGES: list[Any] = [7, "a", None, {}, {"role": "user"}, {"content": "a"}]
_MESSAGE = {"role": "user", "content": "a"}
_NO_IDS: list[Any] = ["a", "7", [7], None, {}]


@only(unfit_refused)
def refused_prompts(model: str | None, _: Vocabulary) -> st.SearchStrategy[RefusedPromptCase]:
    """Prompts that are neither a string nor a list of messages with a role and content."""
    lists = [turns for one in _NO_MESSAGES for turns in ([one], [_MESSAGE, one], [one, _MESSAGE])]
    return _refused(model, [*_NEITHER, [], *lists])


@only(unfit_completion)
def refused_completions(model: str | None, _: Vocabulary) -> st.SearchStrategy[RefusedPromptCase]:
    """Completions that are neither text nor a list of ids."""
    alone, later = [[one] for one in _NO_IDS], [[120, one] for one in _NO_IDS]
    return _refused(model, [*_NEITHER, {"token_ids": [120]}, *alone, *later])


@only(unfit_bad_ids)
def bad_ids(model: str | None, _: Vocabulary) -> st.SearchStrategy[BadIdsCase]:
    """Ids with one entry that is a bool, a float or negative, at any place."""
    bad = st.one_of(st.booleans(), st.sampled_from([1.0, 1.5, -1.0]), st.integers(-3, -1))
    good = st.lists(st.integers(110, 115), max_size=3)
    return st.builds(
        lambda stream, before, one, after: BadIdsCase(model=model, stream=stream, ids=[*before, one, *after]),
        st.sampled_from(["prompt_ids", "completion"]),
        good,
        bad,
        good,
    )


def _refused(model: str | None, values: list[Any]) -> st.SearchStrategy[RefusedPromptCase]:
    return st.sampled_from(values).map(lambda prompt: RefusedPromptCase(model=model, prompt=prompt))
