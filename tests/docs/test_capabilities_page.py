"""The page on capabilities says what the kit looks for."""

import re
from pathlib import Path

from packer_schemas.protocols import PackerSelection
from packproof.capabilities import CAPABILITIES, methods_of

PAGE = (Path(__file__).parents[2] / "docs" / "capabilities.md").read_text(encoding="utf-8")


def test_the_table_lists_every_capability_with_its_methods() -> None:
    """Rows of the table are the protocols that the kit tries, with exactly their methods."""
    rows = {
        name: re.findall(r"`(\w+)`", cell) for name, cell in re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    }
    assert rows == {name: methods_of(protocol) for name, protocol in CAPABILITIES.items()}


def test_the_selection_is_described_by_its_functions() -> None:
    """The functions of a selection module are named, too."""
    assert all(f"`{name}`" in PAGE for name in methods_of(PackerSelection))
