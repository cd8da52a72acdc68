"""The packer of the tutorial on the vectors of the core chapters, its messages included."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from outcomes import expect_outcome, of
from plain_packers import batch_of, mask_of, row_of

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The class that the page ends with, out of the files that the page gives."""
    folder = tmp_path_factory.mktemp("tutorial")
    for block in re.finditer(r'^```python title="(.+?)"\n(.*?)^```$', PAGE.read_text(), re.MULTILINE | re.DOTALL):
        (folder / block[1]).write_text(block[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield __import__("my_packer").MyPacker
    for name in ("my_packer", "token_ids"):
        sys.modules.pop(name, None)


@of("masks")
def test_masks(vector: Any, tutorial: Any) -> None:
    """It makes the mask of the vector, or refuses in the vector's words."""
    expect_outcome(vector, lambda: mask_of(tutorial(), vector.input))


@of("authority")
def test_authority(vector: Any, tutorial: Any) -> None:
    """It keeps the ids of the vector, or refuses what is none in the vector's words."""
    expect_outcome(vector, lambda: row_of(tutorial(), vector.input))


@of("collation")
def test_collation(vector: Any, tutorial: Any) -> None:
    """It makes the batch of the vector, or refuses in the vector's words."""
    expect_outcome(vector, lambda: batch_of(tutorial(), vector.input))
