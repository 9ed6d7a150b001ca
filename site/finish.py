"""Finish the pages: load little, load it late, and load nothing from elsewhere.

The theme's style sheets hold 500 KB for pages of every kind, and its fonts thousands of
icons. A page that uses a small part of both should load a small part. The fonts of
formulas hold more than the book ever writes, too.
"""

import base64
import functools
import hashlib
import json
import multiprocessing
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup
from fontTools import subset
from mend import entrance, mend

HERE = Path(__file__).parent
URL = re.compile(r"""url\(\s*["']?(?!data:|#)([^"')]+)["']?\s*\)""")
IMPORT = re.compile(r"""@import\s+["']([^"']+)["'];""")
# Icons are written as codes or as the characters themselves.
ICON = re.compile(r"\\([ef][0-9a-f]{3})\b|([\ue000-\uf8ff])")
LENGTH = re.compile(r"([\d.]+)(pt|px)?")
ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*["']([^"']*)["']""")
POINTS = {"pt": 4 / 3, "px": 1, None: 1}
LONG = 16  # lines of an output
SHEET = "site.of-all-pages.css"  # the style sheet, while it has no name of its own
EARLY = """{
  const theme = document.documentElement.dataset;
  if (theme.theme !== "light" && theme.theme !== "dark") {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    theme.theme = dark ? "dark" : "light";
  }
  const fonts = location.protocol === "file:" ? [] : FONTS;
  for (const href of fonts) {
    const link = document.createElement("link");
    const wanted = { rel: "preload", as: "font", type: "font/woff2", href };
    document.head.append(Object.assign(link, wanted, { crossOrigin: "anonymous" }));
  }
}"""
# What is written with a font, and the font.
FONTS = {
    ".fas, .fa-solid": "fontawesome/webfonts/fa-solid-900.woff2",
    ".katex": "katex/fonts/KaTeX_Main-Regular.woff2",
    ".katex .mathnormal": "katex/fonts/KaTeX_Math-Italic.woff2",
    ".katex .mathsf": "katex/fonts/KaTeX_SansSerif-Regular.woff2",
    ".katex .small-op, .katex .size1": "katex/fonts/KaTeX_Size1-Regular.woff2",
    ".katex .mathbf": "katex/fonts/KaTeX_Main-Bold.woff2",
}
# The logos and the first picture may stand on the first screen; the others can wait.
EAGER = 3


@dataclass
class Finished:
    """A finished page: what it loaded, and the characters of its formulas."""

    page: Path
    title: str
    sheets: list[Path]
    scripts: list[Path]
    formulas: set[int]


def finish(site):
    """Rewrite every page of a site so that it loads less, later, and only its own.

    Args:
        site: the folder of the site; pages, style sheets and icon fonts are rewritten.

    Raises:
        subprocess.CalledProcessError: PurgeCSS failed, with its message on stderr.
    """
    pages = [
        page
        for page in sorted(site.rglob("*.html"))
        if "_static" not in page.relative_to(site).parts
    ]
    with multiprocessing.get_context("fork").Pool() as pool:
        found = pool.map(functools.partial(finish_page, site), pages)
    finished = [one for one in found if one is not None]
    lead_on(site, {one.page: one.title for one in finished})
    sheet = one_sheet(site, finished)
    for one in finished:
        text = one.page.read_text(encoding="utf-8").replace(SHEET, sheet.name)
        one.page.write_text(text, encoding="utf-8")
    fonts = site / "_static" / "vendor"
    icons = ICON.findall(sheet.read_text(encoding="utf-8"))
    shrink(
        fonts / "fontawesome",
        {int(code, 16) if code else ord(icon) for code, icon in icons},
    )
    shrink(fonts / "katex", set().union(*(one.formulas for one in finished)))


def finish_page(site, page):
    """Rewrite a page; its style sheet gets its name when all pages are there."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    styles = sheets(soup, page)
    if not styles:  # it only leads to another page
        return None
    scripts = [own(page, script["src"]) for script in soup.select("script[src]")]
    mend(soup)
    size_images(soup, page)
    fold_outputs(soup)
    strip_plain_code(soup)
    link_sheet(soup, page, site / "_static" / SHEET)
    begin_early(soup, page, site)
    defer_scripts(soup, page)
    allow_only_own(soup)
    page.write_text(str(soup), encoding="utf-8")
    written = "".join(part.get_text() for part in soup.select(".katex-html"))
    return Finished(
        page, soup.title.get_text(), styles, scripts, set(map(ord, written))
    )


def lead_on(site, titles):
    """Let the root of the site lead to the front page by a page that is valid."""
    root = site / "index.html"
    if not root.is_file():
        return
    found = BeautifulSoup(root.read_text(encoding="utf-8"), "html.parser")
    target = found.select_one("meta[content*='url=']")["content"].partition("url=")[2]
    root.write_text(entrance(titles[site / target], target), encoding="utf-8")


def own(page, address):
    """Find the file that a page's relative address names."""
    return Path(os.path.normpath(page.parent / address.partition("?")[0]))


def sheets(soup, page):
    """List a page's style sheets in their order."""
    return [own(page, link["href"]) for link in soup.select("link[rel=stylesheet]")]


