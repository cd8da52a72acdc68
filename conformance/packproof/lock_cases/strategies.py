"""Strategies for lock cases: up to six labels, each with an entry, a packer or both, equal or not in every field."""

from typing import Any

from hypothesis import strategies as st

from packer_schemas.lock_cases import LockCase, LockRow, LockSide
from packproof.driver import Driver
from packproof.fitting import Cases

__all__ = ["locks"]

_LABELS = (("a", "b", "c", "d", "e", "f"), ("b", "a", "B", "A", "d", "c"), ("c", "b", "a", "f", "e", "d"))
_SAME, _OTHER, _NONE = (0, 0), (0, 1), (None, None)


def _row(identity: Any, behaviour: Any, source: Any, there: str) -> dict[str, Any]:
    """Entry and packer of one label, each number as a pair of theirs."""
    then, now = (
        LockSide(identity=one, behaviour=other, source=third)
        for one, other, third in zip(identity, behaviour, source, strict=True)
    )
    return {"pinned": None if there == "now" else then, "now": None if there == "pinned" else now}


def _rows(rows: list[dict[str, Any]], labels: tuple[str, ...]) -> list[LockRow]:
    return [LockRow(label=label, **row) for label, row in zip(labels, rows, strict=False)]


_ROW = st.builds(
    _row,
    st.sampled_from([_SAME, _OTHER, _NONE, _SAME, _NONE, (0, None), (None, 0)]),
    st.sampled_from([_SAME, _OTHER]),
    st.sampled_from([_SAME, _OTHER, _NONE, (0, None), (None, 0)]),
    st.sampled_from(["both", "both", "both", "both", "now", "pinned"]),
)
_ROWS = st.builds(_rows, st.lists(_ROW, min_size=1, max_size=6), st.sampled_from(_LABELS))
_CASES = st.builds(LockCase, rows=_ROWS, probe_corpus=st.sampled_from([1, 1, 1, 2]))


def _unfit(case: LockCase, _: Driver) -> str:
    """Why the rows of a case are those of no lock, or an empty string."""
    labels = [row.label for row in case.rows]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        return f"it has the label {twice!r} twice"
    neither = next((row.label for row in case.rows if row.pinned is None and row.now is None), None)
    return "" if neither is None else f"its label {neither!r} has neither an entry nor a packer"


locks = Cases(lambda *_: _CASES, _unfit)
