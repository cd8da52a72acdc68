"""One body under test between a tiny model and a packer of the kit's, and what the kit knows of both."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from packer_schemas.rollout_cases import GenerationCase
from packproof.driver import calling, listed, refusal, short
from packproof.models import model_path
from packproof.random_state import scrambled_random_state
from packproof.rollouts.own_run import Greedy, all_logprobs, greedy
from packproof.rollouts.packers import GuardedHooks
from packproof.rollouts.recorded import Recorded
from packproof.rollouts.tiny_models import LIMIT, Architecture, let_drop_out, tiny_model
from packproof.rollouts.watch import Handed, Watch
from packproof.violation import CallFailed, OutOfReach, Unexercised, Violation
from packproof.wording import plural
from packproof.zoo.tokenizers import own_tokenizer

__all__ = ["BROAD", "MEDIUM", "SHARP", "Scene", "ask", "fitting", "generate_call", "sampling"]

SHARP, MEDIUM, BROAD = 8.0, 3.0, 1.5
"""Spreads of logits: with the first the likeliest id leads as a rule, with the last many ids are drawn."""


def sampling(**given: Any) -> dict[str, Any]:
    """The keys of a sampling that are not as if they were absent."""
    unsaid = {"n": 1, "temperature": 1.0, "seed": None, "stop_token_ids": None}
    return {name: value for name, value in given.items() if name not in unsaid or value != unsaid[name]}


class Scene:
    """A model with a watch on it, a packer, and the calls that are made on a body between them.

    The kit encodes with a tokenizer of its own, equal to the packer's.
    """

    def __init__(self, subject: Any, model: Any, packer: Any, tokenizer: str, limit: int = LIMIT) -> None:
        self.subject = subject
        self.limit = limit
        self.model = model
        self.packer = packer
        self.tokenizer = _own_tokenizer(tokenizer)
        self.watch = Watch(model)
        self.call = ""

    @classmethod
    def of(
        cls,
        subject: Any,
        tokenizer: str = "tiny-qwen",
        *,
        packer: Any = None,
        architecture: Architecture = "rotary",
        weights: int = 0,
        spread: float = SHARP,
        limit: int = LIMIT,
    ) -> "Scene":
        """A scene with a fresh model, which says that it comes from the folder of another tokenizer."""
        packer = GuardedHooks(tokenizer) if packer is None else packer
        folder = "tiny-llama3" if tokenizer == "tiny-gpt2" else "tiny-gpt2"
        model = tiny_model(
            architecture, vocabulary=len(packer.tokenizer), seed=weights, spread=spread, limit=limit, folder=folder
        )
        return cls(subject, model, packer, tokenizer, limit)

    @classmethod
    def for_generation(cls, subject: Any, case: GenerationCase, *, spread: float = SHARP) -> "Scene":
        """A scene for the prompts of a case, whose model takes as many ids beyond the longest one as the case says."""
        limit = LIMIT
        if case.room is not None:
            limit = (
                max(len(_likely(subject, _own_tokenizer(case.tokenizer), text)) for text in case.prompts) + case.room
            )
        scene = cls.of(
            subject,
            case.tokenizer,
            architecture=case.positions,
            weights=case.weights,
            spread=spread,
            limit=limit,
        )
        if case.training:
            let_drop_out(scene.model)
        return scene

    @property
    def stop(self) -> frozenset[int]:
        """Where a generation ends if nothing is said."""
        return frozenset([self.tokenizer.eos_token_id])

    def bare(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def likely_prompt(self, text: str) -> list[int]:
        """What the model is probably handed for a text: an engine that encodes does so with its defaults."""
        return _likely(self.subject, self.tokenizer, text)

    def body(self, *, moment: int = 0, **options: Any) -> Any:
        """A body between model and packer; options are spelled only where they differ from the defaults.

        `moment` decides the state of the global random generators.
        """
        given = {name: value for name, value in options.items() if value not in (None, False)}
        told = "".join(f", {name}={short(value)}" for name, value in given.items())
        call = f"factory(model, packer=packer{told})"
        try:
            with scrambled_random_state(moment):
                return self.subject.build(self.model, call, packer=self.packer, **given)
        except CallFailed:
            if self.subject.hands_over_text and self.bare("a") != list(self.tokenizer("a")["input_ids"]):
                raise Unexercised(f"{call} is refused, of which BODY-14 speaks") from None
            raise

    def raw_body(self, **options: Any) -> Any:
        """The bare call of the factory, which is free to raise."""
        return self.subject.factory(self.model, packer=self.packer, **options)

    def generate(
        self, body: Any, samples: Sequence[Any], prompt_ids: Any = None, *, group: int = 1, moment: int = 0
    ) -> list[Recorded]:
        """The trajectories of a call that is to be answered; of another number of them BODY-10 speaks.

        `moment` decides the state of the global random generators.
        """
        trajectories = self.trajectories(body, list(samples), prompt_ids, moment=moment)
        if len(trajectories) != len(samples) * group:
            raise Unexercised(f"{len(trajectories)} trajectories of {len(samples)} samples, of which BODY-10 speaks")
        return [Recorded.of(one, place, group, self.call) for place, one in enumerate(trajectories)]

    def trajectories(self, body: Any, samples: Sequence[Any], prompt_ids: Any = None, *, moment: int = 0) -> list[Any]:
        """The same as a plain list, of whatever length; `samples` are handed over as they are."""
        limited = "" if self.limit == LIMIT else f", on a model that takes {self.limit} ids"
        self.call = f"{generate_call(samples, prompt_ids)}{_instead(self.packer, samples)}{limited}"
        self.watch.forget()
        with calling(self.call, self.subject.note), scrambled_random_state(moment):
            return listed(ask(body, samples, prompt_ids), self.call)

    def refused(
        self, call: str, run: Callable[[], Any], wording: str, accept: tuple[type[Exception], ...] = (ValueError,)
    ) -> Exception:
        """What a call raises that has to be refused."""
        self.watch.forget()
        with scrambled_random_state():
            return refusal(call, run, self.subject.note, accept=accept, wording=wording, show=_shown)

    def attempt(self, body: Any, samples: Sequence[Any], wanted: str) -> list[Recorded] | ValueError:
        """What a call gives that is free to be refused with `ValueError`; any other error is a violation."""
        try:
            return self.generate(body, samples)
        except CallFailed as error:
            if isinstance(error.__cause__, ValueError):
                return error.__cause__
            raise Violation.of(self.call, expected=wanted, got=error.counterexample.got) from None

    def handed(self, at: int = 0, count: int = 1) -> list[int]:
        """What the model was handed for sample `at` of `count`, as far as places tell."""
        begun = self._begun()
        return begun[at * len(begun) // count].ids if len(begun) >= count else begun[0].ids

    def was_handed(self, ids: Sequence[int]) -> bool:
        """Whether the model was handed these ids to generate from."""
        return any(one.is_of(ids) for one in self._begun())

    def _begun(self) -> list[Handed]:
        begun = self.watch.prompts
        if self.watch.blind or not begun:
            why = self.watch.blind or "the kit's model was not called"
            raise OutOfReach(f"what the model was handed cannot be told: {why}")
        return begun

    def truth(self, one: Recorded, count: int) -> list[int]:
        """The ids that a trajectory was generated from: those recorded, where the model was handed them."""
        told = one.ids("prompt_ids")
        return told if told in [begun.ids for begun in self._begun()] else self.handed(one.sample, count)

    def greedy(self, prompt: Sequence[int], most: int, stop: Collection[int] | None = None) -> Greedy:
        """The completion that the model likes best, by a run of the kit's own; it ends where the positions do."""
        with self.watch.away():
            return greedy(self.model, prompt, self.stop if stop is None else stop, min(most, self.limit - len(prompt)))

    def logprobs(self, prompt: Sequence[int], completion: Sequence[int]) -> Any:
        """`[C, V]`, by a run of the kit's own."""
        with self.watch.away():
            return all_logprobs(self.model, prompt, completion)

    def let_sample(self, prompt: Sequence[int], at: int, id: int) -> None:
        """Exchange two ids in what the model likes best, so that `id` stands at place `at` of a greedy completion."""
        import torch

        taken = self.greedy(prompt, at + 1, ()).ids[at]
        with torch.no_grad():
            weights = self.model.lm_head.weight
            weights[[taken, id]] = weights[[id, taken]].clone()


