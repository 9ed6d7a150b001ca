"""Every page of the built site in a real browser that can reach no other host."""

import json

import nbformat
import pytest
from build import ROOT
from reading import CHAPTERS, LESSONS, PAGES

THEMES = ("light", "dark")
WIDTHS = (360, 768, 1440)


@pytest.fixture
def address(host):
    return host.address


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("page", PAGES)
def test_page_is_whole_without_the_network(visit, address, page, theme):
    seen = visit(page, theme, until="networkidle")
    html = seen.page.locator("html")
    assert html.get_attribute("data-theme") == theme
    assert html.get_attribute("lang") == "en"
    assert [url for url in seen.requests if not url.startswith(address)] == []
    assert seen.errors == []
    assert seen.page.locator("article h1").count() == 1


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_nothing_runs_over_the_edge(visit, page, width):
    view = visit(page, width=width).page
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    # Where there is room for 78 columns, code needs no scrolling; where there is not,
    # it scrolls within its box.
    boxes = view.locator("article pre:visible").evaluate_all(
        """boxes => boxes.map(box => ({
            over: box.scrollWidth - box.clientWidth,
            scrolls: ['auto', 'scroll'].includes(getComputedStyle(box).overflowX),
            text: box.innerText.slice(0, 60),
        }))"""
    )
    if page in LESSONS:
        assert boxes
    for box in boxes:
        assert box["over"] <= 0 or (box["scrolls"] and width < 1440), box["text"]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_wide_formulas_can_be_read_from_their_left_edge(visit, chapter):
    view = visit(chapter, width=360).page
    formulas = view.locator("article div.math .katex-html").evaluate_all(
        """all => all.map(one => ({
            cut: one.closest('div.math').getBoundingClientRect().left
                - one.getBoundingClientRect().left,
            out: one.scrollWidth > one.clientWidth,
            scrolls: getComputedStyle(one).overflowX === 'auto',
            text: one.textContent.slice(0, 40),
        }))"""
    )
    for formula in formulas:
        assert formula["cut"] <= 0, formula["text"]
        assert formula["scrolls"] or not formula["out"], formula["text"]


def test_front_page_is_found_at_the_root(visit, address):
    view = visit("index").page
    view.goto(f"{address}/")
    view.wait_for_url("**/chapters/index.html")
    assert view.title() == "Self-Attention, Worked Out"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_formulas_are_rendered_before_they_arrive(visit, chapter):
    view = visit(chapter).page
    assert "katex" not in " ".join(
        view.locator("script[src]").evaluate_all("all => all.map(one => one.src)")
    )
    for formula in view.locator("article .math").all():
        assert formula.locator(".katex-html").count() == 1
        assert formula.locator("math").count() == 1
    if view.locator("article .math").count():
        assert view.evaluate("document.fonts.check('16px KaTeX_Main')")
        sizes = view.evaluate(
            """[...document.querySelectorAll('.katex .msupsub .mtight')].map(
                node => parseFloat(getComputedStyle(node).fontSize)
                    / parseFloat(getComputedStyle(node.closest('.katex')).fontSize))"""
        )
        assert all(size < 0.85 for size in sizes)


def test_the_switch_of_themes_shows_the_one_in_use(visit):
    view = visit("index").page
    switch = view.locator("button.theme-switch-button").first
    seen = []
    for _ in range(4):
        (shown,) = [icon for icon in switch.locator("> *").all() if icon.is_visible()]
        seen.append(shown.get_attribute("data-mode"))
        switch.click()
    assert seen[0] == seen[3] == "auto"
    assert set(seen) == {"auto", "light", "dark"}


