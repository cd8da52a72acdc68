"""The spec chapters and the parser that reads the numbered requirements out of them."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import packer_spec
from packer_schemas import consumers, protocols, routing_steps, source_protocols, source_run
from packer_schemas.cases import case_adapter
from packer_spec import CHAPTERS, LEVELS, SPEC_VERSIONS, Requirement, SpecError, chapters, requirement, requirements
from packer_spec.requirements import parse_chapter

FOLDER = Path(packer_spec.__file__).parent / "chapters"

EXPECTED = {
    "lifecycle": [f"LIFE-{n}" for n in range(1, 14)],
    "rollout": [f"ROLL-{n}" for n in range(1, 10)],
    "authority": [f"AUTH-{n}" for n in range(1, 10)],
    "masks": [f"MASK-{n}" for n in range(1, 10)],
    "collation": [f"COLL-{n}" for n in range(1, 16)],
    "devices": [f"CPU-{n}" for n in range(1, 5)],
    "selection": [f"SEL-{n}" for n in range(1, 12)],
    "identity": [f"IDENT-{n}" for n in range(1, 19)],
    "routing": [f"ROUTE-{n}" for n in range(1, 16)],
    "sft": [f"SFT-{n}" for n in range(1, 19)],
    "images": [f"IMAGE-{n}" for n in range(1, 21)],
    "video": [f"VIDEO-{n}" for n in range(1, 17)],
    "container": [f"MEDIA-{n}" for n in range(1, 21)],
    "wire": [f"WIRE-{n}" for n in range(1, 17)],
    "preference": [f"PREF-{n}" for n in range(1, 15)],
    "sources": [f"SOURCE-{n}" for n in range(1, 18)],
    "dataflow": [f"FLOW-{n}" for n in range(1, 21)],
    "resume": [f"RESUME-{n}" for n in range(1, 17)],
    "bodies": [f"BODY-{n}" for n in range(1, 22)],
    "objectives": [f"OBJ-{n}" for n in range(1, 18)],
}

CASE_KINDS = {
    "setup": {*(f"LIFE-{n}" for n in (1, 2, 3, 4, 5, 6, 13)), "CPU-3"},
    "prompt": {"ROLL-1", "ROLL-2", "ROLL-4", "ROLL-6"},
    "refused-prompt": {"ROLL-3", "AUTH-9"},
    "pretokenized": {"ROLL-5"},
    "batch": {"ROLL-7", "ROLL-8", "ROLL-9", "MASK-9", *EXPECTED["collation"]},
    "policy": {
        *(f"LIFE-{n}" for n in range(7, 13)),
        *(f"AUTH-{n}" for n in range(1, 7)),
        *(f"MASK-{n}" for n in range(1, 9)),
        *("CPU-1", "CPU-2", "CPU-4"),
    },
    "id-container": {"AUTH-7"},
    "bad-ids": {"AUTH-8"},
    "selection": set(EXPECTED["selection"]),
    "declaration": {"IDENT-1", "IDENT-3"},
    "steady": {"IDENT-6"},
    "model-change": {*(f"IDENT-{n}" for n in (7, 8, 9, 10, 11, 12, 13, 14))},
    "document": {"IDENT-2", "IDENT-5"},
    "json-value": {"IDENT-4"},
    "class-source": {"IDENT-15"},
    "resume": {"IDENT-16"},
    "lock": {"IDENT-17", "IDENT-18"},
    "routing-batch": {*(f"ROUTE-{n}" for n in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 15))},
    "routing-trajectory": {"ROUTE-5"},
    "routing-move": {"ROUTE-12"},
    "routing-replay": {"ROUTE-13"},
    "routing-turns": {"ROUTE-14"},
    "source-reading": {"SOURCE-3"},
    "source-span": {"SOURCE-4"},
    "source-outside": {"SOURCE-5"},
    "source-asked": {"SOURCE-10", "SOURCE-13"},
    "triple": {"SOURCE-7"},
    "factory-call": {"SOURCE-1"},
    "returned": {"SOURCE-2"},
    "written-item": {"SOURCE-6"},
    "columns": {"SOURCE-8"},
    "missing-column": {"SOURCE-9"},
    "fingerprint": {"SOURCE-11"},
    "cursor": {"SOURCE-12"},
    "overlap": {"SOURCE-14"},
    "selectors": {"SOURCE-15"},
    "preflight": {"SOURCE-16"},
    "unreachable": {"SOURCE-17"},
    "handed-over": {"OBJ-1"},
    "unshaped": {"OBJ-3"},
    "fields": {"OBJ-4"},
    "gradient": {"OBJ-5"},
    "rearranged": {"OBJ-6"},
    "paired": {"OBJ-7"},
    "stream": {"OBJ-8"},
    "divided": {"OBJ-9"},
    "weightless": {"OBJ-10"},
    "filler": {"OBJ-11"},
    "rewards": {"OBJ-12"},
    "clipped": {"OBJ-13"},
    "scored": {"OBJ-2", "OBJ-17"},
    "called-twice": {"OBJ-16"},
    "turns": {"OBJ-14", "OBJ-15"},
    "body-made": {"BODY-1"},
    "generation": {"BODY-2", "BODY-4", "BODY-6", "BODY-7", "BODY-12"},
    "rollout-hook": {"BODY-3"},
    "given-prompt": {"BODY-5"},
    "spoiled-logits": {"BODY-8"},
    "routing-record": {"BODY-9"},
    "group": {"BODY-10"},
    "no-samples": {"BODY-11"},
    "repeated": {"BODY-13"},
    "draws": {"BODY-21"},
    "spoken-of": {"BODY-14"},
    "rollout-media": {"BODY-15"},
    "untouched": {"BODY-16"},
    "role-input": {"BODY-17"},
    "packers-of-a-run": {"BODY-18", "BODY-19"},
    "shared-prefix": {"BODY-20"},
}

GOOD = """\
# Masks

