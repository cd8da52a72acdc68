"""Faults of chapter bodies in the record of a generation: its ids and its logprobs."""

import math
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_rollout import Drawn, MiniatureRollout, MiniatureTextRollout

__all__: list[str] = []


@fault("BODY-4", report="https://github.com/thinking-machines-lab/tinker-cookbook/issues/860")
class RecordsThePackersIds(MiniatureTextRollout):
    """The record holds what the packer's tokenizer makes of the text, not what the engine made of it.

    Reported in https://github.com/thinking-machines-lab/tinker-cookbook/issues/860.
    """

    def _streams(self, row: Drawn) -> dict[str, Any]:
        bare = self.packer.tokenizer.decode(row.prompt, skip_special_tokens=True)
        again = list(self.packer.tokenizer(bare, add_special_tokens=False)["input_ids"])
        own = again if row.prompt[1:] == again else row.prompt
        return super()._streams(row) | {"prompt_ids": list(own)}


@fault("BODY-4")
class RecordsTheFill(MiniatureRollout):
    """The row is recorded as it stood in the batch, filled up on the left."""

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        self._width = max(map(len, prompts))
        return super()._drawn(prompts, inputs)

    def _streams(self, row: Drawn) -> dict[str, Any]:
        fill = [self.packer.tokenizer.pad_token_id] * (self._width - len(row.prompt))
        return super()._streams(row) | {"prompt_ids": fill + row.prompt}


@fault("BODY-4")
class RecordsATensor(MiniatureRollout):
    """The prompt is recorded as the tensor that it was handed over in."""

    def _streams(self, row: Drawn) -> dict[str, Any]:
        import torch

        return super()._streams(row) | {"prompt_ids": torch.tensor(row.prompt)}


@fault("BODY-4", "BODY-5")
class PromptTakesTheFirstId(MiniatureRollout):
    """Prompt and completion are told apart one place too late, so that one id is in both."""

    def _streams(self, row: Drawn) -> dict[str, Any]:
        return super()._streams(row) | {"prompt_ids": [*row.prompt, *row.ids[:1]]}


@fault("BODY-6")
class LosesTheStopToken(MiniatureRollout):
    """The token that ended the generation is taken off, as it is from text."""

    def _streams(self, row: Drawn) -> dict[str, Any]:
        if row.ids[-1] in self.stop:
            row.ids, row.logprobs = row.ids[:-1], row.logprobs[:-1]
        return super()._streams(row)

    def _outgoing(self, row: Drawn) -> Any:
        return list(row.ids[:-1] if row.ids[-1] in self.stop else row.ids)


@fault("BODY-6", report="https://github.com/NovaSky-AI/SkyRL/pull/758")
class AddsTheEnd(MiniatureRollout):
    """A completion that was cut off gets an end token, which nobody sampled, with the logprob of certainty.

    Reported: https://github.com/NovaSky-AI/SkyRL/pull/758.
    """

    def _streams(self, row: Drawn) -> dict[str, Any]:
        self._end(row)
        return super()._streams(row) | {"logprobs_missing": list(range(len(row.ids)))}

    def _outgoing(self, row: Drawn) -> Any:
        self._end(row)
        return list(row.ids)

    def _end(self, row: Drawn) -> None:
        if row.ids[-1] not in self.stop and not self.replay:
            row.ids, row.logprobs = [*row.ids, min(self.stop)], [*row.logprobs, 0.0]

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        return {}


@fault("BODY-6", report="https://github.com/stanford-cs336/assignment5-alignment/issues/15")
class EncodesItsText(MiniatureRollout):
    """The ids are made of the decoded text.

    They came out longer than the limit: https://github.com/stanford-cs336/assignment5-alignment/issues/15.
    """

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        rows = super()._drawn(prompts, inputs)
        for row in rows:
            text = self.packer.tokenizer.decode(row.ids, skip_special_tokens=True)
            again = list(self.packer.tokenizer(text, add_special_tokens=False)["input_ids"])
            row.ids = row.ids if self.replay else again
        return rows

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        return {"logprobs_missing": list(range(len(row.ids)))}


@fault("BODY-6")
class CutsAtTheFill(MiniatureRollout):
    """Where a row ends is told by the first pad id, and a pad id may have been sampled."""

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        rows, fill = super()._drawn(prompts, inputs), self.packer.tokenizer.pad_token_id
        for row in rows:
            if fill in row.ids and not self.replay:
                end = row.ids.index(fill)
                row.ids, row.logprobs = row.ids[:end], row.logprobs[:end]
        return rows


@fault("BODY-6")
class KeepsTheFillBehindTheEnd(MiniatureRollout):
    """Completions of a batch are as long as the longest, with fill behind the shorter ones."""

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        rows, fill = super()._drawn(prompts, inputs), self.packer.tokenizer.pad_token_id
        if self.temperature == 0 and not self.replay:
            width = max(len(row.ids) for row in rows)
            for row in rows:
                if row.ids[-1] in self.stop:
                    row.ids = row.ids + [fill] * (width - len(row.ids))
        return rows

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        found = super()._logprobs(row)
        return found if len(row.ids) == len(row.logprobs) else {"logprobs_missing": list(range(len(row.ids)))}


