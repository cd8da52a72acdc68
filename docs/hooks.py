"""Brings the spec chapters into the site, and writes the pages that follow from the rules and from a run of the zoo."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "spec"))

from packer_spec import LEVELS, SPEC_VERSION, Chapter, Requirement, chapters, requirements  # noqa: E402  see above

TRACE: dict[str, Any] = json.loads((ROOT / "docs" / "traceability.json").read_text(encoding="utf-8"))
"""What `packproof selftest --trace` wrote: what stood behind every rule in a run."""

BEHIND: dict[str, dict[str, Any]] = {rule["id"]: rule for rule in TRACE["rules"]}

_URL = re.compile(r"(https://github\.com/[\w./-]*\d)")
_EXIT_CODE = re.compile(r"^(```\w+) exit=[0-9]+$", re.MULTILINE)
_TO_CHAPTER = re.compile(r"\]\((?:\.\./)+spec/packer_spec/chapters/(\w+\.md)?(#[\w-]+)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add a page per chapter, the index of every requirement, the traceability matrix and the zoo."""
    if list(BEHIND) != list(requirements()):
        raise PluginError("docs/traceability.json is of other rules: packproof selftest --trace docs/traceability.json")
    for chapter in chapters():
        files.append(File.generated(config, f"spec/{chapter.name}.md", content=_with_lines(chapter)))
    files.append(File.generated(config, "spec/index.md", content=_index()))
    files.append(File.generated(config, "spec/traceability.md", content=_matrix()))
    files.append(File.generated(config, "zoo.md", content=_zoo()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to the chapters' files, which work in a checkout, to the chapters' pages.

    The exit code in the head of a block is for the tests, and the site's fences know no such word.
    """
    up = "../" * page.file.src_uri.count("/")
    markdown = _EXIT_CODE.sub(r"\1", markdown)
    return _TO_CHAPTER.sub(lambda link: f"]({up}spec/{link[1] or 'index.md'}{link[2] or ''})", markdown)


def _with_lines(chapter: Chapter) -> str:
    """The chapter, with a line under every checked rule that says what stands behind it."""
    text = chapter.text
    for rule in chapter.requirements:
        if not rule.unchecked:
            quote = re.search(rf"^## {rule.id} .*?^(?:> [^\n]*\n)+", text, re.MULTILINE | re.DOTALL)
            assert quote is not None
            text = f"{text[: quote.end()]}\n{_behind(rule)}\n{text[quote.end() :]}"
    return text


def _behind(rule: Requirement) -> str:
    found = BEHIND[rule.id]
    check = found["check"].removeprefix("packproof.checks.")
    faults = ", ".join(f"[`{name}`](../zoo.md#{name})" for name in found["killed"])
    parts = [f"Check `{check}`", f"catches {faults}", _many(found["cases"], "stored case")]
    parts += [f"[{_many(found['vectors'], 'vector')}](../vectors.md)"] if found["vectors"] else []
    return f"{' · '.join(parts)}\n{{ .behind }}\n"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _index() -> str:
    rules = requirements().values()
    open_ = sum(bool(rule.unchecked) for rule in rules)
    lines = [
        "# The packer specification",
        "",
        f"Version {SPEC_VERSION}: {len(rules)} rules in {len(chapters())} chapters; {open_} are not yet checked",
        "by the kit, each with the reason in its block. A rule lives in one block, under an id that is never reused;",
        "MUST, SHOULD and MAY carry their usual weight, and appear only inside those blocks.",
        "",
        "[What may change from version to version](../versions.md) ·",
        "[what was decided, and what others chose](../decisions.md) ·",
        "[what stands behind every rule](traceability.md)",
        "",
        "| level | chapters | rules | checked |",
        "|---|---|---|---|",
    ]
    for level in LEVELS:
        own = [rule for rule in rules if rule.group == level]
        names = ", ".join(f"[{name}]({name}.md)" for name in dict.fromkeys(rule.chapter for rule in own))
        lines.append(f"| `{level}` | {names} | {len(own)} | {sum(not rule.unchecked for rule in own)} |")
    for chapter in chapters():
        lines += ["", f"## [{chapter.title}]({chapter.name}.md)", "", "| id | weight | rule |", "|---|---|---|"]
        lines += [f"| {_entry(rule)} | {rule.level} | {rule.rule} |" for rule in chapter.requirements]
    return "\n".join([*lines, ""])


def _entry(rule: Requirement) -> str:
    """A rule's id in the index: an anchor of its own, and the link to its block."""
    return f'<span id="{rule.anchor}">[{rule.id}]({rule.chapter}.md#{rule.anchor})</span>'


def _matrix() -> str:
    must = [rule for rule in BEHIND.values() if rule["level"] == "MUST"]
    open_ = [rule for rule in must if rule["unchecked"]]
    lines = [
        "# Traceability",
        "",
        "What stands behind every rule: its check, the planted faults of the [zoo](../zoo.md) that the check caught,",
        "how many of them nothing else caught, the stored cases that the kit runs first, and the language-neutral",
        f"[vectors](../vectors.md). From a run of the zoo at seed {TRACE['seed']} and {TRACE['effort']} effort, on",
        "generated cases alone. `packproof list --matrix` makes such a run on your machine and prints the same.",
        "",
        f"**{len(open_)} of {len(must)} MUSTs are not yet checked.** A rule that is neither checked nor says why is an",
        "error, and so is a checked one that no planted fault tests.",
    ]
    for chapter in chapters():
        head = "| rule | weight | level | check | faults caught | by it alone | cases | vectors |"
        lines += ["", f"## {chapter.title}", "", head, "|---|---|---|---|---|---|---|---|"]
        lines += [_row(BEHIND[rule.id]) for rule in chapter.requirements]
    return "\n".join([*lines, ""])


def _row(rule: dict[str, Any]) -> str:
    name = f"[{rule['id']}]({rule['chapter']}.md#{rule['id'].lower()})"
    check = f"`{rule['check'].rpartition('.')[2]}`" if rule["check"] else "not yet checked"
    counts = [len(rule["killed"]), len(rule["alone"]), rule["cases"], rule["vectors"]]
    cells = [name, rule["level"], f"`{rule['group']}`", check, *(str(count or "-") for count in counts)]
    return f"| {' | '.join(cells)} |"


def _zoo() -> str:
    lines = [
        "# The zoo",
        "",
        f"{len(TRACE['members'])} known-bad packers and sources, one planted fault in each. Each is caught by exactly",
        "the rules named with it, and by no other; where a fault was reported in public, its report is linked. *Case*",
        "is the number of the first generated case that showed it in the run, and *size* the token ids (for a case",
        "without ids: the characters) of the smallest counterexample. [Test the kit](test-the-kit.md) says how to run",
        "this.",
    ]
    for one in TRACE["members"]:
        rules = ", ".join(f"[{id}](spec/{BEHIND[id]['chapter']}.md#{id.lower()})" for id in one["breaks"])
        lines += ["", f"## {one['name']} {{ #{one['name']} }}", "", _URL.sub(r"<\1>", one["story"])]
        lines += ["", f"Breaks {rules} · case {one['cases']} · size {one['size']}"]
    return "\n".join([*lines, ""])
