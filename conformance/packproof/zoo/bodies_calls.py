"""Faults of chapter bodies in a call of generate: hooks, groups, neighbours, media, what is left changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_schemas import ObsBundle
from packproof.zoo.member import fault
from packproof.zoo.miniature_rollout import Drawn, MiniatureRollout

__all__: list[str] = []


@fault("BODY-3")
class DecodesByItself(MiniatureRollout):
    """The body decodes what the engine gave, and get_rollout_output is a promise in a document."""

    def _answers(self, completions: list[Any]) -> list[Any]:
        return [self.packer.tokenizer.decode(one) for one in completions]


@fault("BODY-3")
class NobodyCollates(MiniatureRollout):
    """rollout_collate_fn is not called."""

    def _collated(self, inputs: list[Any]) -> list[Any]:
        return inputs


@fault("BODY-3")
class CollatesAndForgets(MiniatureRollout):
    """rollout_collate_fn is called, and its answer is left."""

    def _collated(self, inputs: list[Any]) -> list[Any]:
        super()._collated(list(inputs))
        return inputs


@fault("BODY-3")
class AsksForEachCompletion(MiniatureRollout):
    """get_rollout_output is called for one completion at a time."""

    def _answers(self, completions: list[Any]) -> list[Any]:
        return [answer for one in completions for answer in super(AsksForEachCompletion, self)._answers([one])]


@fault("BODY-3")
class HookWritesTheRecord(MiniatureRollout):
    """The hook gets the very lists that are recorded, and what it cuts is cut in the record."""

    def _outgoing(self, row: Drawn) -> Any:
        return row.ids


@fault("BODY-3")
class FillsUpShortAnswers(MiniatureRollout):
    """An answer of a hook that is too short is filled up with its last entry, one too long is cut."""

    def _as_many(self, answer: list[Any], count: int, hook: str) -> list[Any]:
        return [*answer, *[answer[-1] if answer else ""] * count][:count]


@fault("BODY-10")
class FinishedFirst(MiniatureRollout):
    """Trajectories come as the engine finished them, the short ones first."""

    def _listed(self, trajectories: list[Any]) -> list[Any]:
        return sorted(trajectories, key=lambda one: len(one.policy_info["completion_ids"]))


@fault("BODY-10")
class GroupsAreInterleaved(MiniatureRollout):
    """The first completion of every sample comes first, then the second ones."""

    def _listed(self, trajectories: list[Any]) -> list[Any]:
        return [one for turn in range(self.n) for one in trajectories[turn :: self.n]]


@fault("BODY-10")
class EqualSamplesAreOne(MiniatureRollout):
    """Samples with equal prompts are taken for one, and get one group."""

    def generate(self, samples: Sequence[Any], *, prompt_ids: Any = None) -> list[Any]:
        """The trajectories."""
        return super().generate(samples if prompt_ids is not None else self._unique(samples), prompt_ids=prompt_ids)

    def _unique(self, samples: Sequence[Any]) -> list[Any]:
        return list({one.representations["prompt"]: one for one in reversed(samples)}.values())[::-1]


@fault("BODY-10")
class AnyNumberOfCompletions(MiniatureRollout):
    """What is no number of completions is made one."""

    def _check_n(self) -> None:
        self.n = max(int(self.n), 1)


@fault("BODY-12", report="https://github.com/huggingface/trl/issues/6800")
class AttendsToTheFill(MiniatureRollout):
    """Prompts are filled up on the left without a mask: https://github.com/huggingface/trl/issues/6800."""

    def _arguments(self, ids: Any, mask: Any) -> dict[str, Any]:
        return {"input_ids": ids, "use_cache": False}


@fault("BODY-12")
class CountsTheFill(MiniatureRollout):
    """Positions count the fill, which shows where a model has learned them."""

    def _arguments(self, ids: Any, mask: Any) -> dict[str, Any]:
        import torch

        places = torch.arange(ids.shape[1])[None].expand(ids.shape)
        return super()._arguments(ids, mask) | {"position_ids": places}


