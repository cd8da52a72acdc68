"""Where a data loader stands: enough to go on after a stop with nothing lost, repeated or out of order."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from packer_schemas.fields import Count, Version1

__all__ = ["DataloaderSource", "DataloaderState", "SetAside", "WorkerPosition"]


class DataloaderSource(BaseModel):
    """What the positions count: a state is of use only on a source equal in every field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str = Field(
        pattern=r"^[a-z][a-z0-9_-]*$",
        description="`map` for one map-style dataset, `mixture` and `joint` for several; other sources name their own.",
    )
    length: int = Field(strict=True, ge=1, description="Items in one epoch, over all ranks and workers.")
    seed: int = Field(strict=True, description="Seed of the shuffle.")
    shuffle: bool = Field(strict=True, description="Whether the order is drawn anew every epoch.")
    fingerprint: str = Field(description="What tells this dataset from another, such as a digest; empty: unknown.")


class SetAside(BaseModel):
    """One item that a worker has read and not given out yet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epoch: Count = Field(description="Epoch it was read in, counted from 0.")
    index: Count = Field(description="Its place in the worker's slice of that epoch, counted from 0.")


class WorkerPosition(BaseModel):
    """How far one worker's items have been trained on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    worker_id: Count = Field(description="Number of the worker, counted from 0; 0 where the loader has no workers.")
    epoch: Count = Field(description="Epoch of the last item trained on, counted from 0.")
    index: Annotated[int, Field(strict=True, ge=-1)] = Field(
        description="Its place in the worker's slice of that epoch, counted from 0; -1 before the first item."
    )
    set_aside: list[SetAside] = Field(description="Items read but not given out yet, in the order read.")


class DataloaderState(BaseModel):
    """The position of one rank's data loader, counted in what was trained on, not in what was fetched ahead.

    Beyond what a schema checks: dp_rank < dp_world_size, next_worker < max(1, num_workers), and `workers` has one
    entry for each worker_id from 0 to max(1, num_workers) - 1, in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Version1 = Field(default=1, description="Version of this layout.")
    name: str = Field(description="Name of the loader; empty where there is only one.")
    source: DataloaderSource = Field(description="What the positions count.")
    dp_rank: Count = Field(description="Data-parallel rank, counted from 0.")
    dp_world_size: int = Field(strict=True, ge=1, description="Number of data-parallel ranks.")
    num_workers: Count = Field(description="Worker processes of this rank; 0: items are read in the rank's process.")
    batches: Count = Field(description="Batches trained on since the first start, over all stops.")
    next_worker: Count = Field(description="Worker that gives the next batch.")
    workers: list[WorkerPosition] = Field(min_length=1, description="Position of every worker, by worker_id.")

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        workers = max(1, self.num_workers)
        if self.dp_rank >= self.dp_world_size:
            raise ValueError(f"expected dp_rank < dp_world_size ({self.dp_world_size}), got {self.dp_rank}")
        if self.next_worker >= workers:
            raise ValueError(f"expected next_worker < max(1, num_workers) ({workers}), got {self.next_worker}")
        ids = [worker.worker_id for worker in self.workers]
        if ids != list(range(workers)):
            raise ValueError(f"expected workers with the worker_id 0 to {workers - 1} in order, got {ids}")
        return self
