"""How a run of `packproof lock` reads: a paragraph for each packer, then the count, and one command to go on with."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from packer_schemas.lock_report import LockFinding, LockReport
from packproof.lock.approve import kinds_of
from packproof.wording import labelled, one_line, plural, printable

__all__ = ["finding_text", "go_on", "lock_words", "render"]

_WRITTEN = {"missing": "its first entry", "obsolete": "its entry was removed"}


def render(report: LockReport, words: Sequence[str]) -> str:
    """The report for a terminal; `words` are those of the command that was run, as `lock_words` gives them."""
    paragraphs = [finding_text(label, one) for label, one in report.findings.items()]
    lines = ["\n".join(_apart(paragraphs)), ""] if paragraphs else []
    if report.note:
        lines += [printable(f"{report.note}."), ""]
    lines.append(f"{printable(report.file)}: {_counted(list(report.findings.values()))}")
    if not report.passes:
        lines.append(labelled("go on", go_on(report.findings, words), wrap=False))
    return "\n".join(lines)


def finding_text(label: str, finding: LockFinding) -> str:
    """One finding: a line where the entry holds and nothing is to be told, else all of it."""
    label = one_line(label)
    if finding.outcome == "same" and not finding.notes:
        return f"{label}   as pinned"
    lines = [f"{label}   {finding.message}"]
    if finding.written:
        lines.append(labelled("written", _WRITTEN.get(finding.outcome, "its entry, as the packer is now")))
    elif finding.advice:
        lines.append(labelled("to do", finding.advice))
    return "\n".join(lines)


def go_on(findings: Mapping[str, LockFinding], words: Sequence[str]) -> str:
    """The command that takes what can be taken; where something cannot, the one that shows it, or asks again."""
    narrow = [label for label, one in findings.items() if one.outcome == "only behaviour changed"]
    if narrow:
        return shlex.join([*words, "--explain", narrow[0]])
    if any(one.outcome == "not measured" for one in findings.values()):
        return shlex.join([*words, "--check"])
    kinds = kinds_of(findings.values())
    if kinds == ["new"]:
        return shlex.join(words)
    reason = ' --reason "why it changed"' if "changed" in kinds else ""
    return f"{shlex.join([*words, '--update', ','.join(kinds)])}{reason}"


def lock_words(given: Mapping[str, Any]) -> list[str]:
    """`packproof lock` with those of its options that say which packers and which file; `given` by long name."""
    words = ["packproof", "lock"]
    for option in ("packer", "packer-model"):
        words += [word for value in given.get(option) or () for word in (f"--{option}", str(value))]
    words += ["--packer-trust-remote-code"] * bool(given.get("packer-trust-remote-code"))
    return words + (["--file", str(given["packer-lock"])] if given.get("packer-lock") else [])


def _apart(paragraphs: Sequence[str]) -> list[str]:
    """Single lines close together, and an empty line around paragraphs."""
    lines: list[str] = []
    for number, text in enumerate(paragraphs):
        if number and ("\n" in text or "\n" in paragraphs[number - 1]):
            lines.append("")
        lines.append(text)
    return lines


def _counted(findings: Sequence[LockFinding]) -> str:
    failing = sum(not one.passes for one in findings)
    written = sum(one.written for one in findings)
    pinned = len(findings) - failing - written
    if not findings:
        return "nothing is pinned, and nothing was asked for"
    parts = [f"{failing} of {len(findings)} {plural(failing, 'fails', 'fail')}"] * bool(failing)
    parts += [f"{written} written"] * bool(written)
    parts += [f"{pinned} as pinned"] * bool(pinned)
    return ", ".join(parts)
