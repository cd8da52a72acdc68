"""`packproof validate`: holds data files to their schemas, and says in one line each what does not fit, and where."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain

from packproof.validation.data_files import DataFile, Document
from packproof.validation.foreign_schema import ForeignSchema
from packproof.validation.schema_check import OwnSchema
from packproof.validation.schema_choice import chosen_schema
from packproof.validation.schema_naming import HOW_TO_NAME, UNNAMED, Naming
from packproof.validation.showing import Problem
from packproof.violation import UsageError
from packproof.wording import plural

__all__ = ["validate"]


def validate(files: Sequence[str], schema: str | None, limit: int) -> int:
    """Check `files` against the schema given, or those that they name; the exit code: 0, or 1 for a problem.

    At most `limit` problems are printed, all of them if it is 0; the others are counted. `UsageError` for files that
    cannot be read and for what is no schema, before anything is checked; and, when the others have been, for files
    in which nothing names a schema.
    """
    if limit < 0:
        raise UsageError(f"--limit {limit}: expected 0, for all problems, or a number of them.")
    if files.count("-") > 1:
        raise UsageError("-: standard input can be read only once.")
    given = chosen_schema(schema) if schema is not None else None
    report = _Report(limit)
    unnamed = [file.name for file in [DataFile(name) for name in files] if not _check(file, given, report)]
    if report.hidden:
        report.write(f"... and {report.hidden:,} more {plural(report.hidden, 'problem')}; --limit 0 prints them all")
    if unnamed:
        raise UsageError(f"{', '.join(unnamed)}: nothing says which schema it is to keep: {HOW_TO_NAME}")
    return 1 if report.problems else 0


@dataclass
class _Report:
    """Prints problems up to a limit and counts the others."""

    limit: int
    problems: int = 0
    write: Callable[[str], object] = print

    @property
    def hidden(self) -> int:
        """Problems not printed."""
        return max(0, self.problems - self.limit) if self.limit else 0

    def tell(self, file: DataFile, line: int | None, problem: Problem) -> None:
        """One problem more."""
        self.problems += 1
        if not self.hidden:
            self.write(f"{file.name}:{line}  {problem}" if line else f"{file.name}  {problem}")


@dataclass
class _Tally:
    """What was found in one file; a first line that names the schema counts as a line if something is wrong with it."""

    documents: int = 0
    lines: int = 0
    bad: int = 0
    blank: int = 0
    schemas: list[str] = field(default_factory=list)

    def summary(self, file: DataFile) -> str:
        """One line about the file."""
        if not self.lines:
            return f"{file.name}: no document"
        against = f" against {' and '.join(self.schemas)}" if self.schemas else ""
        verdict = f"{'in' * bool(self.bad)}valid{against}"
        if not file.in_lines:
            return f"{file.name}: {verdict}"
        count = f"{f'{self.bad:,} of ' * bool(self.bad)}{self.lines:,} {plural(self.lines, 'line')}"
        skipped = f" ({self.blank:,} blank {plural(self.blank, 'line')} skipped)" if self.blank else ""
        return f"{file.name}: {count} {verdict}{skipped}"


def _check(file: DataFile, given: OwnSchema | ForeignSchema | None, report: _Report) -> bool:
    """Check one file; whether anything says which schema it is to keep."""
    tally, naming, unnamed = _Tally(), Naming(file, given), _Lines()
    with _progress(file, report) as read:
        for document in file.documents(read):
            if not document.raw and not document.problems:
                tally.blank += 1
                continue
            header = naming.header(document)
            found = [*document.problems, *(_problems(document, naming, tally) if header is None else header)]
            tally.documents += header is None
            tally.lines += header is None or bool(found)
            tally.bad += bool(found)
            if found == [UNNAMED] and naming.silent:
                unnamed.add(document.line)
                continue
            if not naming.silent:
                for line in unnamed.taken():
                    report.tell(file, line, UNNAMED)
            for problem in found:
                report.tell(file, document.line if file.in_lines else problem.line, problem)
        if not tally.documents:
            report.tell(file, None, Problem("", "expected at least one document, got an empty file"))
    if unnamed.any:
        return False
    report.write(tally.summary(file))
    return True


class _Lines:
    """Numbers of lines, few or many, in little memory."""

    def __init__(self) -> None:
        self._runs: list[range] = []

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self._runs)

    def add(self, line: int) -> None:
        """One line more, behind all others."""
        start = self._runs.pop().start if self._runs and self._runs[-1].stop == line else line
        self._runs.append(range(start, line + 1))

    def taken(self) -> Iterator[int]:
        """All of them, in order; none is left."""
        runs, self._runs = self._runs, []
        return chain.from_iterable(runs)


def _problems(document: Document, naming: Naming, tally: _Tally) -> list[Problem]:
    if not document.raw:
        return []
    found = naming.schema_of(document)
    if isinstance(found, Problem):
        return [found]
    schema, document = found
    if schema.name not in tally.schemas:
        tally.schemas.append(schema.name)
    return schema.problems(document.value, document.raw)


@contextmanager
def _progress(file: DataFile, report: _Report) -> Iterator[Callable[[int], object]]:
    """Takes the number of bytes read; on a terminal it shows how far the file has been read and how fast."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from tqdm import tqdm  # transformers depends on it

    with tqdm(total=file.size, desc=file.name, unit="B", unit_scale=True, unit_divisor=1024, leave=False) as bar:
        report.write = bar.write
        yield bar.update
        report.write = print
