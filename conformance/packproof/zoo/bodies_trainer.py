"""Faults of chapter bodies around a body: who builds packers, what roles read, and the filter of the reward step."""

from collections.abc import Mapping, Sequence
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_trainer import MiniatureTrainer

__all__: list[str] = []


@fault("BODY-17")
class CriticEncodesAgain(MiniatureTrainer):
    """The critic makes its input of the sample's text."""

    def _row(self, role: str, packer: Any, one: Any) -> Any:
        if role != "critic":
            return super()._row(role, packer, one)
        return packer.get_policy_input(one.obs, one.policy_info["completion_ids"])


@fault("BODY-17")
class EveryRoleMakesItsOwn(MiniatureTrainer):
    """Every role calls get_policy_input for itself, with the stored ids."""

    def _row(self, role: str, packer: Any, one: Any) -> Any:
        info = one.policy_info
        ignored = info.get("n_ignore_prefix_tokens", 0)
        return packer.get_policy_input(one.obs, info["completion_ids"], ignored, prompt_ids=info["prompt_ids"])


@fault("BODY-17")
class ReferenceScoresAll(MiniatureTrainer):
    """The reference does not leave out what the reward step left out."""

    def _row(self, role: str, packer: Any, one: Any) -> Any:
        return one.policy_info["model_inputs"] if role == "reference" else super()._row(role, packer, one)


@fault("BODY-17")
class IgnoresOneTokenMore(MiniatureTrainer):
    """What is left out is counted from the first position of the completion, not from its prediction."""

    def _mask(self, mask: list[int], ignored: int, prompt_len: int) -> list[int]:
        return super()._mask(mask, ignored and min(ignored + 1, sum(mask)), prompt_len)


@fault("BODY-17")
class RecordsAnInputOfText(MiniatureTrainer):
    """The one policy input is made of the sample and the sampled ids; the stored prompt ids are left."""

    def _input(self, packer: Any, one: Any, info: Mapping[str, Any]) -> Any:
        return packer.get_policy_input(one.obs, info["completion_ids"])


@fault("BODY-17")
class LeavesTheExperts(MiniatureTrainer):
    """The policy input is made of the ids, and the recorded experts stay behind."""

    def _with_record(self, made: Any, record: Any) -> Any:
        return made if hasattr(made, "forward_routing") else super()._with_record(made, record)


@fault("BODY-17")
class MappingsLoseTheExperts(MiniatureTrainer):
    """A policy input without room for recorded experts is made without them, and nobody is told."""

    def _with_record(self, made: Any, record: Any) -> Any:
        return super()._with_record(made, record if hasattr(made, "forward_routing") else None)


@fault("BODY-17")
class ReferenceRoutesAPlaceLate(MiniatureTrainer):
    """The reference scores with the experts of the place before."""

    def _row(self, role: str, packer: Any, one: Any) -> Any:
        row = super()._row(role, packer, one)
        record = getattr(row, "forward_routing", None)
        return row if role != "reference" or record is None else self._changed(row, forward_routing=record.roll(1, 0))


@fault("BODY-18")
class CodecOfTheTeachersModel(MiniatureTrainer):
    """The teacher's actor selects its codec by the teacher's model."""

    def _student(self, settings: Mapping[str, Any], role: str) -> Any:
        if role == "teacher_codec":
            return self._made("", settings["teacher_model"], False) if settings["teacher_model"][:4] != "/no/" else None
        return super()._student(settings, role)


