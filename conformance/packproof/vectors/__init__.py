"""The test vectors of the specification, as data and as cases that the checks run."""

from packproof.vectors.cases import case_of, vector_cases
from packproof.vectors.files import vectors, vectors_folder

__all__ = ["case_of", "vector_cases", "vectors", "vectors_folder"]
