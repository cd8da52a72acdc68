"""Links of the guides lead somewhere in a checkout, as they do on the site."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MADE = {"zoo.md", "spec/index.md", "spec/traceability.md"}  # written when the site is built, and linked there alone
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The anchors of a Markdown file: those that its headings state, and those that follow from their text."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    stated = {match[1] for heading in headings if (match := re.search(r"\{ #([\w-]+) \}", heading))}
    return stated | {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_an_anchor(page: Path) -> None:
    """A relative link names a file or folder of the checkout, and its anchor is there."""
    for link in LINK.findall(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)):
        path, _, anchor = link.partition("#")
        if link.startswith("http") or path in MADE:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
