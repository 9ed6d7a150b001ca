"""Ways through the book: links that lead somewhere, and a search that finds."""

import re
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from bs4 import BeautifulSoup
from build import ROOT
from reading import LESSONS, PAGES

# What a learner types, and the chapter that should be among the first three.
SEARCHES = [
    ("why divide by sqrt dk", "softmax_saturation"),
    ("softmax overflow", "softmax_saturation"),
    ("causal mask leak", "masking"),
    ("skip-gram", "embeddings"),
    ("attention is not explanation", "bert_heads"),
    ("positional encoding", "transformer_block"),
    ("multi head", "multi_head"),
]
SCORER = ROOT / "site" / "search.js"


@pytest.fixture(scope="session")
def anchors(site):
    """Every id of every page, by page."""
    return {
        path: {
            tag[name]
            for tag in BeautifulSoup(path.read_text("utf-8"), "html.parser").find_all()
            for name in ("id", "name")
            if tag.has_attr(name)
        }
        for path in site.resolve().rglob("*.html")
        if "_static" not in path.parts
    }


def test_no_link_leads_nowhere(site, anchors):
    dead = []
    for page in anchors:
        soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
        for link in soup.select("a[href], link[href]"):
            target, anchor = urldefrag(link["href"])
            if "//" in target or target.startswith(("mailto:", "data:")):
                continue
            base = site.resolve() if target.startswith("/") else page.parent
            path = Path(base, unquote(target).lstrip("/").partition("?")[0]).resolve()
            path = path if target else page
            if not path.is_file() or (anchor and anchor not in anchors.get(path, ())):
                dead.append(f"{page.name}: {link['href']}")
    assert dead == []


@pytest.mark.parametrize(("words", "chapter"), SEARCHES)
def test_search_finds_what_a_learner_types(open_page, host, words, chapter):
    view = open_page(f"{host.address}/search.html?q={words.replace(' ', '+')}").page
    view.locator("#search-results p.search-summary:has-text('found')").wait_for()
    links = view.locator("#search-results li > a").evaluate_all(
        "all => all.map(one => one.getAttribute('href'))"
    )
    first = [Path(urldefrag(link)[0].partition("?")[0]).stem for link in links[:3]]
    assert chapter in first


def test_search_knows_the_pages_in_which_one_looks_things_up():
    listed = SCORER.read_text("utf-8").partition("lookedUp: [")[2].partition("]")[0]
    lessons = [page for page in PAGES if f'"{page}"' not in listed]
    assert lessons == LESSONS
    assert set(re.findall(r'"(\w+)"', listed)) <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_the_way_back_and_the_way_on_have_titles(visit, page):
    view = visit(page).page
    number = PAGES.index(page)
    for way, other in (("left-prev", number - 1), ("right-next", number + 1)):
        links = view.locator(f"a.{way}")
        assert links.count() == (0 <= other < len(PAGES))
        if links.count():
            assert links.get_attribute("href").endswith(f"{PAGES[other]}.html")
            assert len(links.locator(".prev-next-title").inner_text()) > 3
