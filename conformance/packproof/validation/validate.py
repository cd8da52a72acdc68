"""`packproof validate`: holds data files to their schemas, and says in one line each what does not fit, and where."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from packproof.validation.data_files import DataFile, Document
from packproof.validation.foreign_schema import ForeignSchema
from packproof.validation.schema_check import OwnSchema
from packproof.validation.schema_choice import chosen_schema
from packproof.validation.schema_naming import Naming
from packproof.validation.showing import Problem, one_line
from packproof.violation import UsageError

__all__ = ["validate"]


def validate(files: Sequence[str], schema: str | None, limit: int) -> int:
    """Check `files` against the schema given, or those that they name; the exit code: 0, or 1 for a problem.

    At most `limit` problems are printed, all of them if it is 0; the others are counted. `UsageError` for files that
    cannot be read or name no schema, and for what is no schema.
    """
    if limit < 0:
        raise UsageError(f"--limit {limit}: expected 0, for all problems, or a number of them.")
    if files.count("-") > 1:
        raise UsageError("-: standard input can be read only once.")
    given = chosen_schema(schema) if schema is not None else None
    report = _Report(limit)
    for file in [DataFile(name) for name in files]:
        _check(file, given, report)
    if report.hidden:
        report.write(f"... and {_many(report.hidden, 'more problem')}; --limit 0 prints them all")
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

    def tell(self, where: str, problem: Problem) -> None:
        """One problem more."""
        self.problems += 1
        if not self.hidden:
            self.write(f"{one_line(where)}  {problem}")


@dataclass
class _Tally:
    """What was found in one file."""

    documents: int = 0
    bad: int = 0
    blank: int = 0
    schemas: list[str] = field(default_factory=list)

    def summary(self, file: DataFile) -> str:
        """One line about the file."""
        if not self.documents:
            return f"{file.name}: no document"
        against = f" against {' and '.join(self.schemas)}" if self.schemas else ""
        verdict = f"{'in' * bool(self.bad)}valid{against}"
        if not file.in_lines:
            return f"{file.name}: {verdict}"
        count = f"{self.bad:,} of {_many(self.documents, 'line')}" if self.bad else _many(self.documents, "line")
        skipped = f" ({_many(self.blank, 'blank line')} skipped)" if self.blank else ""
        return f"{file.name}: {count} {verdict}{skipped}"


def _check(file: DataFile, given: OwnSchema | ForeignSchema | None, report: _Report) -> None:
    tally, naming = _Tally(), Naming(file, given)
    with _progress(file, report) as read:
        for document in file.documents(read):
            if not document.raw and not document.problems:
                tally.blank += 1
            else:
                header = naming.is_header(document)
                found = [*document.problems]
                if not header:
                    tally.documents += 1
                    found += _problems(document, naming, tally) if document.raw else []
                tally.bad += bool(found)
                for problem in found:
                    line = document.line if file.in_lines else problem.line
                    report.tell(f"{file.name}:{line}" if line else file.name, problem)
        if not tally.documents:
            report.tell(file.name, Problem("", "expected at least one document, got an empty file"))
    report.write(one_line(tally.summary(file)))


def _problems(document: Document, naming: Naming, tally: _Tally) -> list[Problem]:
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


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
