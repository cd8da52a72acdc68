"""Where a data loader stands: enough to go on after a stop with nothing lost, repeated or out of order."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, RootModel, Tag, model_validator

from packer_schemas.dataloader_source import JointSource, MapSource, MixtureSource, RankPartitionedSource
from packer_schemas.fields import Count, Version1

__all__ = [
    "DataloaderState",
    "Draw",
    "JointLoaders",
    "JointState",
    "LastPlace",
    "LoaderState",
    "MixtureState",
    "MixtureWorker",
    "Place",
    "WorkerPosition",
]


class Place(BaseModel):
    """One item of a worker."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epoch: Count = Field(description="Epoch it belongs to, counted from 0.")
    index: Count = Field(description="Its place in the worker's slice of that epoch, counted from 0.")


class Draw(Place):
    """One item that a worker drew from one part of a mixture."""

    part: str = Field(description="Name of the part.")


class LastPlace(BaseModel):
    """How far something was read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epoch: Count = Field(description="Epoch of the furthest item, counted from 0.")
    index: Annotated[int, Field(strict=True, ge=-1)] = Field(
        description="Its place in the worker's slice of that epoch, counted from 0; -1 before the first item."
    )


class WorkerPosition(LastPlace):
    """How far one worker's items were given out."""

    worker_id: Count = Field(description="Number of the worker, counted from 0; 0 where the loader has no workers.")
    set_aside: list[Place] = Field(description="Items read and not given out yet, in the order in which they come.")


class MixtureWorker(BaseModel):
    """How far one worker of a mixture is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    worker_id: Count = Field(description="Number of the worker, counted from 0; 0 where the loader has no workers.")
    draws: Count = Field(description="Draws of this worker's stream so far, those of items set aside included.")
    parts: dict[str, LastPlace] = Field(description="The last place read from each part within these draws.")
    set_aside: list[Draw] = Field(description="Items drawn and not given out yet, in the order of the draws.")


class _OneLoader(BaseModel):
    """What documents of all loaders but joint ones hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Version1 = Field(description="Version of this layout.")
    name: str = Field(description="Name of the loader; empty where there is only one.")
    dp_rank: Count = Field(description="Data-parallel rank, counted from 0.")
    dp_world_size: int = Field(strict=True, ge=1, description="Number of data-parallel ranks.")
    num_workers: Count = Field(description="Worker processes of this rank; 0: items are read in the rank's process.")
    batches: Count = Field(description="Batches given out on this rank since the first start, over all stops.")
    next_worker: Count = Field(description="Worker that gives the next batch; 0 without workers.")

    def _expect_counts(self, worker_ids: list[int]) -> None:
        workers = max(1, self.num_workers)
        if self.dp_rank >= self.dp_world_size:
            raise ValueError(f"expected dp_rank < dp_world_size ({self.dp_world_size}), got {self.dp_rank}")
        if self.next_worker >= workers:
            raise ValueError(f"expected next_worker < max(1, num_workers) ({workers}), got {self.next_worker}")
        if len(worker_ids) != workers or worker_ids != list(range(len(worker_ids))):
            raise ValueError(f"expected workers with the worker_id 0 to {workers - 1} in order, got {worker_ids}")


class LoaderState(_OneLoader):
    """The place of one rank's loader over one map-style dataset."""

    source: Annotated[MapSource | RankPartitionedSource, Field(discriminator="kind")] = Field(
        description="What the places count."
    )
    workers: list[WorkerPosition] = Field(min_length=1, description="Place of every worker, by worker_id.")

    @model_validator(mode="after")
    def _places_exist(self) -> Self:
        self._expect_counts([worker.worker_id for worker in self.workers])
        part = self.source.part if isinstance(self.source, RankPartitionedSource) else None
        rank = self.dp_rank if part is None else part.shard_rank
        world = self.dp_world_size if part is None else part.shard_world_size
        for worker in self.workers:
            first = rank * len(self.workers) + worker.worker_id
            last = max(-1, (self.source.length - 1 - first) // (world * len(self.workers)))
            told = [(one.epoch, one.index) for one in (worker, *worker.set_aside)]
            if max(index for _, index in told) > last:
                raise ValueError(f"expected each index of worker {worker.worker_id} up to {last}, got {told}")
            if len(set(told)) < len(told):
                raise ValueError(f"expected places in set_aside once and besides that of the entry, got {told}")
        return self


class MixtureState(_OneLoader):
    """The place of one rank's loader over a mixture of datasets."""

    source: MixtureSource = Field(description="What the places count.")
    workers: list[MixtureWorker] = Field(min_length=1, description="Place of every worker, by worker_id.")

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        self._expect_counts([worker.worker_id for worker in self.workers])
        named = {name for one in self.workers for name in (*one.parts, *(draw.part for draw in one.set_aside))}
        if not named <= set(self.source.parts):
            unknown = sorted(named - set(self.source.parts))
            raise ValueError(f"expected parts of the source, {sorted(self.source.parts)}, got {unknown}")
        return self


def _kind(document: Any) -> str:
    """Which layout a document has: told by the kind of its source."""
    source = document.get("source") if isinstance(document, dict) else getattr(document, "source", None)
    kind = source.get("kind") if isinstance(source, dict) else getattr(source, "kind", None)
    return kind if kind in ("mixture", "joint") else "map"


_Inner = Annotated[
    Annotated[LoaderState, Tag("map")] | Annotated[MixtureState, Tag("mixture")],
    Discriminator(_kind),
]


class JointLoaders(BaseModel):
    """The loaders that a joint one draws its batches from: the document of each by its name."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, _Inner] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    global_id: Count = Field(description="Batches given out by the joint loader since the first start.")


class JointState(BaseModel):
    """The place of one rank's joint loader, and of every loader in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Version1 = Field(description="Version of this layout.")
    name: str = Field(description="Name of the joint loader; empty where there is only one.")
    source: JointSource = Field(description="How the loaders are drawn from.")
    loaders: JointLoaders = Field(description="The loaders, one document each, under the names of `source.ratios`.")

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        loaders, ratios = set(self.loaders.model_extra or {}), self.source.ratios
        if not {name for name, ratio in ratios.items() if ratio} <= loaders <= set(ratios):
            raise ValueError(f"expected a loader for each of source.ratios, {sorted(ratios)}, got {sorted(loaders)}")
        return self


class DataloaderState(
    RootModel[
        Annotated[
            Annotated[LoaderState, Tag("map")]
            | Annotated[MixtureState, Tag("mixture")]
            | Annotated[JointState, Tag("joint")],
            Discriminator(_kind),
        ]
    ]
):
    """What `state_dict()` of one rank's data loader returns, counted in batches given out, not in what was fetched.

    Beyond what a schema checks: dp_rank < dp_world_size, next_worker < max(1, num_workers), `workers` has one entry
    for each worker_id from 0 to max(1, num_workers) - 1 in order, a mixture's workers know its parts alone, and a
    joint loader has a document for each of its ratios above 0; over one dataset an `index` lies in the worker's slice
    of an epoch, and no place is named twice.
    """

    model_config = ConfigDict(frozen=True)