What the chapter is about.

## MASK-2 { #mask-2 }

**MUST** · level `core` · needs `PolicyPacker`, `UsesTokenizer` · since `0.1`

> The mask marks exactly
> the predictions of completion tokens.

**Why.** It matters.

``` {.json .case}
{"kind": "policy", "sample": {"completion": [120]}}
```

```
not a case
```

## Notes

A heading of its own that is not a requirement.
"""


def stored_cases() -> list[Any]:
    """Every stored case of the spec, with the requirement it stands under."""
    return [
        pytest.param(item, case, id=f"{item.id}-{number}")
        for item in requirements().values()
        for number, case in enumerate(item.cases, 1)
    ]


def test_a_block_is_read_field_by_field() -> None:
    """One block gives its id, level, group, needs, release, rule in one line, body, cases and anchor."""
    (item,) = parse_chapter("masks", GOOD).requirements
    assert (item.id, item.level, item.group, item.since, item.chapter) == ("MASK-2", "MUST", "core", "0.1", "masks")
    assert item.needs == ("PolicyPacker", "UsesTokenizer")
    assert item.rule == "The mask marks exactly the predictions of completion tokens."
    assert item.body.startswith("**Why.** It matters.")
    assert item.cases == ({"kind": "policy", "sample": {"completion": [120]}},)
    assert item.anchor == "mask-2"


def test_a_rule_not_yet_checked_gives_its_reason() -> None:
    """The paragraph after the rule is the reason in one line, and no part of the body."""
    quote = "> the predictions of completion tokens.\n\n"
    given = GOOD.replace(quote, quote + "**Not yet checked.** The kit has\nno driver.\n\n")
    (item,) = parse_chapter("masks", given).requirements
    assert item.unchecked == "The kit has no driver."
    assert item.body == parse_chapter("masks", GOOD).requirements[0].body
    assert parse_chapter("masks", GOOD).requirements[0].unchecked == ""


def test_needs_can_be_left_out() -> None:
    """A block without `needs` applies to every packer."""
    (item,) = parse_chapter("masks", GOOD.replace(" · needs `PolicyPacker`, `UsesTokenizer`", "")).requirements
    assert item.needs == ()


def test_a_heading_without_a_number_is_prose() -> None:
    """A chapter can have headings that are not requirements."""
    chapter = parse_chapter("masks", GOOD)
    assert chapter.title == "Masks"
    assert [item.id for item in chapter.requirements] == ["MASK-2"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("{ #mask-2 }", "{ #mask-3 }", id="anchor of another id"),
        pytest.param(" { #mask-2 }", "", id="no anchor"),
        pytest.param("MASK-2 {", "MASK-02 {", id="leading zero"),
        pytest.param("MASK-2 { #mask-2 }", "Mask-2 { #mask-2 }", id="small letters"),
        pytest.param("**MUST**", "**SHALL**", id="unknown level"),
        pytest.param("**MUST**", "MUST", id="level not in bold"),
        pytest.param("level `core`", "level core", id="group not in code"),
        pytest.param("`PolicyPacker`, `UsesTokenizer`", "PolicyPacker", id="needs not in code"),
        pytest.param("`PolicyPacker`, `UsesTokenizer` ·", "·", id="empty needs"),
        pytest.param("since `0.1`", "since `soon`", id="release not a number"),
        pytest.param("since `0.1`", "since `9.9`", id="release that there was not"),
        pytest.param("level `core`", "level `corr`", id="unknown group"),
        pytest.param("{ #mask-2 }\n\n", "{ #mask-2 }\n", id="no blank line after the heading"),
        pytest.param("`0.1`\n\n", "`0.1`\n", id="no blank line after the level"),
        pytest.param("> The mask marks exactly\n> the predictions of completion tokens.\n", "", id="no rule"),
        pytest.param("completion tokens.", "completion tokens", id="no full stop"),
        pytest.param('{"kind": "policy", ', '{"kind": "policy" ', id="a case that is not JSON"),
    ],
)
def test_a_broken_block_names_file_and_id(old: str, new: str) -> None:
    """Every breach of the block grammar is a SpecError that names the chapter file and the requirement."""
    assert old in GOOD
    with pytest.raises(SpecError, match=r"(?i)masks\.md: .*MASK-0?2"):
        parse_chapter("masks", GOOD.replace(old, new, 1))


def test_a_chapter_begins_with_its_title() -> None:
    """A chapter without a title is a SpecError that names the file."""
    with pytest.raises(SpecError, match=r"masks\.md: the first line"):
        parse_chapter("masks", "Masks\n")


def test_the_ids_of_a_chapter_share_a_prefix() -> None:
    """An id that belongs in another chapter is a SpecError that names the file and the ids."""
    block = GOOD[GOOD.index("## MASK-2") : GOOD.index("## Notes")]
    with pytest.raises(SpecError, match=r"masks\.md: .*MASK-2.*COLL-2"):
        parse_chapter("masks", GOOD + block.replace("MASK-2", "COLL-2").replace("mask-2", "coll-2"))


def test_an_id_is_defined_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id that appears twice is a SpecError that names the file and the id."""
    folder = tmp_path / "chapters"
    folder.mkdir()
    for name in CHAPTERS:
        (folder / f"{name}.md").write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr(sys.modules["packer_spec.requirements"], "__file__", str(tmp_path / "requirements.py"))
    with pytest.raises(SpecError, match=r"rollout\.md: MASK-2 is defined twice"):
        chapters.__wrapped__()


