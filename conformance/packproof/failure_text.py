"""How a failure reads: the rule, the call, both rows side by side, the fault's name, and one command to replay it."""

from collections.abc import Sequence

from packer_schemas.report import Counterexample, Outcome, Row
from packer_spec import requirement
from packproof.wording import LABEL, WIDTH, labelled, printable

__all__ = ["failure_text", "table"]


def failure_text(outcome: Outcome, target: str, replay: str, case_path: str = "", noun: str = "packer") -> str:
    """The failure of one requirement on `target`, a packer or a source; `replay` is the command that shows it again."""
    rule = requirement(outcome.requirement)
    lines = [f"{rule.id}  {rule.level}  {rule.rule}", labelled(noun, target)]
    model = getattr(outcome.case_file.case, "model", None) if outcome.case_file is not None else None
    if model:
        lines.append(labelled("model", model))
    if outcome.counterexample is not None:
        lines += _counterexample(outcome.counterexample)
    if outcome.reason:
        lines.append(labelled(outcome.status, outcome.reason))
    lines.append(labelled("rule", f"packproof explain {rule.id}   (spec: {rule.chapter}, anchor {rule.anchor})"))
    lines.append(labelled("replay", replay, wrap=False))
    if case_path:
        lines.append(labelled("case", case_path, wrap=False))
    return "\n".join(lines)


def table(rows: Sequence[Row], fault: str = "") -> list[str]:
    """Rows of equal positions as aligned columns, windowed around the first difference."""
    count = max(len(row.values) for row in rows)
    cells = {row.name: [_cell(value) for value in row.values] + [""] * (count - len(row.values)) for row in rows}
    widths = [max(3, *(len(column[index]) for column in cells.values())) + 2 for index in range(count)]
    start, stop = _window(widths, _first_difference(cells))
    label = max(LABEL, *(len(name) for name in cells)) + 2
    lines = []
    for name, column in cells.items():
        body = "".join(text.rjust(width) for text, width in zip(column[start:stop], widths[start:stop], strict=True))
        before, after = ("..." if start else ""), ("  ..." if stop < count else "")
        lines.append(f"  {name.ljust(label)}{before}{body}{after}".rstrip())
    lines = _with_fault(lines, fault)
    if stop - start < count:
        lines.append(f"  ({count} positions, {stop - start} shown)")
    return lines


def _counterexample(found: Counterexample) -> list[str]:
    lines = [labelled("call", found.call)]
    if found.rows:
        return lines + table(found.rows, found.fault)
    if found.expected:
        lines.append(labelled("expected", found.expected))
    return _with_fault([*lines, labelled("got", found.got)], found.fault)


def _with_fault(lines: list[str], fault: str) -> list[str]:
    """The fault's name behind the last line, or below it when there is no room."""
    if not fault:
        return lines
    last = f"{lines[-1]}      <- {printable(fault)}"
    return [*lines[:-1], last] if len(last.rpartition("\n")[2]) <= WIDTH else [*lines, labelled("fault", fault)]


def _cell(value: int | str | None) -> str:
    return "" if value is None else printable(str(value))


def _first_difference(cells: dict[str, list[str]]) -> int:
    """The first position where expected and got differ; where nothing is expected, the first one a row lacks."""
    if "expected" in cells and "got" in cells:
        differs = [want != have for want, have in zip(cells["expected"], cells["got"], strict=True)]
    else:
        differs = ["" in column for column in zip(*cells.values(), strict=True)]
    return differs.index(True) if True in differs else 0


def _window(widths: Sequence[int], centre: int) -> tuple[int, int]:
    room = WIDTH - LABEL - 12
    start = stop = centre
    while room > 0 and (start > 0 or stop < len(widths)):
        if stop < len(widths):
            room -= widths[stop]
            stop += room >= 0
        if start > 0 and room > 0:
            room -= widths[start - 1]
            start -= room >= 0
    return start, stop
