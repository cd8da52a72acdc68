"""Models of the test vectors: a file for each part of the specification, readable in any language."""

from pydantic import BaseModel

from packer_schemas.vectors.batching import DataflowVector, DataflowVectors
from packer_schemas.vectors.core import (
    AuthorityVector,
    AuthorityVectors,
    CollationVector,
    CollationVectors,
    CollationVectorSample,
    MaskVector,
    MaskVectors,
)
from packer_schemas.vectors.dataflow import (
    RoutingVector,
    RoutingVectors,
    ShardingVector,
    ShardingVectors,
)
from packer_schemas.vectors.identity import IdentityVector, IdentityVectors
from packer_schemas.vectors.parts import Refusal, TaggedValue, TokenizerFacts, Vector, VectorFile
from packer_schemas.vectors.resume import ResumeVector, ResumeVectors
from packer_schemas.vectors.wire import WireVector, WireVectors

__all__ = [
    "VECTOR_FILES",
    "AuthorityVector",
    "AuthorityVectors",
    "CollationVector",
    "CollationVectorSample",
    "CollationVectors",
    "DataflowVector",
    "DataflowVectors",
    "IdentityVector",
    "IdentityVectors",
    "MaskVector",
    "MaskVectors",
    "Refusal",
    "ResumeVector",
    "ResumeVectors",
    "RoutingVector",
    "RoutingVectors",
    "ShardingVector",
    "ShardingVectors",
    "TaggedValue",
    "TokenizerFacts",
    "Vector",
    "VectorFile",
    "WireVector",
    "WireVectors",
]

VECTOR_FILES: dict[str, type[BaseModel]] = {
    "masks": MaskVectors,
    "authority": AuthorityVectors,
    "collation": CollationVectors,
    "identity": IdentityVectors,
    "routing": RoutingVectors,
    "sharding": ShardingVectors,
    "wire": WireVectors,
    "dataflow": DataflowVectors,
    "resume": ResumeVectors,
}
"""The model of each `NAME.json`; its JSON Schema is `vectors-NAME.json`."""
