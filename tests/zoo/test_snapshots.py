"""The exact words of every failure in the zoo: PACKPROOF_UPDATE_SNAPSHOTS=1 writes them again."""

import os
from pathlib import Path

import pytest
from failures import failures_of

from packproof.zoo import Member, members

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.mark.parametrize("member", members(), ids=lambda member: member.name)
def test_failure_reads_as_recorded(member: Member) -> None:
    """A member's failures read exactly as in its snapshot file."""
    file, text = SNAPSHOTS / f"{member.name}.txt", failures_of(member)
    if os.environ.get("PACKPROOF_UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"PACKPROOF_UPDATE_SNAPSHOTS=1 writes {file.name} again"


def test_no_snapshot_is_left_over() -> None:
    """Every snapshot file belongs to a member."""
    names = {member.name for member in members()}
    left_over = [file for file in SNAPSHOTS.glob("*.txt") if file.stem not in names]
    if os.environ.get("PACKPROOF_UPDATE_SNAPSHOTS"):
        for file in left_over:
            file.unlink()
    else:
        assert left_over == []
