"""The `packproof` command: `explain` a rule, `list` them all, `selftest` the kit on this machine."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from textwrap import indent

from packer_spec import SPEC_VERSION, chapters
from packproof.violation import UsageError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 1 for a selftest with a hole, 2 for a mistake in the arguments."""
    parser = argparse.ArgumentParser(prog="packproof", description="The contract for data packers, at the terminal.")
    commands = parser.add_subparsers(dest="command", required=True)
    explain = commands.add_parser("explain", help="print one rule: why it exists and the smallest example against it")
    explain.add_argument("id", help="a requirement id, such as MASK-2, or a chapter, such as MASK")
    listing = commands.add_parser("list", help="print every rule in one line")
    listing.add_argument("select", nargs="*", help="only these rules or chapters: MASK-2, MASK")
    selftest = commands.add_parser("selftest", help="plant every fault of the zoo and see that the kit finds it")
    selftest.add_argument("--seed", type=int, default=0, help="seed of the generated cases")
    selftest.add_argument("--effort", default="standard", help="quick or standard (default)")
    given = parser.parse_args(arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
    except UsageError as error:
        print(f"packproof: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone, as `| head` does
        return 0
    return code


def _run(given: argparse.Namespace) -> int:
    if given.command == "explain":
        return _explain(given.id)
    if given.command == "list":
        return _list(given.select)
    return _selftest(given.seed, given.effort)


def _explain(id: str) -> int:
    from packproof.registry import select_checks

    for rule in (check.requirement for check in select_checks([id])):
        needs = f", for packers with {', '.join(rule.needs)}" if rule.needs else ""
        print(f"{rule.id}  {rule.level}  {rule.rule}\n")
        print(f"chapter {rule.chapter}, level {rule.group}, since {rule.since}{needs}\n\n{_readable(rule.body)}\n")
    return 0


def _readable(page: str) -> str:
    """A block of the spec without the markup of its page; of a link to a rule, the rule's id remains."""
    page = re.sub(r"\[([^]]+)\]\((http[^)]+)\)", r"\1 (\2)", page)
    page = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", page)
    page = re.sub(r"(?ms)^```[^\n]*\n(.*?)^```$", lambda fenced: indent(fenced[1].rstrip(), "    "), page)
    return page.replace("**", "")


def _list(select: Sequence[str]) -> int:
    from packproof.registry import select_checks

    wanted = {check.id for check in select_checks(select)} if select else None
    print(f"packproof spec {SPEC_VERSION}")
    for chapter in chapters():
        rules = [rule for rule in chapter.requirements if wanted is None or rule.id in wanted]
        if rules:
            print(f"\n{chapter.title}")
        for rule in rules:
            print(f"  {rule.id:<8} {rule.level:<6} {rule.rule}")
    return 0


def _selftest(seed: int, effort: str) -> int:
    from packproof.kill_matrix import selftest

    progress = (lambda line: print(line, file=sys.stderr)) if sys.stderr.isatty() else None
    text, sound = selftest(seed, effort, progress)
    print(text)
    return 0 if sound else 1
