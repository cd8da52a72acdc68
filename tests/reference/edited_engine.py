"""An engine of vLLM's interface whose answers a test changes on their way out."""

import copy
from collections.abc import Callable
from typing import Any

__all__ = ["GREEDY", "TEXTS", "Edited", "ids_of", "second"]

TEXTS = ["Hi", "What is 6 times 7? Answer in one word.", "a b c"]
GREEDY = {"temperature": 0, "max_tokens": 6, "stop_token_ids": []}


class Edited:
    """An engine whose answers are changed on their way out, and which keeps what it was handed."""

    def __init__(self, llm: Any, edit: Callable[[list[Any]], Any] = lambda answers: answers) -> None:
        self._llm, self._edit = llm, edit
        self.handed: list[Any] = []
        self.settings: list[Any] = []
        self.get_default_sampling_params = llm.get_default_sampling_params
        self.model_config = llm.model_config

    def generate(self, prompts: Any, sampling_params: Any = None, *, use_tqdm: bool = True) -> Any:
        self.handed, self.settings = copy.deepcopy(prompts), sampling_params
        assert not use_tqdm
        return self._edit(self._llm.generate(prompts, sampling_params))


def second(change: Callable[[Any], None]) -> Callable[[list[Any]], list[Any]]:
    """An edit of the second request's answer."""

    def edit(answers: list[Any]) -> list[Any]:
        change(answers[1])
        return answers

    return edit


def ids_of(trajectories: list[Any]) -> list[list[int]]:
    """The completion ids of each trajectory."""
    return [each.policy_info["completion_ids"] for each in trajectories]