@contextmanager
def fitting(case: GenerationCase) -> Iterator[None]:
    """Keep the peace of a rule where a prompt that fits is refused on a model with little room."""
    try:
        yield
    except CallFailed as error:
        if case.room is not None and isinstance(error.__cause__, ValueError):
            raise Unexercised("a prompt that fits is refused, of which BODY-2 speaks") from None
        raise


def _likely(subject: Any, tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=subject.hands_over_text)["input_ids"])


def _shown(answer: Any) -> str:
    """What was given instead of a refusal."""
    if isinstance(answer, list):
        return f"{len(answer)} {plural(len(answer), 'trajectory', 'trajectories')}"
    return f"a {type(answer).__name__}"


def _instead(packer: Any, samples: Sequence[Any]) -> str:
    """What the packer hands over for the samples where that is not their texts."""
    held = [one.representations for one in samples]
    ids = [one.get("prompt_ids") for one in held]
    if any(ids) and getattr(packer, "from_samples", False):
        return f", for which the packer hands over the ids {short(ids)}"
    keys = [key for one in held if "rollout_input" in one for key in one["rollout_input"]]
    return f", for which the packer hands over a mapping with {', '.join(keys)}" if keys else ""


@cache
def _own_tokenizer(name: str) -> Any:
    """A tokenizer that no packer and no body gets to see."""
    return own_tokenizer(str(model_path(name)))


def ask(body: Any, samples: Sequence[Any], prompt_ids: Any) -> Any:
    """The bare call."""
    return body.generate(samples) if prompt_ids is None else body.generate(samples, prompt_ids=prompt_ids)


def generate_call(samples: Sequence[Any], prompt_ids: Any = None) -> str:
    """`generate(...)` as one would type it, with the prompts for the samples."""
    told = short([one.representations["prompt"] for one in samples])
    return f"generate({told}{'' if prompt_ids is None else f', prompt_ids={short(prompt_ids)}'})"