@fault("BODY-18")
class OnePackerForAll(MiniatureTrainer):
    """Rollout and policy share one packer, so what one of them sets on it the other has as well."""

    def build_packers(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The packers of a run by role."""
        packers = super().build_packers(settings)
        return packers | {"policy": packers["rollout"]}


@fault("BODY-18")
class RewardTakesTheDefault(MiniatureTrainer):
    """The reward step does not know of the configured factory."""

    def _student(self, settings: Mapping[str, Any], role: str) -> Any:
        return super()._student({**settings, "factory": ""} if role == "reward" else settings, role)


@fault("BODY-18")
class PolicyTrustsNobody(MiniatureTrainer):
    """The trust setting does not reach the packer of the policy."""

    def _student(self, settings: Mapping[str, Any], role: str) -> Any:
        return super()._student(
            {**settings, "trust_remote_code": role != "policy" and settings["trust_remote_code"]}, role
        )


@fault("BODY-19")
class RewardAlwaysHasAPacker(MiniatureTrainer):
    """The reward step builds a packer, whether prefixes are filtered or not."""

    def _filtering(self, settings: Mapping[str, Any]) -> list[str]:
        return ["reward"]


@fault("BODY-19")
class TeacherAlwaysHasAPacker(MiniatureTrainer):
    """Every distillation builds a packer of the teacher's model."""

    def _teaches(self, settings: Mapping[str, Any]) -> bool:
        return settings["distillation"] is not None


@fault("BODY-19")
class TriesTheTeachersFactory(MiniatureTrainer):
    """The configuration is checked by calling the teacher's factory."""

    def build_packers(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The packers of a run by role."""
        if settings["distillation"] and not self._teaches(settings):
            self._made(settings["teacher_model_factory"], settings["model"], False)
        return super().build_packers(settings)


@fault("BODY-19")
class NoTeachersFactoryIsTheStudents(MiniatureTrainer):
    """Where the teacher has no factory its packer is made by the student's."""

    def _teacher(self, settings: Mapping[str, Any]) -> Any:
        factory = settings["teacher_model_factory"] or settings["factory"]
        return super()._teacher({**settings, "teacher_model_factory": factory})


@fault("BODY-19")
class NoTeachersFactoryIsNoPacker(MiniatureTrainer):
    """Where the teacher has no factory it gets no packer."""

    def _teaches(self, settings: Mapping[str, Any]) -> bool:
        return super()._teaches(settings) and bool(settings["teacher_model_factory"])


@fault("BODY-20")
class CommonToTheWholeGroup(MiniatureTrainer):
    """What is left out is the beginning that all completions of a group have in common."""

    def _number(self, shared: list[int], own: list[int], minimum: int) -> int:
        return super()._number([min(shared)] if shared else [], own, minimum)


@fault("BODY-20")
class LeavesNothing(MiniatureTrainer):
    """A completion that another one begins with is left out whole."""

    def _number(self, shared: list[int], own: list[int], minimum: int) -> int:
        return max((count for count in shared if count >= minimum), default=0)


@fault("BODY-20")
class WhateverTheReward(MiniatureTrainer):
    """Completions are compared whatever their rewards."""

    def _counts(self, trajectories: Sequence[Any], groups: Sequence[Any], at: int, other: int) -> bool:
        return at != other and groups[at] == groups[other]


@fault("BODY-20")
class AcrossGroups(MiniatureTrainer):
    """Completions are compared with those of other groups."""

    def _counts(self, trajectories: Sequence[Any], groups: Sequence[Any], at: int, other: int) -> bool:
        return trajectories[at].reward != trajectories[other].reward


@fault("BODY-20")
class MoreThanTheMinimum(MiniatureTrainer):
    """A beginning as long as the minimum does not count yet."""

    def _number(self, shared: list[int], own: list[int], minimum: int) -> int:
        return super()._number(shared, own, minimum + 1)


@fault("BODY-20")
class NoRewardIsZero(MiniatureTrainer):
    """A trajectory without a reward passes for one that was rewarded with nothing."""

    def ignore_shared_prefixes(
        self, trajectories: Sequence[Any], groups: Sequence[Any], minimum: Any, packer: Any = None
    ) -> None:
        """Set how much of every completion is left out."""
        for one in trajectories:
            one.reward = one.reward or 0.0
        super().ignore_shared_prefixes(trajectories, groups, minimum, packer)


@fault("BODY-20")
class SharesCharacters(MiniatureTrainer):
    """Texts are compared by their characters."""

    def _encode(self, text: str, packer: Any) -> list[int]:
        return list(map(ord, text))
