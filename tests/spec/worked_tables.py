"""The tables of a chapter's worked examples, read so that a test can compute their cells again."""

import re
from dataclasses import dataclass
from pathlib import Path

import packer_spec

FOLDER = Path(packer_spec.__file__).parent / "chapters"
_TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


@dataclass(frozen=True)
class Table:
    """One table: what stands in a row behind its first cell, without empty cells at the end."""

    header: list[str]
    rows: dict[str, list[str]]

    def row(self, head: str) -> list[str]:
        """The cells behind the first cell `head`; KeyError if no row begins with it."""
        return self.rows[head]

    def numbers(self, head: str) -> list[float]:
        """The same, as numbers; ValueError if one is none. Whole numbers equal the ids that a tokenizer gives."""
        return [float(cell) for cell in self.row(head)]

    def flags(self, head: str) -> list[bool]:
        """The same, where every cell is True or False."""
        return [{"True": True, "False": False}[cell] for cell in self.row(head)]


def text_of(chapter: str) -> str:
    """The chapter as it stands in its file."""
    return (FOLDER / f"{chapter}.md").read_text(encoding="utf-8")


def tables(chapter: str) -> dict[str, list[Table]]:
    """The tables of a chapter under the heading that they stand below: a rule's id, or the chapter's title."""
    found: dict[str, list[Table]] = {}
    for block in re.split(r"^#+ ", text_of(chapter), flags=re.MULTILINE)[1:]:
        heading = block.partition("\n")[0].partition(" {")[0]
        found[heading] = [_table(match[0]) for match in _TABLE.finditer(block)]
    return found


def example(chapter: str, rule_id: str) -> Table:
    """The last table of a rule: that of its smallest break."""
    return tables(chapter)[rule_id][-1]


def intro(chapter: str, head: str, number: int = 0) -> Table:
    """Of the tables before the first rule of a chapter that have a row `head`, the one with this number."""
    first = next(iter(tables(chapter).values()))
    return [table for table in first if head in table.rows][number]


def _table(text: str) -> Table:
    header, _, *rows = [[cell.strip() for cell in _cells(line)] for line in text.splitlines()]
    return Table(header[1:], {row[0]: _without_end(row[1:]) for row in rows})


def _cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line.strip())[1:-1]


def _without_end(cells: list[str]) -> list[str]:
    while cells and not cells[-1]:
        cells = cells[:-1]
    return cells
