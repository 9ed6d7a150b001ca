"""How much a page loads over a host that compresses, and that nothing on it jumps."""

import pytest
from reading import CHAPTERS, PAGES

# What a page may weigh. The views of bert_heads bring their data and, once a reader is
# near them, d3 and jQuery.
FIRST = {"bert_heads": 450_000}
NEXT = {"bert_heads": 150_000}
BEFORE = dict(zip(PAGES[1:], PAGES, strict=False))

SCROLL = """async () => {
  const root = document.documentElement;
  for (let y = 0; y < root.scrollHeight; y += innerHeight) {
    scrollTo({top: y, behavior: 'instant'});
    await new Promise((done) => setTimeout(done, 20));
  }
}"""
# How far things moved, as a share of the window, without a reader's doing.
SHIFT = """() => new Promise((done) => {
  let total = 0;
  const parts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      total += entry.value;
      parts.push(...entry.sources.map((one) => one.node?.className ?? '?'));
    }
  }).observe({type: 'layout-shift', buffered: true});
  setTimeout(() => done([total, parts]), 100);
})"""


@pytest.fixture
def read(open_page, host):
    """Open a page and read it to its end; it may keep what it gets for the next one."""

    def go(name, width=1440):
        view = {"width": width, "height": 900}
        host.sent.clear()
        page = open_page(viewport=view).page
        page.goto(f"{host.address}/chapters/{name}.html", wait_until="networkidle")
        page.evaluate(SCROLL)
        page.wait_for_load_state("networkidle")
        return page

    return go


@pytest.mark.parametrize("page", PAGES)
def test_first_visit_is_light_and_nothing_jumps(read, host, page):
    view = read(page)
    assert host.weight() <= FIRST.get(page, 300_000)
    shift, moved = view.evaluate(SHIFT)
    assert shift < 0.02, moved


@pytest.mark.parametrize("page", PAGES)
def test_nothing_jumps_on_a_telephone(read, page):
    shift, moved = read(page, width=360).evaluate(SHIFT)
    assert shift < 0.02, moved


@pytest.mark.parametrize("chapter", [one for one in CHAPTERS if one in BEFORE])
def test_going_on_is_light_and_coming_back_costs_nothing(read, host, chapter):
    view = read(BEFORE[chapter])
    host.weight()
    view.locator("a.right-next").click()
    view.wait_for_url(f"**/{chapter}.html")
    view.wait_for_load_state("networkidle")
    assert host.weight() <= NEXT.get(chapter, 60_000)
    view.evaluate(SCROLL)
    view.wait_for_load_state("networkidle")
    host.weight()  # the pictures further down
    view.goto("about:blank")
    view.goto(f"{host.address}/chapters/{chapter}.html", wait_until="networkidle")
    assert host.weight() == 0
