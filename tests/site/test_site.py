"""The site in a real browser: what a reader follows is there, on a desk and on a phone, without a network."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from packer_spec import CHAPTERS, requirements

ROOT = Path(__file__).parents[2]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def pages(built: Path) -> list[str]:
    """Addresses of all pages, relative to the site's."""
    found = sorted(path.parent.relative_to(built).as_posix() for path in built.rglob("index.html"))
    return ["" if page == "." else f"{page}/" for page in found]


@pytest.fixture
def page(browser: Any) -> Any:
    """A fresh window of a desk's width."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def test_the_index_leads_to_every_rule(page: Any, address: str) -> None:
    """Every link of the requirement index opens a page that has the anchor, for every id of the spec."""
    page.goto(f"{address}/spec/")
    links = set(page.eval_on_selector_all("article a[href]", "all => all.map(one => one.href)"))
    wanted = {f"{address}/spec/{rule.chapter}/#{rule.anchor}" for rule in requirements().values()}
    assert wanted <= links
    anchors: dict[str, set[str]] = {}
    for link in links:
        where, _, anchor = link.partition("#")
        if urlsplit(where).netloc == urlsplit(address).netloc and where not in anchors:
            answer = page.goto(where, wait_until="domcontentloaded")
            assert answer is not None, where
            assert answer.status == 200, where
            anchors[where] = set(page.eval_on_selector_all("[id]", "all => all.map(one => one.id)"))
        assert not anchor or anchor in anchors[where], link


def test_the_index_has_an_anchor_for_every_id(page: Any, address: str) -> None:
    """`spec/#mask-2` is a place of its own for every id."""
    page.goto(f"{address}/spec/")
    ids = set(page.eval_on_selector_all("[id]", "all => all.map(one => one.id)"))
    assert {rule.anchor for rule in requirements().values()} <= ids


@pytest.mark.parametrize("id", ["MASK-2", "COLL-11", "WIRE-1", "ROUTE-1", "body-20"])
def test_search_finds_a_rule_by_its_id(page: Any, address: str, id: str) -> None:
    """The first page found for an id is its chapter, and the first block of it the rule's own."""
    page.goto(f"{address}/")
    page.fill("input.md-search__input", id)
    page.locator(".md-search-result__item .md-search-result__link").first.wait_for(timeout=20_000)
    hits = page.eval_on_selector_all(".md-search-result__link", "all => all.map(one => one.href)")
    rule = requirements()[id.upper()]
    first, block = (urlsplit(hit) for hit in hits[:2])
    assert first.path == block.path == f"/spec/{rule.chapter}/"
    assert block.fragment == rule.anchor


def test_every_page_fits_a_phone_and_asks_no_other_host(browser: Any, address: str, pages: list[str]) -> None:
    """At a phone's width no page scrolls sideways, and fonts, scripts and styles all come from the site itself."""
    context = browser.new_context(viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True)
    window = context.new_page()
    asked: set[str] = set()
    window.on("request", lambda request: asked.add(request.url))
    wide = {}
    for path in pages:
        window.goto(f"{address}/{path}")
        width = window.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            wide[path] = width
    context.close()
    assert len(pages) > len(CHAPTERS)
    assert not wide
    assert {url for url in asked if not url.startswith((address, "data:"))} == set()


def test_every_fence_of_a_page_is_a_block(page: Any, address: str, built: Path) -> None:
    """No page shows a fence as text, and each has as many blocks of code and as many headings as its Markdown."""
    wrong = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        fences = re.findall(r"^```\S.*?^```$", text, re.MULTILINE | re.DOTALL)
        prose = re.sub(r"^```\S.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        headings = len(re.findall(r"^#{1,6} ", prose, re.MULTILINE))
        name = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        page.goto(f"{address}/{'' if name == 'index' else name + '/'}", wait_until="domcontentloaded")
        shown = page.locator("article").inner_text()
        blocks = page.locator("article .highlight, article pre.mermaid").count()
        if "```" in shown or blocks < len(fences) or page.locator("article :is(h1, h2, h3, h4)").count() < headings:
            wrong[name] = (blocks, len(fences), headings)
    assert not wrong


@pytest.mark.parametrize(("scheme", "name"), [("light", "default"), ("dark", "slate")])
def test_the_site_follows_the_reader_s_colours(browser: Any, address: str, scheme: str, name: str) -> None:
    """A reader whose system is dark gets the dark site."""
    context = browser.new_context(color_scheme=scheme)
    window = context.new_page()
    window.goto(f"{address}/spec/masks/")
    assert window.get_attribute("body", "data-md-color-scheme") == name
    context.close()


def test_a_checked_rule_says_what_stands_behind_it(page: Any, address: str) -> None:
    """Under a rule stand its check and the faults that it caught; a rule without a check says so and why."""
    page.goto(f"{address}/spec/masks/")
    behind = page.locator("p.behind").all_inner_texts()
    assert len(behind) == sum(rule.chapter == "masks" for rule in requirements().values())
    assert re.match(r"Check masks\.\w+ · catches mask-", behind[0])
    page.goto(f"{address}/spec/wire/")
    told = page.locator("article strong", has_text="Not yet checked.").count()
    assert told == sum(bool(rule.unchecked) for rule in requirements().values() if rule.chapter == "wire")