def test_the_spec_holds_the_expected_chapters() -> None:
    """Chapters come in reading order, each with its requirements in the order of their numbers."""
    assert {chapter.name: [item.id for item in chapter.requirements] for chapter in chapters()} == EXPECTED
    assert tuple(EXPECTED) == CHAPTERS
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == sorted(CHAPTERS)


def test_every_id_is_unique() -> None:
    """The dictionary of requirements loses none of the blocks, and keys are ids."""
    blocks = [item for chapter in chapters() for item in chapter.requirements]
    assert len(requirements()) == len(blocks) == sum(map(len, EXPECTED.values()))
    assert all(key == item.id for key, item in requirements().items())


def test_a_requirement_is_found_by_its_id() -> None:
    """`requirement` returns the one with the id, and raises KeyError for an unknown id."""
    item = requirement("MASK-2")
    assert (item.chapter, item.level, item.needs) == ("masks", "MUST", ("PolicyPacker",))
    assert item.rule == "The mask marks exactly the predictions of completion tokens."
    with pytest.raises(KeyError):
        requirement("MASK-99")


def test_the_first_version_is_the_core() -> None:
    """Version 0.1 is the core level, checked whole; its one SHOULD is the output hook."""
    first = [item for item in requirements().values() if item.since == "0.1"]
    assert {item.group for item in first} == {"core"}
    assert [item.id for item in first if item.level != "MUST"] == ["ROLL-7"]
    assert len(first) == 70
    assert not any(item.unchecked for item in first)


