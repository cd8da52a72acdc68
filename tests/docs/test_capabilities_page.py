"""The page on capabilities says what the kit looks for."""

import re
from pathlib import Path
from typing import Any

import pytest

from packer_schemas.protocols import PackerSelection, ResumeGate, RoutedPolicyInput
from packer_schemas.routing_steps import RoutingSteps
from packproof.capabilities import CAPABILITIES, methods_of

PAGE = (Path(__file__).parents[2] / "docs" / "capabilities.md").read_text(encoding="utf-8")


def test_the_table_lists_every_capability_with_its_methods() -> None:
    """Rows of the table are the protocols that the kit tries, with exactly their methods."""
    rows = {
        name: re.findall(r"`(\w+)`", cell) for name, cell in re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    }
    assert rows == {name: methods_of(protocol) for name, protocol in CAPABILITIES.items()}


@pytest.mark.parametrize("protocol", [PackerSelection, ResumeGate, RoutedPolicyInput, RoutingSteps])
def test_what_stands_beside_a_packer_is_described_by_its_methods(protocol: Any) -> None:
    """The functions of a selection module are named, too, and so are the methods of a resume gate."""
    assert all(f"`{name}`" in PAGE for name in [protocol.__name__, *methods_of(protocol)])
