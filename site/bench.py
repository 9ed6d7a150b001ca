"""Measure what the book costs, and write it to ``_build/bench.md``.

Times of a machine mean little, so ratios are taken side by side in one run, and of
several ratios the median.
"""

import gzip
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import build
import torch
from bs4 import BeautifulSoup
from finish import own
from jupyter_cache import get_cache
from pdf import chromium
from playwright.sync_api import sync_playwright
from torch.nn import functional

import chapters
from selfattention.attention import scaled_dot_product_attention
from selfattention.live import bundle

ROOT = build.ROOT
PROSE = "\nThis sentence was not there before.\n"
BOOK = ("chapters", "images", "selfattention", "site", "_config.yml", "_toc.yml")
FILES = ("references.bib", "requirements.txt")


def main():
    """Measure everything and print the table as it is written."""
    rows = ["| What | Measured |", "| --- | --- |"]
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder) / "book")
        rows += builds(copy)
    rows += [f"| The book's attention, time of torch's fused one | {fused():.1f} × |"]
    rows += ["", "| Page | First visit, KB | Seconds | Peak MB |", "| --- " * 4 + "|"]
    rows += costs()
    rows += ["", "| Live figure of | First drawing, ms | Frames a second |"]
    rows += ["| --- " * 3 + "|", *figures(ROOT / "_build" / "html")]
    text = "\n".join(rows) + "\n"
    (ROOT / "_build" / "bench.md").write_text(text, encoding="utf-8")
    print(text)


def copied(book):
    """Copy the book without its caches."""
    book.mkdir()
    skip = shutil.ignore_patterns("node_modules", "__pycache__")
    for name in BOOK + FILES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, book / name, ignore=skip)
        else:
            shutil.copy(source, book / name)
    (book / "site" / "node_modules").symlink_to(ROOT / "site" / "node_modules")
    return book


def builds(book):
    """Compare a clean build with a stock one, and with one after a new sentence."""
    ours = [sys.executable, book / "site" / "build.py"]
    clean, _ = timed(ours)
    page = book / "chapters" / "masking.md"
    rebuilds = []
    for _ in range(3):
        with page.open("a", encoding="utf-8") as file:
            file.write(PROSE)
        seconds, said = timed(ours)
        assert ", 0 to execute" in said, said
        rebuilds.append(seconds)
    again = statistics.median(rebuilds)
    stock = timed(stock_build(book))[0]
    return [
        f"| Clean build, side by side | {clean:.0f} s |",
        f"| Stock sequential build | {stock:.0f} s, {stock / clean:.2f} × ours |",
        f"| Rebuild after one sentence | {again:.0f} s, {again / clean:.0%} of a clean "
        "build, no notebook executed |",
    ]


def stock_build(book):
    """Return the command of Jupyter Book alone: one notebook after the other."""
    config = book / "_config.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(
        text.replace("execute_notebooks: cache", "execute_notebooks: force")
    )
    tool = Path(sys.executable).with_name("jupyter-book")
    return [tool, "build", book, "--path-output", book / "stock", "--quiet"]


def timed(command):
    """Run a command; its seconds, and what it said."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"The benchmark stopped.\n{done.stdout}\n{done.stderr}")
    return time.perf_counter() - start, done.stdout


def fused(repeats=9, calls=20):
    """Time the book's attention by torch's own, forward, on one thread; the median."""
    torch.set_num_threads(1)
    query, key, value = torch.randn(3, 8, 12, 128, 64)
    torchs = functional.scaled_dot_product_attention
    ratios = []
    for _ in range(repeats):
        seconds = []
        for function in (scaled_dot_product_attention, torchs):
            start = time.perf_counter()
            for _ in range(calls):
                function(query, key, value)
            seconds.append(time.perf_counter() - start)
        ratios.append(seconds[0] / seconds[1])
    return statistics.median(ratios)


def costs():
    """List what a first visit to each page loads, and what executing it took."""
    site = ROOT / "_build" / "html"
    cache = get_cache(str(build.workshop(ROOT) / "_build" / "written"))
    runs = {Path(record.uri).stem: record.data for record in cache.list_cache_records()}
    for path in chapters.pages(ROOT):
        run = runs.get(path.stem, {})
        seconds = f"{run['execution_seconds']:.1f}" if run else "–"
        peak = f"{run['peak_megabytes']:.0f}" if run else "–"
        weight = first_visit(site / "chapters" / f"{path.stem}.html") / 1000
        yield f"| {path.stem} | {weight:.1f} | {seconds} | {peak} |"


def first_visit(page):
    """Add up the bytes that a page loads at once, from a host that compresses text."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    tags = soup.select("link[rel=stylesheet], script[src], img[src]:not([loading])")
    names = [tag.get("src") or tag["href"] for tag in tags]
    early = soup.select_one("head script:not([src])").string
    names += re.findall(r'"([^"]+\.woff2)"', early)
    files = dict.fromkeys([page, *(own(page, name) for name in names)])
    sizes = [
        len(content if path.suffix == ".woff2" else gzip.compress(content))
        for path, content in ((path, path.read_bytes()) for path in files)
    ]
    return sum(sizes)


# What a pointer drags in a live figure, by the page it is on.
DRAGGED = {
    "circle": ".live-handle .live-ring >> nth=-1",
    "softmax_saturation": ".live-slider input",
    "queries_keys_values": ".live-slider input",
    "bert_heads": ".live-map [role=row] >> nth=2",
}
DRAW = """script => {
  const start = performance.now();
  new Function(script)();
  document.querySelector('.live-figure').getBoundingClientRect();
  return performance.now() - start;
}"""
# The middle one of the times that frames took in which the pointer had moved.
FRAME = """() => new Promise((done) => {
  const gaps = [];
  let moved = false, last = performance.now();
  addEventListener('pointermove', () => { moved = true; }, true);
  const note = () => {
    const now = performance.now();
    if (moved) gaps.push(now - last);
    [moved, last] = [false, now];
    if (gaps.length < 30) return requestAnimationFrame(note);
    done(gaps.sort((a, b) => a - b)[15]);
  };
  requestAnimationFrame(note);
})"""


def figures(site):
    """Time live figures on their pages: the first drawing, and frames of a drag."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, grip in DRAGGED.items():
            page = browser.new_context(bypass_csp=True).new_page()
            page.route("**/live.js*", lambda route: route.fulfill(body=""))
            page.goto((site / "chapters" / f"{name}.html").resolve().as_uri())
            drawn = page.evaluate(DRAW, bundle())
            page.locator(grip).scroll_into_view_if_needed()
            x, y, width, height = page.locator(grip).bounding_box().values()
            page.mouse.move(x + width / 2, y + height / 2)
            page.evaluate(f"() => {{ window.frame = ({FRAME})() }}")
            page.mouse.down()
            for i in range(200):
                page.mouse.move(x + width / 2 + 2 * (i % 30), y + height / 2 + i % 30)
            page.mouse.up()
            frame = page.evaluate("window.frame")
            yield f"| {name} | {drawn:.0f} | {1000 / frame:.0f} |"
        browser.close()


if __name__ == "__main__":
    main()