def test_search_finds_what_a_learner_types(visit, address):
    view = visit("index").page
    view.goto(f"{address}/search.html?q=saturation")
    first = view.locator("#search-results li a").first
    first.wait_for()
    results = view.locator("#search-results li a").all_inner_texts()
    assert "Softmax saturation" in " ".join(results)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_page_offers_its_executed_notebook(visit, chapter):
    view = visit(chapter).page
    link = view.locator("a.btn-download-notebook-button")
    with view.expect_download() as download:
        link.evaluate("link => link.click()")
    notebook = nbformat.read(download.value.path(), as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[0].cell_type == "markdown"
    assert any(cell.get("outputs") for cell in notebook.cells)


@pytest.mark.parametrize("theme", THEMES)
def test_head_view_is_drawn(visit, theme):
    view = visit("bert_heads", theme).page
    views = view.locator("div[id^='bertviz-']")
    assert views.count() == 4
    first = views.first
    assert first.locator("svg").count() == 0  # it is drawn when a reader comes near
    first.scroll_into_view_if_needed()
    first.locator("svg").wait_for()
    assert first.locator("select.layer option").all_inner_texts() == ["0", "3", "5"]
    tokens = first.locator("svg #left text").all_text_contents()
    assert tokens[:3] == ["[CLS]", "time", "flies"]
    assert lit_heads(first) == [2]
    strongest = first.locator("svg g[head-index='2'] g[left-token-index='8'] line")
    opacity = [float(line.get_attribute("stroke-opacity")) for line in strongest.all()]
    assert opacity.index(max(opacity)) == 7  # the second flies looks at fruit
    # Dark ink on light paper, whatever the theme.
    paper = first.evaluate("box => getComputedStyle(box).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    ink = first.locator("svg #left text").first.evaluate(
        "text => getComputedStyle(text).fill"
    )
    assert ink == "rgb(0, 0, 0)"


def test_head_view_follows_its_controls(visit):
    view = visit("bert_heads").page
    box = view.locator("div[id^='bertviz-']").first
    box.scroll_into_view_if_needed()
    box.locator("svg").wait_for()
    box.locator("select.filter").select_option(label="Sentence B -> Sentence A")
    assert box.locator("svg #left text").first.text_content() == "fruit"
    assert box.locator("svg #right text").first.text_content() == "[CLS]"
    # A double click on the only head that is lit lights all twelve, as the page says.
    squares = box.locator("svg > g:last-child > rect")
    assert squares.count() == 12
    squares.nth(2).dblclick()
    assert lit_heads(box) == list(range(12))
    squares.nth(5).dblclick()
    assert lit_heads(box) == [5]


def lit_heads(box):
    """The heads whose lines can be seen in a head view."""
    return box.locator("svg .headAttention").evaluate_all(
        """heads => heads.flatMap((head, i) =>
            [...head.querySelectorAll('line')].some(
                line => Number(line.getAttribute('stroke-opacity')) > 0) ? [i] : [])"""
    )


def test_model_view_shows_every_head_and_enlarges_one(visit):
    box = visit("bert_heads").page.locator("div[id^='bertviz-']").nth(1)
    box.scroll_into_view_if_needed()
    heads = box.locator("svg > g").filter(has=box.page.locator(".attn_background"))
    heads.first.wait_for()
    assert heads.count() == 72
    assert box.locator(".attn-line-group").count() == 0
    heads.nth(2).locator("rect").last.click()
    assert box.locator(".attn-line-group").count() == 13


def test_live_figure_moves_on_its_page(visit):
    view = visit("softmax_saturation").page
    figure = view.locator(".live-figure")
    slider = figure.get_by_role("slider")
    slider.focus()
    slider.press("End")
    weights = figure.locator(".live-bar data")
    assert weights.count() == 8
    assert weights.first.inner_text() == "1.0000"
    slider.press("Home")
    assert {weight.inner_text() for weight in weights.all()} == {"0.1250"}


def test_live_figure_shows_the_chapters_own_scores(visit):
    view = visit("softmax_saturation").page
    shown = view.locator(".live-figure .live-bar data").evaluate_all(
        "all => all.map(one => +one.value)"
    )
    source = ROOT / "_build/html/_sources/chapters/softmax_saturation.ipynb"
    printed = json.dumps(nbformat.read(source, as_version=4))
    assert all(f"{weight:.4f}" in printed for weight in shown[:2])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("chapter", LESSONS)
def test_solution_is_folded_and_opens(visit, chapter, theme):
    view = visit(chapter, theme).page
    solution = view.locator(".solution.dropdown").first
    code = solution.locator("pre").first
    assert not code.is_visible()
    solution.locator("button.toggle-button").first.click()
    code.wait_for(state="visible")
    assert "BEGIN SOLUTION" not in code.inner_text()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("page", PAGES)
def test_text_stands_out_from_its_background(visit, page, theme):
    view = visit(page, theme).page
    worst = view.evaluate(CONTRAST)
    assert worst["ratio"] >= 4.5, worst


# The lowest contrast of any piece of text in the article, by WCAG's formula.
CONTRAST = """() => {
    // Colours that CSS has mixed count from 0 to 1.
    const parse = colour => colour.match(/[\\d.]+/g).map((part, i) =>
        Number(part) * (colour.startsWith('color(srgb') && i < 3 ? 255 : 1));
    const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255).map(
        c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
    ).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const background = node => {
        for (; node; node = node.parentElement) {
            const colour = parse(getComputedStyle(node).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    let worst = {ratio: 21};
    const article = document.querySelector('article');
    const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        const text = walker.currentNode.textContent.trim();
        if (!text || !node.checkVisibility() || node.closest('svg, script')) continue;
        if (node.closest('.headerlink, .live-announcement, .katex-mathml')) continue;
        const [a, b] = [parse(getComputedStyle(node).color), background(node)]
            .map(luminance);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < worst.ratio)
            worst = {ratio, text, tag: node.outerHTML.slice(0, 200)};
    }
    return worst;
}"""