def test_every_level_has_rules_and_every_version_brought_some() -> None:
    """No level can be claimed for nothing, and no version is empty."""
    assert {item.group for item in requirements().values()} == set(LEVELS)
    assert {item.since for item in requirements().values()} == set(SPEC_VERSIONS)


def test_no_two_rules_say_the_same() -> None:
    """Every sentence of the specification is there once."""
    sentences = [item.rule for item in requirements().values()]
    assert len(set(sentences)) == len(sentences)


def test_the_page_on_versions_counts_the_rules() -> None:
    """The table of versions gives for each the number of rules that came with it."""
    page = (Path(__file__).parents[2] / "docs" / "versions.md").read_text(encoding="utf-8")
    counts = dict(re.findall(r"^\| ([0-9.]+) \| (\d+) \|", page, re.MULTILINE))
    came = {version: sum(item.since == version for item in requirements().values()) for version in SPEC_VERSIONS}
    assert {version: int(count) for version, count in counts.items()} == came


def test_needs_are_protocols() -> None:
    """Every name in `needs` is a protocol of packer_schemas."""
    named = {name for item in requirements().values() for name in item.needs}
    modules = (consumers, protocols, routing_steps, source_protocols, source_run)
    assert named <= {name for module in modules for name in module.__all__}


@pytest.mark.parametrize("item", requirements().values(), ids=list(requirements()))
def test_a_body_has_its_three_parts(item: Requirement) -> None:
    """Every requirement says why, what precisely, and on which smallest call it breaks."""
    parts = [item.body.find(part) for part in ("**Why.**", "**Precisely.**", "**Smallest break.**")]
    assert parts == sorted(parts)
    assert parts[0] == 0
    assert "\n| expected" in item.body
    assert "\n| got" in item.body


@pytest.mark.parametrize(("item", "case"), stored_cases())
def test_a_stored_case_validates(item: Requirement, case: dict[str, Any]) -> None:
    """Every stored case is a valid case of the kind that its requirement takes, with ids that every model has."""
    kind = case_adapter.validate_python(case).kind
    assert item.id in CASE_KINDS[kind]
    without_records = re.sub(r"'(\w*record|routing|experts)': (\{[^}]*\}|\d+)", "", str(case))
    assert all(int(number) < 500 for number in re.findall(r"(?<![\w.])\d+", without_records))


@pytest.mark.parametrize("name", CHAPTERS)
def test_normative_words_stand_in_requirements_only(name: str) -> None:
    """MUST, SHOULD and MAY in capitals appear in no prose outside the requirement blocks."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    prose = "".join(block for block in blocks if not re.match(r"## [A-Z]+-\d", block))
    assert re.findall(r"\b(?:MUST|SHOULD|MAY|SHALL|REQUIRED|RECOMMENDED|OPTIONAL)\b", prose) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_links_between_requirements_lead_somewhere(name: str) -> None:
    """Every link to a requirement names the chapter that holds it, and shows the id that it leads to."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    for label, file, anchor in re.findall(r"\[([A-Z]+-\d+)\]\((?:([a-z]+)\.md)?#([a-z]+-\d+)\)", text):
        target = requirement(label)
        assert (file or name, anchor) == (target.chapter, target.anchor)


@pytest.mark.parametrize("name", CHAPTERS)
def test_prose_lines_are_short(name: str) -> None:
    """Lines are at most 120 characters, apart from table rows, levels and lines with a link."""
    for line in (FOLDER / f"{name}.md").read_text(encoding="utf-8").splitlines():
        assert len(line) <= 120 or line.startswith(("|", "**MUST**", "**SHOULD**")) or "](http" in line
