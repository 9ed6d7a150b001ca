"""What finishing did to the built pages: nothing lost, nothing forbidden."""

import io
import json
import re

import pytest
from bs4 import BeautifulSoup
from build import ROOT, workshop
from finish import read_css, sheets
from fontTools.ttLib import TTFont
from PIL import Image, ImageStat
from playwright.sync_api import expect
from reading import CHAPTERS, PAGES, soup, source

BESIDE = ("../search", "../404")
THEMES = ("light", "dark")


@pytest.fixture(scope="session")
def originals():
    """The rules of the theme and its extensions before the purge, as CSS text."""
    rendered = workshop(ROOT) / "_build" / "html"
    page = rendered / "chapters" / "index.html"
    before = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    return "\n".join(
        read_css(path, rendered / "_static") for path in sheets(before, page)
    )


# Every selector of `before` that fits something on the page, in some state, and that is
# not in `after` under the same conditions.
LOST = """([before, after]) => {
  const parts = (selector) => {
    const found = [];
    let depth = 0, start = 0;
    for (let i = 0; i < selector.length; i += 1) {
      depth += '(['.includes(selector[i]) - ')]'.includes(selector[i]);
      if (selector[i] === ',' && !depth) {
        found.push(selector.slice(start, i).trim());
        start = i + 1;
      }
    }
    return [...found, selector.slice(start).trim()];
  };
  const selectors = (text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    const walk = (rules, under) => [...rules].flatMap((rule) =>
      rule instanceof CSSStyleRule
        ? parts(rule.selectorText).map((one) => [under, one])
        : rule.cssRules && !(rule instanceof CSSKeyframesRule)
          ? walk(rule.cssRules, `${under} ${rule.conditionText ?? rule.name}`) : []);
    return walk(sheet.cssRules, '');
  };
  // What a pointer, a keyboard or a reader may change: whatever it is, the rule counts.
  const states = new RegExp('::?(before|after|placeholder|marker|selection|backdrop|'
    + '-webkit-[a-z-]+|-moz-[a-z-]+|file-selector-button|hover|focus|focus-visible|'
    + 'focus-within|active|visited|link|target|checked|disabled|enabled|open|'
    + 'popover-open|modal|invalid|valid)(?![a-z-])', 'g');
  const fits = (selector) => {
    const bare = selector.replace(states, '').replace(/(^|[ >+~])(?=$|[ >+~])/g, '$1*');
    try {
      return document.querySelector(bare) !== null;
    } catch {
      return false;
    }
  };
  const kept = new Set(selectors(after).map((one) => one.join('|')));
  const missing = selectors(before).filter((one) => !kept.has(one.join('|')));
  const themes = ['light', 'dark'].flatMap((theme) => {
    document.documentElement.dataset.theme = theme;
    return missing.filter(([, selector]) => fits(selector));
  });
  return [...new Set(themes.map((one) => one.join('|')))];
}"""


@pytest.mark.parametrize("page", [*PAGES, "../search"])
def test_purge_keeps_every_rule_in_use(visit, site, originals, page):
    view = visit(page).page
    (sheet,) = (site / "_static").glob("site.*.css")
    if page != "../search":
        view.keyboard.press("Control+k")  # the search opens
    if (image := view.locator("figure img").first).count():
        image.evaluate("image => image.click()")  # and the figure, enlarged
    after = sheet.read_text(encoding="utf-8")
    assert view.evaluate(LOST, [originals, after]) == []


def test_purge_keeps_every_movement_in_use(site, originals):
    (sheet,) = (site / "_static").glob("site.*.css")
    after = sheet.read_text(encoding="utf-8")
    moves = set(re.findall(r"@keyframes ([\w-]+)", originals))
    called = set(re.findall(r"animation(?:-name)?:[^;}]*?([\w-]+)[^;}]*", after))
    assert moves & called <= set(re.findall(r"@keyframes ([\w-]+)", after))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_one_sheet_and_no_script_that_blocks(page):
    head = soup(page)
    assert len(head.select("link[rel=stylesheet]")) == 1
    for script in head.select("script[src]"):
        assert script.has_attr("defer"), script
    assert not head.select("[onclick], [onload]")


