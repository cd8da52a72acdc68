"""The worked examples of the chapter on sources, with the digest of canonical JSON."""

import pytest
from worked_tables import example, intro

from packer_schemas import identity_digest


def fingerprint(length: int) -> str:
    """The fingerprint of the chapter's source with this many rows."""
    return identity_digest({"fingerprint": "sums-v1", "length": length})


@pytest.mark.parametrize("length", [12, 13])
def test_a_fingerprint_is_that_of_the_words_and_the_length(length: int) -> None:
    """The introduction's digests are those of the canonical JSON that it gives."""
    assert intro("sources", str(length)).row(str(length)) == [f"`{fingerprint(length)}`"]


def test_an_appended_row_changes_the_fingerprint() -> None:
    """SOURCE-11's beginnings are those of the digests of 12 and of 13 rows."""
    table = example("sources", "SOURCE-11")
    assert table.row("12") == table.row("got, 13") == [f"`{fingerprint(12)[:12]}`"]
    assert table.row("expected, 13") == [f"`{fingerprint(13)[:12]}`"]
