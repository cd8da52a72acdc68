"""The numbered requirements, read out of the spec chapters by a strict, tiny parser.

A requirement is a block of a chapter:

    ## MASK-2 { #mask-2 }

    **MUST** · level `core` · needs `PolicyPacker` · since `0.1`

    > The mask marks exactly the predictions of completion tokens.

    **Not yet checked.** The reason, in a rule that the kit cannot try; left out of the others.

    ...prose, tables, and fenced `{.json .case}` documents, up to the next heading of the same depth...

`needs` names the protocols a packer must satisfy for the rule to apply; it is left out when there are none.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = [
    "CHAPTERS",
    "LEVELS",
    "SPEC_VERSION",
    "SPEC_VERSIONS",
    "Chapter",
    "Requirement",
    "SpecError",
    "chapters",
    "requirement",
    "requirements",
]

SPEC_VERSIONS = ("0.1", "0.2")
"""Every version of the specification, oldest first; a rule belongs to its `since` and to all later ones."""

SPEC_VERSION = SPEC_VERSIONS[-1]

LEVELS = ("core", "resume", "sft", "routing", "media", "preference", "source", "dataflow", "consumer")
"""What can be claimed for an implementation, one by one."""

CHAPTERS = (
    *("lifecycle", "rollout", "authority", "masks", "collation", "devices", "selection"),
    *("identity", "routing", "sft", "images", "video", "container", "wire", "preference"),
    *("sources", "dataflow", "resume", "bodies", "objectives"),
)
"""Chapter files in reading order, which is also the order in which the kit runs and reports them."""

_HEADING = re.compile(r"^## (?P<id>[A-Z]+-[1-9][0-9]*) \{ #(?P<anchor>[a-z]+-[0-9]+) \}$")
_META = re.compile(
    r"^\*\*(?P<level>MUST|SHOULD|MAY)\*\* · level `(?P<group>[a-z]+)`"
    r"(?: · needs (?P<needs>`[A-Za-z]+`(?:, `[A-Za-z]+`)*))? · since `(?P<since>[0-9]+\.[0-9]+)`$"
)
_UNCHECKED = "**Not yet checked.** "
_CASE = re.compile(r"^``` \{\.json \.case\}\n(?P<json>.*?)^```$", re.MULTILINE | re.DOTALL)

Level = Literal["MUST", "SHOULD", "MAY"]


class SpecError(ValueError):
    """A chapter breaks the block grammar; the message names the file and the requirement."""


@dataclass(frozen=True)
class Requirement:
    """One numbered rule; `unchecked` is the reason why the kit has no check of it, empty where it has one."""

    id: str
    level: Level
    rule: str
    chapter: str
    group: str
    needs: tuple[str, ...]
    since: str
    unchecked: str
    body: str
    cases: tuple[dict[str, Any], ...]

    @property
    def anchor(self) -> str:
        """Anchor of the block on the chapter's page."""
        return self.id.lower()


@dataclass(frozen=True)
class Chapter:
    """One chapter file: its title, its text, and its requirements in order."""

    name: str
    title: str
    text: str
    requirements: tuple[Requirement, ...]


@cache
def chapters() -> tuple[Chapter, ...]:
    """All chapters in reading order; `SpecError` when one breaks the grammar or an id appears twice."""
    folder = Path(__file__).parent / "chapters"
    loaded = tuple(parse_chapter(name, (folder / f"{name}.md").read_text(encoding="utf-8")) for name in CHAPTERS)
    seen: set[str] = set()
    for item in (item for chapter in loaded for item in chapter.requirements):
        if item.id in seen:
            raise SpecError(f"{item.chapter}.md: {item.id} is defined twice")
        seen.add(item.id)
    return loaded


@cache
def requirements() -> dict[str, Requirement]:
    """Every requirement by id, in reading order."""
    return {item.id: item for chapter in chapters() for item in chapter.requirements}


def requirement(id: str) -> Requirement:
    """The requirement with this id; `KeyError` when there is none."""
    return requirements()[id]


def parse_chapter(name: str, text: str) -> Chapter:
    """Parse one chapter; `SpecError` names the file, the requirement and what was expected."""
    title = text.partition("\n")[0]
    if not title.startswith("# "):
        raise SpecError(f"{name}.md: the first line must be '# Title', got {title!r}")
    blocks = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    found = tuple(_parse_block(name, block) for block in blocks if _looks_numbered(block))
    if len({item.id.partition("-")[0] for item in found}) > 1:
        raise SpecError(f"{name}.md: the ids of one chapter share one prefix, got {[item.id for item in found]}")
    return Chapter(name, title[2:].strip(), text, found)


def _looks_numbered(block: str) -> bool:
    return re.match(r"## [A-Za-z]+-\d", block) is not None


def _parse_block(chapter: str, block: str) -> Requirement:
    lines = block.splitlines()
    heading = _HEADING.match(lines[0])
    if heading is None or heading["anchor"] != heading["id"].lower():
        raise SpecError(f"{chapter}.md: expected '## ID {{ #id }}', got {lines[0]!r}")
    where = f"{chapter}.md: {heading['id']}"
    meta = _META.match(lines[2]) if len(lines) > 2 and not lines[1] else None
    if meta is None:
        raise SpecError(f"{where}: the third line must give level, group, needs and since, got {lines[2:3]}")
    quoted = [line[2:] for line in _leading_quote(lines[4:])]
    rule = " ".join(quoted)
    if not rule.endswith(".") or lines[3]:
        raise SpecError(f"{where}: after the level comes one quoted sentence that ends with a full stop, got {rule!r}")
    if meta["since"] not in SPEC_VERSIONS or meta["group"] not in LEVELS:
        raise SpecError(f"{where}: expected a level of {LEVELS} since one of {SPEC_VERSIONS}, got {lines[2]!r}")
    unchecked, body = _split_reason("\n".join(lines[4 + len(quoted) :]).strip())
    return Requirement(
        id=heading["id"],
        level=meta["level"],  # pyright: ignore[reportArgumentType]  the pattern admits only the three levels
        rule=rule,
        chapter=chapter,
        group=meta["group"],
        needs=tuple(re.findall(r"`(\w+)`", meta["needs"] or "")),
        since=meta["since"],
        unchecked=unchecked,
        body=body,
        cases=tuple(_parse_case(where, match["json"]) for match in _CASE.finditer(block + "\n")),
    )


def _split_reason(body: str) -> tuple[str, str]:
    """The reason of a rule not yet checked, in one line, and the rest of its block."""
    if not body.startswith(_UNCHECKED):
        return "", body
    reason, _, rest = body.removeprefix(_UNCHECKED).partition("\n\n")
    return " ".join(reason.split()), rest.strip()


def _leading_quote(lines: list[str]) -> list[str]:
    end = next((index for index, line in enumerate(lines) if not line.startswith("> ")), len(lines))
    return lines[:end]


def _parse_case(where: str, text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise SpecError(f"{where}: a case is not JSON: {error}") from error
