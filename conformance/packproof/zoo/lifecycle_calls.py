"""Faults of chapter lifecycle: what a call leaves behind, on the packer and on the process."""

import random
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("LIFE-7")
class PositionsAddedToAKeptList(MiniaturePacker):
    """Positions are kept by row to save work, and every use of a row extends the kept list."""

    def __init__(self) -> None:
        super().__init__()
        self._positions: dict[tuple[int, ...], list[int]] = {}

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row = super()._row(prompt, completion, ignored)
        kept = self._positions.setdefault(tuple(row["input_ids"]), [])
        kept += range(len(row["input_ids"]))
        return row | {"position_ids": list(kept)}


@fault("LIFE-7", "LIFE-8")
class RowsNumberedPerPacker(MiniaturePacker):
    """Every row carries a running number as its id, so equal samples give unequal rows and caches never hit."""

    def __init__(self) -> None:
        super().__init__()
        self._rows = 0

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        self._rows += 1
        return super()._row(prompt, completion, ignored) | {"row_id": self._rows}


@fault("LIFE-7", "LIFE-8", "LIFE-12")
class MutableDefaultArgument(MiniaturePacker):
    """A default argument that is a list collects every row ever made, in all instances, and numbers the next one."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int, seen: list[int] = []) -> Row:  # noqa: B006
        seen.append(len(prompt) + len(completion))
        return super()._row(prompt, completion, ignored) | {"row_id": len(seen)}


@fault("LIFE-8")
class IgnoreCountSticks(MiniaturePacker):
    """An `n_ignore_prefix_tokens` once given stays in force for later calls that leave it out."""

    def __init__(self) -> None:
        super().__init__()
        self._ignored = 0

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        self._ignored = ignored or min(self._ignored, len(completion))
        return super()._row(prompt, completion, self._ignored)


@fault("LIFE-8")
class WidthOfTheLongestSoFar(MiniaturePacker):
    """A row says how wide its batch will be, from the longest row this packer has seen, so history decides it."""

    def __init__(self) -> None:
        super().__init__()
        self._longest = 0

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        row = super()._row(prompt, completion, ignored)
        self._longest = max(self._longest, len(row["input_ids"]))
        return row | {"pad_to": self._longest}


@fault("LIFE-8")
class TextPromptsNumbered(MiniaturePacker):
    """A row names the group of its text prompt by a number, given in the order in which this packer meets them."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: dict[str, int] = {}

    def get_policy_input(
        self, sample: Any, rollout_output: Any, n_ignore_prefix_tokens: int = 0, *, prompt_ids: Any = None
    ) -> Row:
        """As the miniature, with the number."""
        row = super().get_policy_input(sample, rollout_output, n_ignore_prefix_tokens, prompt_ids=prompt_ids)
        text = sample.representations["prompt"] if prompt_ids is None else None
        return row | {"group": self._groups.setdefault(text, len(self._groups))} if isinstance(text, str) else row


@fault("LIFE-8", "AUTH-3")
class EncoderOnTheClass(MiniaturePacker):
    """Setup stores the encoder of completions on the class, so the last packer set up decides for all of them."""

    _encoder: Any = None

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature, and for everybody."""
        super().setup(name_or_path, trust_remote_code)
        type(self)._encoder = self.tokenizer

    def _completion_ids(self, given: Any) -> list[int]:
        if isinstance(given, str):
            return list(type(self)._encoder(given, add_special_tokens=False).input_ids)
        return super()._completion_ids(given)


@fault("LIFE-8")
class EncoderOfTheFirstSetup(MiniaturePacker):
    """The encoder of completions is made once, and a second setup gives the packer a new tokenizer but keeps it."""

    def __init__(self) -> None:
        super().__init__()
        self._encoder: Any = None

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature, and once an encoder."""
        super().setup(name_or_path, trust_remote_code)
        self._encoder = self._encoder or self.tokenizer

    def _completion_ids(self, given: Any) -> list[int]:
        if isinstance(given, str):
            return list(self._encoder(given, add_special_tokens=False).input_ids)
        return super()._completion_ids(given)


@fault("LIFE-11", report="https://github.com/huggingface/datasets/issues/2775")
class RowNamedAtRandom(MiniaturePacker):
    """Every row draws from Python's global generator, so the job's randomness depends on how many rows were shaped.

    What borrowing global state can do is told in https://github.com/huggingface/datasets/issues/2775.
    """

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Row:
        random.random()
        return super()._row(prompt, completion, ignored)


@fault("LIFE-11")
class CollateSeedsTorch(MiniaturePacker):
    """Collation seeds torch to be repeatable, and resets the job's sampling with every batch."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        torch.manual_seed(0)
        return super()._batch(ids, masks)


@fault("LIFE-11")
class SetupSeedsEverything(MiniaturePacker):
    """Setup seeds Python's generator so that packers are alike, and every process of the job draws alike from then."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature, seeded."""
        random.seed(0)
        super().setup(name_or_path, trust_remote_code)


@fault("LIFE-11")
class FillersDrawn(MiniaturePacker):
    """Padding draws random ids first, to tell fillers apart while debugging, and then writes the pad id after all."""

    def _padded_ids(self, ids: list[int], width: int) -> list[int]:
        for _ in range(width - len(ids)):
            random.random()
        return super()._padded_ids(ids, width)


@fault("LIFE-11")
class EngineSeedDrawn(MiniaturePacker):
    """Exact prompt ids come with a seed for the engine, drawn from the generator that the job's own data order uses."""

    def get_pretokenized_rollout_input(self, item: Any, token_ids: Any) -> dict[str, Any]:
        """As the miniature, with a seed."""
        return super().get_pretokenized_rollout_input(item, token_ids) | {"seed": random.getrandbits(31)}


@fault("LIFE-11")
class TokenCompletionsNamed(MiniaturePacker):
    """Completions that come as ids get a name for the log, drawn from the job's generator; texts need none."""

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        """As the miniature, after the draw."""
        if not all(isinstance(one, str) for one in completions):
            random.random()
        return super().get_rollout_output(completions, *args, **kwargs)


@fault("LIFE-11")
class GuardTriesRandomText(MiniaturePacker):
    """The guard tries the tokenizer on a text drawn from the job's generator."""

    def assert_no_special_tokens(self) -> None:
        """As the miniature, after the draw."""
        self.tokenizer(str(random.random()))
        super().assert_no_special_tokens()


@fault("LIFE-11")
class StateWrittenUnderARandomName(MiniaturePacker):
    """`save_state` draws a name for its temporary file, so the job goes on otherwise after a checkpoint."""

    def save_state(self, dest_path: str) -> None:
        """As the miniature, after the draw."""
        random.random()
        super().save_state(dest_path)