@pytest.mark.parametrize("page", PAGES)
def test_every_picture_says_how_large_it_is_and_what_it_shows(page):
    for image in soup(page).select("img"):
        assert image.get("width"), image
        assert image.get("height"), image
        assert image.has_attr("alt"), image
        if image.find_parent("article"):
            assert len(image["alt"]) > 20, image


def held(site, family):
    """The characters that the fonts of a family can still draw."""
    fonts = (site / "_static" / "vendor" / family).rglob("*.woff2")
    return {code for font in fonts for code in TTFont(font).getBestCmap()}


@pytest.mark.parametrize("page", CHAPTERS)
def test_the_formula_fonts_hold_every_character_written(site, page):
    written = "".join(part.get_text() for part in soup(page).select(".katex-html"))
    # A zero-width space and a no-break space are written by no font of KaTeX.
    assert {ord(one) for one in written} - held(site, "katex") <= {0x200B}


# What style sheets set before and after elements: the icons among it are private codes.
ICONS = """() => [...document.querySelectorAll('*')].flatMap((element) =>
    ['::before', '::after'].flatMap((part) =>
        [...getComputedStyle(element, part).content].map((one) => one.codePointAt(0))
            .filter((code) => code >= 0xe000 && code <= 0xf8ff)))"""


@pytest.mark.parametrize("page", [*PAGES, *BESIDE])
def test_the_icon_fonts_hold_every_icon_in_use(visit, site, page):
    used = set(visit(page).page.evaluate(ICONS))
    assert used or page == "../404"
    assert used <= held(site, "fontawesome")


@pytest.mark.parametrize("page", [*PAGES, *BESIDE])
def test_the_policy_forbids_nothing_that_a_page_does(visit, open_page, site, page):
    seen = visit(page, until="networkidle")
    policy = "meta[http-equiv='Content-Security-Policy']"
    content = seen.page.locator(policy).get_attribute("content")
    assert content.startswith("default-src 'none'")
    assert "unsafe-eval" not in content
    assert "unsafe-inline" not in content.partition("script-src")[2]
    assert seen.errors == []
    from_disk = open_page((site / "chapters" / f"{page}.html").resolve().as_uri())
    assert from_disk.errors == []


def test_the_policy_stops_a_script_from_elsewhere(visit):
    seen = visit("index")
    seen.page.evaluate(
        """() => { const script = document.createElement('script');
            script.textContent = 'window.stranger = true';
            document.body.append(script); }"""
    )
    assert seen.page.evaluate("window.stranger") is None
    assert "Content Security Policy" in seen.errors[0]


@pytest.mark.parametrize("page", ["softmax_saturation", "bert_heads"])
def test_plain_code_looks_plain(visit, page):
    view = visit(page).page
    assert view.locator("div.highlight :is(.n, .p, .w)").count() == 0
    for theme in THEMES:
        view.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        code = view.locator("div.highlight").first
        said = code.evaluate(
            """box => { const name = document.createElement('span');
            name.className = 'n'; box.querySelector('pre').append(name);
            return [getComputedStyle(box.querySelector('pre')).color,
                    getComputedStyle(name).color]; }"""
        )
        assert said[0] == said[1]


def folded(name):
    """The outputs that are folded on a page."""
    return soup(name).select(".cell_output details.folded")


@pytest.mark.parametrize("page", [name for name in CHAPTERS if folded(name)])
def test_long_output_opens_when_it_is_asked_for(visit, page):
    view = visit(page).page
    fold = view.locator(".cell_output details.folded").first
    text = fold.locator("pre")
    assert not text.is_visible()
    lines = int(re.search(r"\d+", fold.locator("summary").inner_text())[0])
    fold.locator("summary").press("Enter")
    assert text.is_visible()
    assert text.inner_text().rstrip().count("\n") + 1 == lines > 16


