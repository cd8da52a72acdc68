"""The slow oracle: the formulas of the specification as code, one file an idea, to be read beside the chapters.

It is written to be seen to be right and for nothing else: plain lists, no library, no speed. The test vectors are
what it answers; the kit, the reference and any other implementation are held to the vectors, and import none of this.
"""

from packer_spec.oracle import (
    authority,
    batching,
    collation,
    columns,
    documents,
    elements,
    identity,
    json_text,
    masks,
    partition,
    records,
    resume,
    routing,
    sharding,
    typed_values,
    wire,
)
from packer_spec.oracle.arrays import Array

__all__ = [
    "Array",
    "authority",
    "batching",
    "collation",
    "columns",
    "documents",
    "elements",
    "identity",
    "json_text",
    "masks",
    "partition",
    "records",
    "resume",
    "routing",
    "sharding",
    "typed_values",
    "wire",
]