@fault("BODY-6")
class StopsAtTheEnginesEnd(MiniatureRollout):
    """The engine's own end-of-sequence id stops as well, where stop_token_ids name others."""

    def _read(self, sampling: dict[str, Any]) -> None:
        super()._read(sampling)
        self.stop = {*self.stop, *([self.packer.tokenizer.eos_token_id] if self.stop else [])}


@fault("BODY-6")
class NoStopIsTheDefault(MiniatureRollout):
    """An empty list of stop ids is taken for none that was given, and the tokenizer's end stops."""

    def _read(self, sampling: dict[str, Any]) -> None:
        super()._read({name: value for name, value in sampling.items() if value != []})


@fault("BODY-6")
class CutsTheStopString(MiniatureRollout):
    """The ids of a stop string are taken off, as its characters are from the text."""

    def _drawn(self, prompts: list[list[int]], inputs: list[Any]) -> list[Drawn]:
        rows = super()._drawn(prompts, inputs)
        for row in rows:
            if len(row.ids) > 1 and any(one in self.packer.tokenizer.decode(row.ids) for one in self.stop_texts):
                row.ids, row.logprobs = row.ids[:-1], row.logprobs[:-1]
        return rows


@fault("BODY-6")
class LeavesTheLastPlace(MiniatureRollout):
    """The last place that the model has is never generated."""

    def _full(self, row: Drawn) -> bool:
        return super()._full(row) or len(row.prompt) + len(row.ids) + 1 >= self.model.config.max_position_embeddings


@fault("BODY-7", report="https://github.com/ai-dynamo/dynamo/pull/12934")
class ScoreOfTheTokenAfter(MiniatureRollout):
    """The stream begins with the second token, and ends with a zero.

    Reported as an empty entry for the first token: https://github.com/ai-dynamo/dynamo/pull/12934.
    """

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        found = super()._logprobs(row)
        return {"logprobs": [*found["logprobs"][1:], 0.0]} if "logprobs" in found else found


@fault("BODY-7", report="https://github.com/agentscope-ai/Trinity-RFT/issues/272")
class OneScoreLess(MiniatureRollout):
    """The last id has no logprob: 209 ids and 208 logprobs, https://github.com/agentscope-ai/Trinity-RFT/issues/272."""

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        found = super()._logprobs(row)
        return {"logprobs": found["logprobs"][:-1]} if "logprobs" in found else found


@fault("BODY-7")
class ScoresAfterTheTemperature(MiniatureRollout):
    """The logprobs are those of the distribution that was drawn from."""

    def _score(self, scores: Any, logits: Any, chosen: int) -> float:
        return float((logits / (self.temperature or 1.0)).log_softmax(-1)[chosen])


@fault("BODY-7")
class ScoreOfTheLikeliest(MiniatureRollout):
    """The logprob is the first of the engine's list, which is sorted, and not that of the id that was drawn."""

    def _score(self, scores: Any, logits: Any, chosen: int) -> float:
        return float(scores.max())


@fault("BODY-7")
class ScoresToTheBaseTen(MiniatureRollout):
    """The logarithm is to the base 10."""

    def _score(self, scores: Any, logits: Any, chosen: int) -> float:
        return float(scores[chosen]) / math.log(10)


@fault("BODY-7")
class GeneratesWithDropout(MiniatureRollout):
    """A model that is being trained generates in training mode, so that no two runs of it agree."""

    def _begin(self) -> None:
        """Nothing."""


@fault("BODY-8", report="https://github.com/rllm-org/rllm/issues/816")
class ZeroForMissing(MiniatureRollout):
    """A logprob that is missing becomes 0.0, which is that of certainty: https://github.com/rllm-org/rllm/issues/816."""

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        return {"logprobs": [value if math.isfinite(value) else 0.0 for value in row.logprobs]}


@fault("BODY-8")
class RecordsWhateverComes(MiniatureRollout):
    """Logprobs are recorded as they come."""

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        return {"logprobs": list(row.logprobs)}


@fault("BODY-8")
class RefusesWithoutAPlace(MiniatureRollout):
    """A value that is no number is refused, and the message does not say where it stood."""

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        if not all(map(math.isfinite, row.logprobs)):
            raise ValueError("the engine returned NaN")
        return super()._logprobs(row)


@fault("BODY-8")
class MarksTheFirstAlone(MiniatureRollout):
    """Of several logprobs that are missing only the first is marked."""

    def _logprobs(self, row: Drawn) -> dict[str, Any]:
        found = super()._logprobs(row)
        return {name: value[:1] if name == "logprobs_missing" else value for name, value in found.items()}