def test_some_outputs_are_folded_and_no_long_one_is_not():
    assert any(folded(name) for name in CHAPTERS)
    for name in CHAPTERS:
        for output in soup(name).select("div.cell_output div.highlight"):
            lines = output.get_text().rstrip().count("\n") + 1
            assert (output.find_parent("details") is not None) == (lines > 16)


def test_a_figure_is_enlarged_by_mouse_and_by_keyboard(visit):
    view = visit("embeddings").page
    figure = view.locator("figure img").first
    dialog = view.locator("dialog.enlarged")
    small = figure.bounding_box()["width"]
    figure.click()
    assert dialog.locator("img").bounding_box()["width"] > small
    assert dialog.get_attribute("aria-label") == figure.get_attribute("alt")
    dialog.click()
    expect(dialog).to_be_hidden()
    for key in ("Enter", " "):
        figure.press(key)
        expect(dialog).to_be_visible()
        view.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        assert figure.evaluate("image => image === document.activeElement")


@pytest.mark.parametrize("page", CHAPTERS)
def test_what_enlarges_leads_nowhere(page):
    assert not soup(page).select("a img[alt!='']")


@pytest.mark.parametrize(
    "drawing", ["block", "multi_head", "recap", "single_head", "transformer"]
)
def test_a_drawing_follows_the_theme(visit, drawing):
    (page,) = (name for name in PAGES if f"/{drawing}.svg" in source(name))
    bright = {}
    for theme in THEMES:
        image = visit(page, theme).page.locator(f"figure img[src*='/{drawing}.svg']")
        image.scroll_into_view_if_needed()
        image.evaluate("image => image.decode()")
        picture = Image.open(io.BytesIO(image.screenshot())).convert("L")
        bright[theme] = ImageStat.Stat(picture).mean[0]
    assert bright["dark"] < 80
    assert bright["light"] > 160


def test_drawings_have_one_palette_for_the_dark():
    drawings = [path.read_text("utf-8") for path in (ROOT / "images").glob("*.svg")]
    found = [re.findall(r"<style>.*?</style>", text, re.DOTALL) for text in drawings]
    (style,) = {style for styles in found for style in styles}
    for text in drawings:
        if style in text:
            colours = set(re.findall(r'(?:fill|stroke)="(#\w+)"', text))
            assert colours - {"#ffffff", "#7b8d99"} <= set(re.findall(r"#\w{6}", style))


def test_a_page_is_printed_light_and_unfolded(visit):
    (page, *_) = (name for name in CHAPTERS if folded(name))
    view = visit(page, "dark").page
    view.evaluate(
        """() => addEventListener('beforeprint', () => { window.printed = [
            document.documentElement.dataset.theme,
            document.querySelectorAll('details.folded:not([open])').length]; })"""
    )
    view.pdf()
    assert view.evaluate("window.printed") == ["light", 0]
    assert view.evaluate("document.documentElement.dataset.theme") == "dark"
    assert view.locator("details.folded[open]").count() == 0


def test_a_wrong_address_leads_to_a_page_that_leads_on(open_page, host):
    visit = open_page()
    answer = visit.page.goto(f"{host.address}/no/such/page.html")
    assert answer.status == 404
    links = visit.page.locator("a")
    assert links.count() == len(PAGES)
    links.first.click()
    assert visit.page.locator("article h1").inner_text()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_described(page):
    head = soup(page)
    (description,) = head.select("meta[name=description]")
    assert 40 <= len(description["content"]) <= 210
    (data,) = head.select("script[type='application/ld+json']")
    assert json.loads(data.string)["@type"] == (
        "Book" if page == "index" else "Chapter"
    )
