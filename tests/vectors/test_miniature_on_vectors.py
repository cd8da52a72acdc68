"""The zoo's miniature packer on the vectors: it shares nothing with the oracle and nothing with the reference."""

from typing import Any

from outcomes import expect_outcome, of
from plain_packers import batch_of, mask_of, row_of

from packproof.zoo.miniature import MiniaturePacker


@of("masks")
def test_masks(vector: Any) -> None:
    """The miniature makes the mask of the vector, or refuses its n."""
    expect_outcome(vector, lambda: mask_of(MiniaturePacker(), vector.input), words=False)


@of("authority")
def test_authority(vector: Any) -> None:
    """The miniature keeps the ids of the vector, or refuses what is none."""
    expect_outcome(vector, lambda: row_of(MiniaturePacker(), vector.input), words=False)


@of("collation")
def test_collation(vector: Any) -> None:
    """The miniature makes the batch of the vector, or refuses its width."""
    expect_outcome(vector, lambda: batch_of(MiniaturePacker(), vector.input), words=False)