@fault("BODY-12")
class RoomOfTheLongest(MiniatureRollout):
    """The fill of a batch is counted against the model's positions, so a short prompt beside a long one ends early."""

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        self._width = max(map(len, prompts))
        return super()._drawn(prompts, inputs)

    def _full(self, row: Drawn) -> bool:
        return super()._full(row) or self._width + len(row.ids) >= self.model.config.max_position_embeddings


@fault("BODY-15")
class LeavesContentIdsOut(MiniatureRollout):
    """The engine gets the prompt and the data, and makes content ids of its own."""

    def _media(self, given: Any) -> dict[str, Any]:
        return {name: value for name, value in super()._media(given).items() if name == "multi_modal_data"}


@fault("BODY-15", report="https://github.com/microsoft/agent-lightning/issues/559")
class KeepsTheTextAlone(MiniatureRollout):
    """The trajectory has the prompt of its sample, and no image.

    Reported: https://github.com/microsoft/agent-lightning/issues/559.
    """

    def _trajectory(self, sample: Any, row: Drawn, answer: Any) -> Any:
        made = super()._trajectory(sample, row, answer)
        held = sample.representations
        if "image" in held:
            made.obs = ObsBundle.model_construct(representations={"prompt": held["prompt"]})
        return made


@fault("BODY-15")
class MediaInAnotherOrder(MiniatureRollout):
    """Images are sorted on their way, so that the first one belongs to the second placeholder."""

    def _media(self, given: Any) -> dict[str, Any]:
        return {
            name: {kind: list(value[kind])[::-1] for kind in value} if name == "multi_modal_data" else value
            for name, value in super()._media(given).items()
        }


@fault("BODY-5", "BODY-15")
class MediaAreDropped(MiniatureRollout):
    """Of a rollout input that is a mapping only the prompt is read."""

    def _media(self, given: Any) -> dict[str, Any]:
        return {}


@fault("BODY-16")
class TurnsThePaddingSide(MiniatureRollout):
    """The packer's tokenizer fills on the left after the first batch."""

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        self.packer.tokenizer.padding_side = "left"
        return super()._drawn(prompts, inputs)


@fault("BODY-16")
class SettlesThePad(MiniatureRollout):
    """The packer's tokenizer gets another pad token when the body is made."""

    def _announce(self) -> None:
        self.packer.tokenizer.pad_token = self.packer.tokenizer.convert_ids_to_tokens(1)


@fault("BODY-16")
class LeavesItInEvaluation(MiniatureRollout):
    """A model that was being trained stays in evaluation mode, and from then on is trained without dropout."""

    def _put_back(self, modes: Mapping[Any, bool]) -> None:
        """Nothing."""


@fault("BODY-16")
class TrainsTheFrozenPart(MiniatureRollout):
    """The model is put back into the mode that it had as a whole, and modules that were frozen in theirs go with it."""

    def _put_back(self, modes: Mapping[Any, bool]) -> None:
        self.model.train(modes[self.model])


@fault("BODY-16")
class EatsTheSampling(MiniatureRollout):
    """Keys are taken out of the mapping that was given, so that the next body misses them."""

    def __init__(self, model: Any, *, packer: Any, sampling: Any = None, routing_replay: bool = False) -> None:
        super().__init__(model, packer=packer, sampling=sampling, routing_replay=routing_replay)
        if isinstance(sampling, dict):
            sampling.pop("n", None)


@fault("BODY-16")
class TakesSamplesOffTheList(MiniatureRollout):
    """The list of samples is worked off, and empty afterwards."""

    def generate(self, samples: Any, *, prompt_ids: Any = None) -> list[Any]:
        """The trajectories."""
        trajectories = super().generate(list(samples), prompt_ids=prompt_ids)
        samples.clear()
        return trajectories


@fault("BODY-16")
class GroupSharesItsPrompt(MiniatureRollout):
    """The prompt ids of a group are one list, and whoever writes into it writes into all of them."""

    def _streams(self, row: Drawn) -> dict[str, Any]:
        kept: dict[tuple[int, ...], list[int]] = self.__dict__.setdefault("_kept", {})
        return super()._streams(row) | {"prompt_ids": kept.setdefault(tuple(row.prompt), list(row.prompt))}
