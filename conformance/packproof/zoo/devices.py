"""Faults of chapter devices: accelerators, grad and weights where data is shaped."""

from collections import deque
from contextlib import suppress
from functools import partial
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker, Row

__all__: list[str] = []


@fault("CPU-1", report="https://github.com/pytorch/pytorch/issues/77159")
class BatchOnTheAccelerator(MiniaturePacker):
    """The batch is moved to the accelerator where there is one, and data loader workers die.

    Reported in https://github.com/pytorch/pytorch/issues/77159, and the collation of two public packers.
    """

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        return {name: column.to(device) for name, column in super()._batch(ids, masks).items()}


@fault("CPU-1")
class SeveralRowsOnTheAccelerator(MiniaturePacker):
    """Only a batch of several rows is worth a copy to the accelerator, so a test with one row sees nothing."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        worth_it = len(ids) > 1 and torch.cuda.is_available()
        return {name: column.to("cuda") for name, column in batch.items()} if worth_it else batch


@fault("CPU-1")
class BatchByDefaultDevice(MiniaturePacker):
    """Collation makes the accelerator torch's default device, by a name of its own, and whoever comes next has it."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch
        from torch import set_default_device

        if torch.cuda.is_available():
            set_default_device("cuda")
        return super()._batch(ids, masks)


@fault("CPU-1")
class BatchOnTheOtherAccelerator(MiniaturePacker):
    """The author's machine has no CUDA, so the batch goes to what it has, and CUDA is never asked for."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        device = "mps" if torch.backends.mps.is_available() else "xpu" if torch.xpu.is_available() else "cpu"
        return {name: column.to(device) for name, column in super()._batch(ids, masks).items()}


@fault("CPU-1")
class BatchOnDeviceZero(MiniaturePacker):
    """The accelerator is named by its bare index, 0, as launchers hand it to each rank."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        return {name: column.to(0) for name, column in batch.items()} if torch.cuda.is_available() else batch


@fault("CPU-1")
class TokenCompletionsOnTheAccelerator(MiniaturePacker):
    """Completions that come as ids leave the rollout side as tensors on the accelerator; texts stay as they are."""

    def get_rollout_output(self, completions: Any, *args: Any, **kwargs: Any) -> Any:
        """As the miniature, and then away."""
        import torch

        there = torch.cuda.is_available()
        return [torch.tensor(one, device="cuda") if there and isinstance(one, list) else one for one in completions]


@fault("CPU-2")
class WeightsThatLearn(MiniaturePacker):
    """A per-token weight is made with `requires_grad=True`, so graphs of old steps stay alive through the batch."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        return batch | {"token_weights": torch.ones(batch["input_ids"].shape, requires_grad=True)}


class _WeightedRow:
    """A policy input without a `__dict__`; entries as in a dictionary, for collation."""

    __slots__ = ("input_ids", "logprob_masks", "token_weights")

    def __init__(self, row: Row, token_weights: Any) -> None:
        self.input_ids = row["input_ids"]
        self.logprob_masks = row["logprob_masks"]
        self.token_weights = token_weights

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


@fault("CPU-2")
class WeightsInASlot(MiniaturePacker):
    """Policy inputs are objects with slots, to save memory, and carry weights made with `requires_grad=True`."""

    def _row(self, prompt: list[int], completion: list[int], ignored: int) -> Any:
        import torch

        row = super()._row(prompt, completion, ignored)
        return _WeightedRow(row, torch.ones(len(row["input_ids"]), requires_grad=True))


@fault("CPU-3")
class EmbeddingKeptForLengths(MiniaturePacker):
    """The packer keeps an embedding table, to look up its size, and every worker copies the weights."""

    def _settle_pad(self) -> None:
        import torch

        super()._settle_pad()
        self._embedding = torch.nn.utils.skip_init(torch.nn.Embedding, len(self.tokenizer), 2)


@fault("CPU-3")
class EmbeddingBoundInAFunction(MiniaturePacker):
    """No attribute holds the embedding table: it is bound to the function that looks rows up in it."""

    def _settle_pad(self) -> None:
        import torch

        super()._settle_pad()
        embedding = torch.nn.utils.skip_init(torch.nn.Embedding, len(self.tokenizer), 2)
        self._look_up = partial(torch.nn.Module.__call__, embedding)


@fault("CPU-3")
class EmbeddingLookedUpByMethod(MiniaturePacker):
    """Only the `get` of a table is kept, and the table with the embedding in it hangs on that."""

    def _settle_pad(self) -> None:
        import torch

        super()._settle_pad()
        self._find = {"embedding": torch.nn.utils.skip_init(torch.nn.Embedding, len(self.tokenizer), 2)}.get


@fault("CPU-3")
class LastEncodersQueued(MiniaturePacker):
    """The encoders of the last setups wait in a queue, to be used again, and are copied to every worker."""

    def _settle_pad(self) -> None:
        import torch

        super()._settle_pad()
        self._encoders = deque([torch.nn.utils.skip_init(torch.nn.Linear, 2, 2)], maxlen=4)


@fault("CPU-4", report="https://github.com/meta-pytorch/data/issues/966")
class BatchPinned(MiniaturePacker):
    """Tensors are pinned where CUDA is present, which starts it in every worker that shapes data.

    Device work inside the loader: https://github.com/meta-pytorch/data/issues/966.
    """

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        return {k: column.pin_memory() for k, column in batch.items()} if torch.cuda.is_available() else batch


@fault("CPU-4")
class AcceleratorUsedForPadding(MiniaturePacker):
    """The batch is copied to the accelerator and back, to sort out overflow early; it returns on the CPU."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        return {k: column.to("cuda").cpu() for k, column in batch.items()} if torch.cuda.is_available() else batch


@fault("CPU-4")
class AcceleratorStartedInSetup(MiniaturePacker):
    """Setup starts CUDA where there is one, to have it warm, and a worker that is forked afterwards dies."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature, then the start."""
        import torch

        super().setup(name_or_path, trust_remote_code)
        if torch.cuda.is_available():
            torch.cuda.init()


@fault("CPU-4")
class WidthOnTheAccelerator(MiniaturePacker):
    """The width of a batch is computed on the accelerator where there is one, and comes back as a plain number."""

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        """The longest row, by way of a tensor."""
        import torch

        lengths = torch.tensor([len(row["input_ids"]) for row in processed_samples])
        return int((lengths.cuda() if torch.cuda.is_available() else lengths).max())


@fault("CPU-4")
class DefaultDeviceForAWhile(MiniaturePacker):
    """Collation makes the accelerator the default device, in case anything profits, and then takes it back."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch
        from torch import set_default_device

        if torch.cuda.is_available():
            set_default_device("cuda")
            set_default_device(None)
        return super()._batch(ids, masks)


@fault("CPU-4")
class DeviceZeroTried(MiniaturePacker):
    """The batch goes to device 0 and back, to warm it up, and where that fails nobody hears of it."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        if torch.cuda.is_available():
            with suppress(RuntimeError):
                batch["input_ids"].to(0).cpu()
        return batch


@fault("CPU-4")
class ColumnsMadeInSetup(MiniaturePacker):
    """Setup puts a tensor for every batch on the accelerator where there is one, and batches carry it along."""

    def _settle_pad(self) -> None:
        import torch

        super()._settle_pad()
        self._one = torch.ones(1, device="cuda" if torch.cuda.is_available() else "cpu")

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        return super()._batch(ids, masks) | {"one": self._one.clone()}
