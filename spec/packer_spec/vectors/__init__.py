"""The test vectors: tables of inputs, answered by the oracle and written as JSON that any language can read.

They are made here, beside the rules and the oracle, since they are part of the specification: nothing but the standard
library is needed to make them again, `python -m packer_spec.vectors`, and what is made does not depend on chance.
"""

from packer_spec.vectors.files import VECTOR_NAMES, VECTORS_SPEC, text_of

__all__ = ["VECTORS_SPEC", "VECTOR_NAMES", "text_of"]
