"""Rules at the terminal: one in full, many in one line each, and the matrix of what stands behind them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import indent

from packer_spec import Requirement, chapters
from packproof.rules import find_rules, rules_of

__all__ = ["explain", "list_rules", "show_matrix"]


def explain(id: str, version: str) -> str:
    """The text of a rule, or of every rule of a chapter; `UsageError` when there is none."""
    return "\n".join(_page(rule) for rule in find_rules([id], version, "--spec"))


def _page(rule: Requirement) -> str:
    needs = f", for what satisfies {', '.join(rule.needs)}" if rule.needs else ""
    unchecked = f"\nNot yet checked. {rule.unchecked}\n" if rule.unchecked else ""
    head = f"{rule.id}  {rule.level}  {rule.rule}\n\nchapter {rule.chapter}, level {rule.group}, since {rule.since}"
    return f"{head}{needs}\n{unchecked}\n{_readable(rule.body)}\n"


def _readable(page: str) -> str:
    """A block of the spec without the markup of its page; of a link to a rule, the rule's id remains."""
    page = re.sub(r"\[([^]]+)\]\((http[^)]+)\)", r"\1 (\2)", page)
    page = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", page)
    page = re.sub(r"(?ms)^```[^\n]*\n(.*?)^```$", lambda fenced: indent(fenced[1].rstrip(), "    "), page)
    return page.replace("**", "")


def list_rules(select: Sequence[str], version: str) -> str:
    """One line per rule of one version of the spec, or per rule named, under the title of its chapter."""
    wanted = find_rules(select, version, "--spec") if select else list(rules_of(version, "--spec").values())
    lines = [f"packproof spec {version}"]
    for chapter in chapters():
        rules = [rule for rule in chapter.requirements if rule in wanted]
        lines += ["", chapter.title] if rules else []
        lines += [f"  {rule.id:<10} {rule.level:<6} {rule.rule}{_mark(rule)}" for rule in rules]
    return "\n".join(lines)


def _mark(rule: Requirement) -> str:
    return "  (not yet checked)" if rule.unchecked else ""


def show_matrix(file: str | None, progress: Callable[[str], None] | None = None) -> tuple[str, bool]:
    """The traceability matrix and whether it has no gap: of the run kept in `file`, or of a run made now."""
    from packproof.kill_matrix import selftest
    from packproof.traceability import read_trace, render_trace, trace_run

    found = read_trace(Path(file)) if file else trace_run(selftest(progress=progress)[1])
    return render_trace(found), not found.gaps
