"""A real browser for the tests of the site, and a host that serves the site to it."""

import shutil
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, sync_playwright
from serving import NAMES, serve

from selfattention.live import bundle, stylesheet

# The browser asks nobody for anything by itself.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Visit:
    """A page, with what went wrong on it and what it asked for, as they happen."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.page.on("console", self.note_console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "requestfailed",
            lambda request: self.errors.append(f"{request.url}: {request.failure}"),
        )

    def note_console(self, message):
        if message.type == "error":
            self.errors.append(message.text)


@pytest.fixture(scope="session")
def chromium():
    """One Chromium for the whole run."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail(f"The tests of the site need a browser: none of {NAMES} is here.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open pages that share nothing: ``open_page(url, **options)`` gives a ``Visit``.

    The options are those of a browser context, such as ``viewport``. Without an address
    the page stays empty, so that a test can prepare it.
    """
    contexts = []

    def open_one(url=None, **options):
        contexts.append(chromium.new_context(**options))
        visit = Visit(contexts[-1].new_page())
        if url is not None:
            visit.page.goto(url)
        return visit

    yield open_one
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def host(site):
    """The site on the web: a ``Host``."""
    with serve(site) as host:
        yield host


@pytest.fixture
def visit(open_page, host):
    """Open a page of the site with every other host out of reach.

    ``visit(name)`` opens a chapter, and ``visit("../search")`` a page beside them.
    """

    def go(name, theme="light", width=1440, until="load", **options):
        view = {"width": width, "height": 900}
        visit = open_page(viewport=view, color_scheme=theme, **options)
        visit.page.context.route(
            lambda url: not url.startswith(host.address), lambda route: route.abort()
        )
        visit.page.goto(f"{host.address}/chapters/{name}.html", wait_until=until)
        return visit

    return go


@pytest.fixture
def address(tmp_path):
    """Write a page with these figures and say where: ``address(*figures)``."""

    def write(*figures, theme="light"):
        (tmp_path / "live.js").write_text(bundle(), encoding="utf-8")
        (tmp_path / "live.css").write_text(stylesheet(), encoding="utf-8")
        page = tmp_path / f"{theme}.html"
        page.write_text(
            f'<!doctype html><html lang="en" data-theme="{theme}"><head>'
            '<meta charset="utf-8"><title>Live figures</title>'
            '<meta name="viewport" content="width=device-width">'
            '<link rel="stylesheet" href="live.css">'
            '<link rel="icon" href="data:,">'
            '<script defer src="live.js"></script></head><body>'
            f"{''.join(figure.html() for figure in figures)}</body></html>",
            encoding="utf-8",
        )
        return page.as_uri()

    return write
