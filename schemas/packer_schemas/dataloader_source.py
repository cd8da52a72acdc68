"""What the places of a data loader's state count: a state is of use only on a source equal in every field."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from packer_schemas.fields import Count

__all__ = ["DatasetPart", "JointSource", "MapSource", "MixturePart", "MixtureSource", "RankPartitionedSource"]

Ratio = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Dataset(BaseModel):
    """One map-style dataset and its order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    length: int = Field(
        strict=True, ge=1, description="Items in one epoch, over all ranks and workers that share the dataset."
    )
    seed: int = Field(strict=True, description="Seed of the order.")
    shuffle: bool = Field(strict=True, description="Whether the order is drawn anew every epoch.")
    fingerprint: str | None = Field(
        description="SHA-256 of what the dataset says of itself and of its length; null where it says nothing."
    )


class MapSource(_Dataset):
    """A map-style dataset, shared out over all ranks."""

    kind: Literal["map"] = Field(description="What kind of source it is.")


class DatasetPart(BaseModel):
    """The dataset that a rank was given, and its place among the ranks that share it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="Name of the dataset.")
    shard_rank: Count = Field(description="Place of this rank among those that share it, counted from 0.")
    shard_world_size: int = Field(strict=True, ge=1, description="Number of ranks that share it.")


class RankPartitionedSource(_Dataset):
    """One of several datasets, given to a block of whole ranks."""

    kind: Literal["rank_partitioned"] = Field(description="What kind of source it is.")
    part: DatasetPart = Field(description="Which dataset, and which place.")


class MixturePart(BaseModel):
    """One part of a mixture."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ratio: Ratio = Field(description="Its weight among the parts; a part of weight 0 is never drawn.")
    source: Annotated[MapSource | RankPartitionedSource, Field(discriminator="kind")] = Field(
        description="What is drawn from."
    )


class MixtureSource(BaseModel):
    """Several datasets, of which each item is drawn from one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["mixture"] = Field(description="What kind of source it is.")
    seed: int = Field(strict=True, description="Seed of the draws.")
    parts: dict[str, MixturePart] = Field(min_length=1, description="The parts by name.")


class JointSource(BaseModel):
    """Several loaders, of which each batch is drawn from one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["joint"] = Field(description="What kind of source it is.")
    seed: int = Field(strict=True, description="Seed of the draws.")
    ratios: dict[str, Ratio] = Field(
        min_length=1, description="Weight of each loader by its name; one of weight 0 is never drawn."
    )
