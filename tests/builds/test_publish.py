"""The check that nothing on the site is loaded from another host."""

import pytest
from publish import AT_ONCE, CSS_FOREIGN, foreign_in_html, rewrite, swap

from selfattention import views

OWN = [
    '<a href="https://arxiv.org/abs/1706.03762">a link is fine</a>',
    '<link rel="canonical" href="https://book.example/page.html">',
    '<link rel="stylesheet" href="../_static/book.css">',
    '<img src="data:image/png;base64,AAAA"><script src="../_static/live.js"></script>',
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    "<script>const home = 'https://arxiv.org/abs/1706.03762';</script>",
]
FOREIGN = [
    '<script src="https://cdn.example/a.js"></script>',
    '<script src="//cdn.example/a.js"></script>',
    '<link rel="stylesheet" href="https://cdn.example/a.css">',
    '<link rel="preload" as="script" href="https://cdn.example/a.js">',
    '<img src="http://cdn.example/a.png">',
    '<img srcset="a.png 1x, https://cdn.example/b.png 2x">',
    '<iframe src="https://cdn.example/"></iframe>',
    '<p style="background: url(https://cdn.example/a.png)">',
    "<style>@import 'https://cdn.example/a.css';</style>",
    "<style>a { background: url('//cdn.example/a.png') }</style>",
    "<script>const THEBE = 'https://unpkg.example/thebe/lib/index.js';</script>",
    "<script>require.config({paths: {d3: 'https://cdn.example/d3.min'}})</script>",
]


@pytest.mark.parametrize("html", OWN)
def test_own_assets_and_links_pass(html):
    assert list(foreign_in_html(html)) == []


@pytest.mark.parametrize("html", FOREIGN)
def test_foreign_assets_are_found(html):
    assert len(list(foreign_in_html(html))) == 1


def test_foreign_assets_in_css():
    css = "@font-face { src: url(font.woff2), url('https://cdn.example/font.woff2') }"
    assert CSS_FOREIGN.findall(css) == ["https://cdn.example/font.woff2"]


def test_views_of_a_page_share_one_copy_of_their_libraries_when_they_need_it(tmp_path):
    view = f"{views.libraries()}<script>{views.ANSWER}</script>"
    page = tmp_path / "chapters" / "bert.html"
    rewritten = rewrite(f"<p>{view}{view}</p>", page, tmp_path)
    assert views.source("d3") not in rewritten
    assert AT_ONCE not in rewritten
    shared = '["../_static/vendor/d3.js", "../_static/vendor/jQuery.js"]'
    assert rewritten.count(shared) == 2


def test_swap_replaces_the_site_as_a_whole(tmp_path):
    site, waiting = tmp_path / "html", tmp_path / "html.next"
    for folder, name in ((site, "old.html"), (waiting, "new.html")):
        folder.mkdir()
        (folder / name).write_text("x")
    swap(waiting, site)
    assert [path.name for path in site.iterdir()] == ["new.html"]
    assert [path.name for path in tmp_path.iterdir()] == ["html"]
