"""The known-failures file: accepted failures with their witnesses, checked before anything runs."""

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from packer_schemas.known import KnownFailure, KnownFailures
from packproof.registry import check_for
from packproof.tested import Tested
from packproof.validation.strict_json import NotJson
from packproof.validation.toml_json import read_toml
from packproof.violation import UsageError
from packproof.wording import one_line

__all__ = ["expired", "expiry_reason", "known_for", "load_known", "refuse_misfits"]

_EXAMPLE = """Each entry reads
  [[known]]
  id = "MASK-3"
  reason = "why it is accepted for now"
  expires = 2030-01-31
  witness = {kind = "policy", sample = {prompt_ids = [17], completion = [4, 9]}}"""


def load_known(path: Path, labels: Iterable[str]) -> tuple[KnownFailure, ...]:
    """The entries of a known-failures file; `UsageError` names the file, the entry and the field at fault."""
    try:
        _, text = read_toml(path.read_bytes())
    except OSError as error:
        raise UsageError(f"--packer-known {path}: cannot be read: {error.strerror}.") from error
    except NotJson as error:
        first = error.problems[0]
        where = f"--packer-known {path}:{first.line}" if first.line else f"--packer-known {path}"
        raise UsageError(f"{where}: {first}. {_EXAMPLE}") from error
    try:
        entries = KnownFailures.model_validate_json(text, strict=True).known
    except ValidationError as error:
        lines = [f"  {_place(problem['loc'])}: {one_line(problem['msg'])}" for problem in error.errors()[:5]]
        raise UsageError("\n".join([f"--packer-known {path}:", *lines, _EXAMPLE])) from error
    for number, entry in enumerate(entries, 1):
        where = f"--packer-known {path}: entry {number}: "
        try:
            unfit = check_for(entry.id).unfit(entry.witness)
        except UsageError as error:
            raise UsageError(f"{where}{error}") from None
        if unfit:
            raise UsageError(f"{where}the witness: {unfit}.")
        if entry.packer and entry.packer not in set(labels):
            raise UsageError(f"{where}nothing is labelled {entry.packer!r}; the labels are {', '.join(labels)}.")
    return tuple(entries)


def refuse_misfits(path: Path, entries: Sequence[KnownFailure], subjects: Iterable[Tested]) -> None:
    """`UsageError` for a witness that its rule is not tried on, on a packer that the entry speaks of."""
    for subject in subjects:
        for number, entry in enumerate(entries, 1):
            misfit = known_for([entry], entry.id, subject.label) and check_for(entry.id).misfit(subject, entry.witness)
            if misfit:
                raise UsageError(f"--packer-known {path}: entry {number}: the witness: {misfit}.")


def known_for(entries: Sequence[KnownFailure], id: str, label: str) -> tuple[KnownFailure, ...]:
    """The entries that speak of one requirement on one packer."""
    return tuple(entry for entry in entries if entry.id == id and entry.packer in ("", label))


def expired(entry: KnownFailure, today: datetime.date | None = None) -> bool:
    """Whether the entry's last day has passed."""
    return entry.expires < (today or datetime.date.today())  # noqa: DTZ011  the user's own calendar day


def expiry_reason(entry: KnownFailure) -> str:
    """What to do about an entry past its day."""
    return f"the known failure expired on {entry.expires}: repair it, or extend the date on purpose"


def _place(location: tuple[int | str, ...]) -> str:
    """`known[2].reason`, counted from one as a reader counts."""
    text = ""
    for step in location:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the file"
