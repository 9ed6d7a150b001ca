"""Print the built book as one PDF, with contents, page numbers and bookmarks."""

import argparse
import functools
import io
import shutil
import sys
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from markupsafe import escape
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

import chapters

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAPER = {"format": "A4", "print_background": True}
MARGIN = {"top": "18mm", "bottom": "20mm", "left": "18mm", "right": "18mm"}
# Pictures that would wait, outputs that are folded: on paper all of them are there.
UNFOLD = """async () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const image of document.images) image.loading = "eager";
  window.dispatchEvent(new Event("beforeprint"));
  await window.bookLibraries;
  const shown = (image) => image.decode().catch(() => {});
  await Promise.all([...document.images].map(shown));
  await document.fonts.ready;
}"""
STYLE = """<meta charset="utf-8"><title>Contents</title><style>
body { font: 11pt/1.6 "Liberation Sans", Arial, sans-serif; margin: 0; }
h1 { font-size: 30pt; margin: 70mm 0 6mm; } h2 { break-before: page; }
p { margin: 0; }
h2 ~ div { display: flex; align-items: baseline; gap: 2mm; }
i { flex: 1; border-bottom: 1px dotted #777; }
.number { height: 297mm; position: relative; break-after: page; }
.number span { position: absolute; bottom: 9mm; width: 100%; text-align: center;
  font-size: 9pt; color: #444; }
</style>"""


def main():
    """Print the book that stands in ``_build/html``, or the chapters that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    book_pdf = ROOT / "_build" / "book.pdf"
    parser.add_argument("target", nargs="?", type=Path, default=book_pdf)
    everything = [path.stem for path in chapters.pages(ROOT)]
    parser.add_argument("names", nargs="*", default=everything, metavar="chapter")
    arguments = parser.parse_args()
    target, names = arguments.target, arguments.names
    pages = book(ROOT / "_build" / "html", names, target)
    print(f"{target}: {pages} pages, {target.stat().st_size / 1e6:.1f} MB")


def book(site, names, target):
    """Print chapters of a built site into one file.

    Args:
        site: the folder of the site.
        names: the chapters, in their order.
        target: the file to write.

    Returns:
        The number of pages.

    Raises:
        FileNotFoundError: there is no site, or no Chromium to print it with.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        texts = [print_chapter(browser, site, name) for name in names]
        titles = [title(site, name) for name in names]
        draw = functools.partial(print_html, browser)
        # The contents are as long with their numbers as without.
        front = len(draw(contents(titles, [0] * len(names)), MARGIN).pages)
        starts, number = [], front + 1
        for text in texts:
            starts.append(number)
            number += len(text.pages)
        first = draw(contents(titles, starts), MARGIN)
        numbers = draw(folios(number - 1), {})
        browser.close()
    writer = PdfWriter()
    writer.add_metadata(
        {"/Title": settings()["title"], "/Author": settings()["author"]}
    )
    writer.append(first, "Contents", import_outline=False)
    for text in texts:
        writer.append(text)  # with a bookmark for each of its headings
    for count, page in enumerate(writer.pages[1:], start=1):
        page.merge_page(numbers.pages[count])
        page.compress_content_streams()
    writer.compress_identical_objects()
    writer.write(target)
    return len(writer.pages)


def chromium():
    """Find a Chromium.

    Raises:
        FileNotFoundError: there is none.
    """
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise FileNotFoundError(f"a browser is needed: none of {BROWSERS} is here")
    return path


def settings():
    """Read the settings of the book."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


def title(site, name):
    """Read the title of a chapter off its page."""
    text = (site / "chapters" / f"{name}.html").read_text(encoding="utf-8")
    heading = BeautifulSoup(text, "html.parser").select_one("article h1")
    heading.select_one(".headerlink").decompose()
    return heading.get_text()


def print_chapter(browser, site, name):
    """Print one page of the site, its live figures as the pictures they stand for."""
    page = browser.new_page(color_scheme="light")
    page.route("**/live.js*", lambda route: route.abort())
    page.goto((site / "chapters" / f"{name}.html").resolve().as_uri())
    page.evaluate(UNFOLD)
    printed = page.pdf(**PAPER, margin=MARGIN, outline=True, tagged=True)
    page.close()
    return PdfReader(io.BytesIO(printed))


def print_html(browser, body, margin):
    """Print HTML that was written here."""
    page = browser.new_page()
    page.set_content(STYLE + body)
    printed = page.pdf(**PAPER, margin=margin)
    page.close()
    return PdfReader(io.BytesIO(printed))


def contents(titles, starts):
    """Write the title page and the contents."""
    lines = "".join(
        f"<div><span>{escape(name)}</span><i></i><span>{start}</span></div>"
        for name, start in zip(titles, starts, strict=True)
    )
    book = settings()
    return (
        f"<h1>{escape(book['title'])}</h1><p>{escape(book['author'])}</p>"
        f"<h2>Contents</h2>{lines}"
    )


def folios(count):
    """Write the number of each page on a page of its own."""
    return "".join(
        f'<div class="number"><span>{number}</span></div>'
        for number in range(1, count + 1)
    )


if __name__ == "__main__":
    try:
        main()
    except FileNotFoundError as error:
        sys.exit(f"The book was not printed: {error}. Run `make book` first.")