def one_sheet(site, finished):
    """Write one style sheet with the rules that some page uses; return its path."""
    paths = dict.fromkeys(path for one in finished for path in one.sheets)
    scripts = dict.fromkeys(path for one in finished for path in one.scripts)
    request = {
        "css": "\n".join(read_css(path, site / "_static") for path in paths),
        "pages": [str(one.page) for one in finished],
        "scripts": [str(path) for path in scripts],
    }
    purged = subprocess.run(
        ["node", HERE / "purge.js"],
        input=json.dumps(request),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    digest = hashlib.sha256(purged.encode()).hexdigest()[:8]
    sheet = site / "_static" / f"site.{digest}.css"
    sheet.write_text(purged, encoding="utf-8")
    return sheet


def read_css(path, folder):
    """Read a style sheet with what it imports, its addresses relative to ``folder``."""

    def move(match):
        target = Path(os.path.normpath(path.parent / match[1].partition("?")[0]))
        return f'url("{Path(os.path.relpath(target, folder)).as_posix()}")'

    text = URL.sub(move, path.read_text(encoding="utf-8"))
    return IMPORT.sub(
        lambda match: read_css(Path(os.path.normpath(path.parent / match[1])), folder),
        text,
    )


def link_sheet(soup, page, sheet):
    """Put the one style sheet in the place of the first of the others."""
    first, *others = soup.select("link[rel=stylesheet]")
    address = Path(os.path.relpath(sheet, page.parent)).as_posix()
    first.attrs = {"rel": "stylesheet", "href": address}
    for link in others:
        link.decompose()


def begin_early(soup, page, site):
    """Choose the theme and fetch the fonts before anything is drawn.

    What changes its look late moves what stands around it. A script asks for the fonts,
    because a page opened as a file may not ask ahead.
    """
    vendor = Path(os.path.relpath(site / "_static" / "vendor", page.parent)).as_posix()
    used = [f"{vendor}/{FONTS[kind]}" for kind in FONTS if soup.select_one(kind)]
    script = soup.new_tag("script")
    script.string = EARLY.replace("FONTS", json.dumps(used))
    soup.select_one("link[rel=stylesheet]").insert_before(script)


def defer_scripts(soup, page):
    """Let scripts wait until the page is there; inline ones find what they ask for."""
    for script in soup.select("script[src]"):
        if "documentation_options" in script["src"]:
            script.string = own(page, script.attrs.pop("src")).read_text("utf-8")
        else:
            script["defer"] = ""
    for link in soup.select("link[rel=preload][as=script]"):
        link.decompose()  # a deferred script needs no head start
    for button in soup.select("[onclick='window.print()']"):
        del button["onclick"]  # site.js listens instead: the policy forbids inline
        button["data-print"] = ""


def size_images(soup, page):
    """Say how large a picture will be, so that nothing moves when it comes."""
    for number, image in enumerate(soup.select("img[src]")):
        if number >= EAGER:
            image["loading"] = "lazy"
        path = own(page, image["src"])
        if path.suffix == ".svg" and path.is_file() and not image.get("height"):
            width, height = svg_size(path.read_text(encoding="utf-8"))
            image["width"], image["height"] = round(width), round(height)


def fold_outputs(soup):
    """Fold outputs that are too long to be read in passing; a click shows them."""
    for output in soup.select("div.cell_output div.highlight"):
        lines = output.get_text().rstrip().count("\n") + 1
        if lines > LONG:
            fold = output.wrap(soup.new_tag("details", attrs={"class": "folded"}))
            summary = soup.new_tag("summary")
            summary.string = f"Output of {lines} lines"
            fold.insert(0, summary)


def strip_plain_code(soup):
    """Take the marks off code that has the colour of plain text anyway: half of it."""
    for span in soup.select("div.highlight span:is(.n, .nn, .p, .w)"):
        span.unwrap()


def svg_size(text):
    """Read the size of a drawing in pixels, from its size or else its view box."""
    attributes = dict(ATTRIBUTE.findall(text[text.index("<svg") :].partition(">")[0]))
    found = [LENGTH.fullmatch(attributes.get(side, "")) for side in ("width", "height")]
    if all(found):
        return [float(match[1]) * POINTS[match[2]] for match in found]
    return [float(number) for number in attributes["viewBox"].split()[2:]]


def allow_only_own(soup):
    """Forbid what the site must not need: other hosts, and scripts not known here."""
    inline = [
        script.string or ""
        for script in soup.select("script:not([src])")
        if script.get("type", "text/javascript") == "text/javascript"
    ]
    digests = [hashlib.sha256(text.encode()).digest() for text in dict.fromkeys(inline)]
    hashes = " ".join(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests)
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'self'; connect-src 'self'; "
        "img-src 'self' data:; font-src 'self' data:; manifest-src 'self'; "
        f"style-src 'self' 'unsafe-inline'; script-src 'self' {hashes}"
    )
    meta = soup.new_tag("meta", content=policy)
    meta["http-equiv"] = "Content-Security-Policy"
    soup.head.select_one("meta[charset]").insert_after(meta)


def shrink(folder, codes):
    """Cut the fonts in a folder down to the characters written with them."""
    for font in folder.rglob("*.woff2"):
        # Hints are for the coarse screens of long ago, and a quarter of a font.
        options = subset.Options(flavor="woff2", notdef_outline=True, hinting=False)
        loaded = subset.load_font(font, options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=codes)
        subsetter.subset(loaded)
        subset.save_font(loaded, font, options)
