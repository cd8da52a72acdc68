"""The `packproof lock` command: its options, and what it does with them."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packproof.violation import UsageError

if TYPE_CHECKING:
    from packproof.lock.approve import Approval
    from packproof.lock.project import LockProject

__all__ = ["add_lock_command", "run_lock"]


def add_lock_command(commands: Any, file: Callable[[str], str]) -> None:
    """Add the parser of the command; `file` is the type of an option that names a file."""
    parser = commands.add_parser("lock", help="pin what packers declare and do, or hold them to what is pinned")
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--check", action="store_true", help="only compare")
    kinds = "approve these differences: new, changed, obsolete, or several with commas; default: new"
    task.add_argument("--update", action="append", metavar="KINDS", help=kinds)
    task.add_argument("--explain", metavar="LABEL", help="print one entry against its packer, field by field")
    parser.add_argument("--reason", default="", help="with --update changed: why, kept in every entry that it changes")
    parser.add_argument("--packer", action="append", help="module:factory, or label=module:factory; repeatable")
    parser.add_argument("--packer-model", action="append", metavar="MODEL", help="model to set it up on; repeatable")
    trust = "set it up with trust_remote_code=True"
    parser.add_argument("--packer-trust-remote-code", action="store_true", default=None, help=trust)
    parser.add_argument("--file", type=file, help="the lock; default: packproof.lock.json in the project's folder")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run_lock(given: argparse.Namespace) -> int:
    """Run the command: 0 where every entry holds, or does now, else 1. `UsageError` for a mistake."""
    from packproof.lock.approve import Approval
    from packproof.lock.project import LockProject
    from packproof.lock.report import lock_words
    from packproof.option_values import names

    reads = given.check or given.explain is not None
    kinds = [] if reads else names(given.update or ["new"], "--update")
    if given.reason and "changed" not in kinds:
        raise UsageError("--reason: belongs to --update changed.")
    if given.json and given.explain is not None:
        raise UsageError("--json: prints the report of a check or an update, not --explain.")
    approval = Approval(tuple(kinds), given.reason)
    asked = {
        "packer": given.packer,
        "packer-model": given.packer_model,
        "packer-trust-remote-code": given.packer_trust_remote_code,
        "packer-lock": given.file,
    }
    project = LockProject.make(asked, Path.cwd())
    if given.explain is not None:
        return _explain(project, given.explain)
    return _hold(project, approval, lock_words(asked), as_json=given.json)


def _hold(project: "LockProject", approval: "Approval", words: Sequence[str], *, as_json: bool) -> int:
    """Check, or update if anything is approved, and print the report."""
    from packer_schemas.lock_report import LockReport
    from packproof.lock.approve import ci_says
    from packproof.lock.report import render

    file = project.file
    file.read()  # so that what is wrong with it is told before any packer is set up
    if approval.kinds and not ci_says():
        file.refuse_unwritable()
    fresh = project.measure()
    findings, note = file.update(fresh, approval) if approval.kinds else (file.check(fresh), "")
    report = LockReport(
        packproof=fresh.lock.packproof,
        spec=fresh.lock.spec,
        file=str(file.path),
        complete=fresh.complete,
        passes=all(one.passes for one in findings.values()),
        written=any(one.written for one in findings.values()),
        note=note,
        findings=findings,
    )
    print(report.model_dump_json(indent=2) if as_json else render(report, words))
    return 0 if report.passes else 1


def _explain(project: "LockProject", label: str) -> int:
    """Print one entry and its packer."""
    from packproof.lock.compare import compare
    from packproof.lock.explain import explained
    from packproof.lock.fresh import Fresh
    from packproof.lock.report import finding_text

    pinned = project.file.read()
    entries = {} if pinned is None else pinned.subjects
    if label not in {*entries, *project.labels}:
        there = ", ".join(sorted({*entries, *project.labels}))
        raise UsageError(f"--explain {label!r}: no packer and no entry has this label; there are {there}.")
    if label in project.labels:
        fresh = project.only(label).measure()
    else:
        assert pinned is not None
        fresh = Fresh(pinned.model_copy(update={"subjects": {}}))
    finding = compare(pinned, fresh)[label]
    print(finding_text(label, finding))
    then, now = entries.get(label), fresh.lock.subjects.get(label)
    if then or now:
        print(f"\n{explained(then, now, fresh.seen.get(label))}")
    return 0 if finding.passes else 1
