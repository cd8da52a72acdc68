"""No worked example with numbers is without something that computes it again."""

import re
from pathlib import Path

import pytest
from worked_tables import Table, tables

RULE = re.compile(r"[A-Z]+-[0-9]+")
HERE = Path(__file__).parent
WITHOUT_VECTORS = ("sft", "preference", "images", "video", "container", "sources", "bodies", "objectives")
NOT_COMPUTED = {
    "SFT-1": "the number is what a method without a body gives",
    "IMAGE-5": "the numbers count what the sentence gives",
    "VIDEO-1": "the numbers count what the sentence gives",
    "VIDEO-2": "the sizes are those that the sentence gives",
    "MEDIA-15": "the numbers count stored tensors; handles need a container",
    "SOURCE-1": "the arguments are those that the sentence gives",
    "SOURCE-7": "the answers are those that the sentence gives",
    "BODY-12": "the ids stand for what a model samples",
    "BODY-13": "the ids stand for what a model samples",
    "BODY-21": "the ids stand for what a model samples",
    "BODY-19": "the numbers count calls",
}


def has_numbers(table: Table) -> bool:
    """Whether a smallest break prints a number, or a list of numbers, in a row that is expected or got."""
    cells = [cell for head, row in table.rows.items() if head.startswith(("expected", "got")) for cell in row]
    return any(re.fullmatch(r"[`(\[]*-?[0-9][-0-9.,()\[\] ]*`?", cell) for cell in cells)


@pytest.mark.parametrize("chapter", WITHOUT_VECTORS)
def test_every_example_with_numbers_is_computed_by_a_test(chapter: str) -> None:
    """Each rule whose smallest break prints numbers is named in this chapter's tests, or says why it need not be."""
    named = set(RULE.findall((HERE / f"test_examples_{chapter}.py").read_text(encoding="utf-8")))
    numeric = {name for name, found in tables(chapter).items() if RULE.fullmatch(name) and has_numbers(found[-1])}
    excused = {rule_id for rule_id in NOT_COMPUTED if rule_id in tables(chapter)}
    assert numeric - named == excused
