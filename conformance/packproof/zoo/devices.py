"""Faults of chapter devices: accelerators, grad and weights where data is shaped."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker

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


@fault("CPU-2")
class WeightsThatLearn(MiniaturePacker):
    """A per-token weight is made with `requires_grad=True`, so graphs of old steps stay alive through the batch."""

    def _batch(self, ids: list[list[int]], masks: list[list[Any]]) -> dict[str, Any]:
        import torch

        batch = super()._batch(ids, masks)
        return batch | {"token_weights": torch.ones(batch["input_ids"].shape, requires_grad=True)}


@fault("CPU-3")
class EmbeddingKeptForLengths(MiniaturePacker):
    """The packer keeps an embedding table, to look up its size, and every worker copies the weights."""

    def _settle_pad(self) -> None:
        import torch

        super()._settle_pad()
        self._embedding = torch.nn.utils.skip_init(torch.nn.Embedding, len(self.tokenizer), 2)


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
