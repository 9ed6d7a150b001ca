"""Every page for readers who see little, who listen, or who use the keyboard alone."""

import subprocess

import pytest
from build import ROOT
from reading import CHAPTERS, PAGES, soup

LIBRARIES = ROOT / "tests" / "site" / "node_modules"
EVERY = [*PAGES, "../search", "../404"]
# WCAG 2.2 at level AA, and what axe calls best practice: headings in order, landmarks.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FAULTS = """rules => axe.run({runOnly: rules, resultTypes: ['violations']}).then(
    found => found.violations.flatMap(rule => rule.nodes.map(
        node => `${rule.id}: ${node.html.slice(0, 200)}`)))"""


@pytest.fixture(scope="session")
def axe():
    return (LIBRARIES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", EVERY)
def test_axe_finds_nothing(visit, axe, page, theme):
    view = visit(page, theme, reduced_motion="reduce").page
    view.evaluate(axe)
    assert view.evaluate(FAULTS, RULES) == []


@pytest.mark.parametrize("page", PAGES)
def test_the_keyboard_meets_everything_in_the_order_of_the_page(visit, page):
    view = visit(page).page
    view.keyboard.press("Tab")
    assert view.evaluate("document.activeElement.textContent") == "Skip to main content"
    view.keyboard.press("Enter")
    assert view.url.endswith("#main-content")
    assert not view.locator("[tabindex]").evaluate_all(
        "all => all.filter(one => one.tabIndex > 0).length"
    )
    view.keyboard.press("Tab")
    assert view.evaluate("document.activeElement.closest('main') !== null")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_formulas_are_there_to_be_heard(chapter):
    for formula in soup(chapter).select("article .katex"):
        assert formula.select_one("math annotation").get_text().strip()
        assert formula.select_one(".katex-html")["aria-hidden"] == "true"


def test_html_is_valid(site, tmp_path):
    pages = [site / "index.html", *(site / "chapters" / f"{one}.html" for one in EVERY)]
    # It ends before a pipe has taken everything; a file takes it at once.
    with (tmp_path / "faults").open("w+") as faults:
        command = [LIBRARIES / ".bin" / "html-validate", "--formatter", "text"]
        rules = ["--config", LIBRARIES.parent / ".htmlvalidate.json"]
        subprocess.run([*command, *rules, *pages], stdout=faults, check=False)
        faults.seek(0)
        assert faults.read().strip() == ""
