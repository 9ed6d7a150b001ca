"""What finishing makes of a page: a small site, written by hand, before and after."""

import pytest
from bs4 import BeautifulSoup
from finish import finish
from mend import mend

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>One</title>
<link rel="stylesheet" href="../_static/first.css?v=1">
<link rel="stylesheet" href="../_static/second.css">
<link rel="preload" as="script" href="../_static/own.js">
<script src="../_static/own.js"></script>
<script>window.inline = true;</script></head>
<body><button onclick="window.print()">Print</button>
<p class="used">Text</p><img src="../_images/plot.svg" alt="A plot">
<div class="cell_output"><div class="highlight"><pre>LINES</pre></div></div>
<div class="highlight"><pre><span class="k">def</span>
<span class="n">f</span></pre></div>
</body></html>
"""


@pytest.fixture
def site(tmp_path):
    """Write a site of one page: ``site(lines=17)``; its folder."""

    def write(lines=17):
        for folder in ("chapters", "_static/deep", "_images"):
            (tmp_path / folder).mkdir(parents=True)
        text = PAGE.replace("LINES", "\n".join(map(str, range(lines))))
        (tmp_path / "chapters" / "one.html").write_text(text)
        (tmp_path / "index.html").write_text(
            '<meta http-equiv="Refresh" content="0; url=chapters/one.html" />'
        )
        (tmp_path / "_static" / "own.js").write_text("show('from-script')")
        (tmp_path / "_static" / "first.css").write_text(
            '@import "deep/more.css"; /* a remark */ .unused { color: red }'
        )
        (tmp_path / "_static" / "second.css").write_text(
            ".used { color: green } .from-script { color: blue } "
            ":focus-visible { top: 0 }"
        )
        (tmp_path / "_static" / "deep" / "more.css").write_text(
            'p { background: url("dot.png") } /*! licence */'
        )
        (tmp_path / "_images" / "plot.svg").write_text(
            '<?xml version="1.0"?><svg width="72pt" height="36pt" viewBox="0 0 9 9"/>'
        )
        finish(tmp_path)
        return tmp_path

    return write


def read(site, name="chapters/one.html"):
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")


def test_one_sheet_holds_what_is_used(site):
    folder = site()
    (link,) = read(folder).select("link[rel=stylesheet]")
    css = (folder / "chapters" / link["href"]).read_text()
    for kept in (".used", ".from-script", ":focus-visible", "licence"):
        assert kept in css
    for lost in (".unused", "remark", "@import"):
        assert lost not in css
    assert 'url("deep/dot.png")' in css


def test_scripts_wait_and_nothing_runs_inline_from_an_attribute(site):
    page = read(site())
    (script,) = page.select("script[src]")
    assert script.has_attr("defer")
    assert not page.select("link[rel=preload], [onclick]")
    assert page.select("button[data-print]")


def test_picture_gets_its_size_in_pixels(site):
    (image,) = read(site()).select("img")
    assert (image["width"], image["height"]) == ("96", "48")


@pytest.mark.parametrize(("lines", "folds"), [(16, 0), (17, 1)])
def test_only_long_output_is_folded(site, lines, folds):
    found = read(site(lines)).select("details > summary")
    assert len(found) == folds
    assert all(one.get_text() == f"Output of {lines} lines" for one in found)


def test_plain_names_lose_their_marks_and_others_keep_them(site):
    code = read(site()).select("div.highlight")[-1]
    assert code.get_text() == "def\nf"
    assert [span["class"] for span in code.select("span")] == [["k"]]


def test_policy_knows_each_inline_script(site):
    page = read(site())
    (policy,) = page.select("meta[http-equiv='Content-Security-Policy']")
    inline = page.select("script:not([src])")
    assert policy["content"].count("'sha256-") == len(inline)
    # It comes before all that it is there to judge.
    assert policy.find_previous_sibling().name == "meta"
    assert not policy.find_all_previous("script")


def test_root_leads_to_the_front_page(site):
    root = read(site(), "index.html")
    assert root.title.get_text() == "One"
    assert root.select_one("a[href='chapters/one.html']")


def test_what_is_faulty_is_mended():
    soup = BeautifulSoup(
        '<section id="exercise-content"></section><figure>'
        '<a class="image-reference" href="x.svg"><img src="x.svg"></a></figure>'
        '<div role="doc-biblioentry"></div>'
        '<div id="bertviz-1"><div class="vis" aria-label="vis"></div></div>'
        '<details class="hide"><summary aria-label="Toggle"><p class="collapsed">Show'
        '</p><p class="expanded">Hide</p></summary></details>',
        "html.parser",
    )
    mend(soup)
    assert not soup.select("#exercise-content, figure a, .vis[aria-label]")
    assert soup.select("[role=listitem]")
    assert soup.select_one("#bertviz-1")["tabindex"] == "0"
    assert str(soup.summary) == "<summary>Show</summary>"


def test_lines_do_not_break_before_what_closes_nor_within_short_code():
    formula = '<span class="math"><span class="katex">{}</span></span>'
    short, long = (formula.format('<span class="base"></span>' * n) for n in (2, 3))
    soup = BeautifulSoup(
        f'<p>{short}), and {long}. </p><code class="literal">(B, T)</code>'
        '<code class="literal">a_longer_piece(of, code)</code>'
        '<div class="solution"><p class="admonition-title">Solution to<a> Two</a></p>',
        "html.parser",
    )
    mend(soup)
    assert [one.get_text() for one in soup.select(".together")] == ["),"]
    assert soup.p.get_text() == "), and . "
    assert [one.get_text() for one in soup.select("code.short")] == ["(B, T)"]
    assert str(soup.select_one(".solution p")).endswith("to <a>Two</a></p>")
