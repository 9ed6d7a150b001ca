"""Turn Sphinx's output into the published site: self-hosted, checked, swapped in."""

import os
import re
import shutil
from pathlib import Path

from bs4 import BeautifulSoup
from finish import finish

from selfattention import views

# The theme loads half a megabyte of icons as a script; its web fonts hold them, too.
ICON_SCRIPT = re.compile(r'<script src="[^"]*scripts/fontawesome\.js[^"]*"></script>')
# Each view of bertviz brings its libraries along; on a page one copy serves them all.
LIBRARIES = re.compile(f"{views.BEGIN}.*?{views.END}", re.DOTALL)

LOADING = {
    "script": ["src"],
    "img": ["src", "srcset"],
    "source": ["src", "srcset"],
    "link": ["href"],
    "iframe": ["src"],
    "video": ["src", "poster"],
    "audio": ["src"],
    "object": ["data"],
    "embed": ["src"],
}
LINKS_ONLY = {"canonical", "license", "author", "next", "prev", "search", "index"}
FOREIGN = re.compile(r"^\s*(https?:)?//", re.IGNORECASE)
CSS_FOREIGN = re.compile(
    r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE
)
SCRIPT_FOREIGN = re.compile(
    r"""["'](?:https?:)?//[^"'\s]+?(?:\.m?js|\.css|\.woff2?|\.min|/esm|/npm/[^"']+)["']"""
)


class NotSelfHosted(Exception):
    """A page or style sheet loads something from another host."""


def publish(rendered, site):
    """Publish Sphinx's output.

    Args:
        rendered: the folder that Sphinx wrote; it is left as it is.
        site: the folder readers get. It is replaced as a whole, at the end.

    Raises:
        NotSelfHosted: something would be loaded from elsewhere; ``site`` is untouched.
    """
    waiting = site.with_name(site.name + ".next")
    shutil.rmtree(waiting, ignore_errors=True)
    shutil.copytree(rendered, waiting, ignore=shutil.ignore_patterns(".buildinfo"))
    for page in waiting.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(rewrite(text, page, waiting), encoding="utf-8")
    finish(waiting)
    foreign = foreign_assets(waiting)
    if foreign:
        raise NotSelfHosted("loaded from other hosts:\n  " + "\n  ".join(foreign))
    swap(waiting, site)


def rewrite(text, page, site):
    """Take out what a page need not load, and share what it holds several times."""
    text = ICON_SCRIPT.sub("", text)
    vendor = Path(os.path.relpath(site / "_static" / "vendor", page.parent)).as_posix()
    shared = [f'<script src="{vendor}/{name}.js"></script>' for name in views.LIBRARIES]
    text = LIBRARIES.sub("\n".join(shared), text, count=1)
    return LIBRARIES.sub("", text)


def foreign_assets(site):
    """List what pages and style sheets would load from other hosts."""
    found = []
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if path.suffix == ".html":
            text = path.read_text(encoding="utf-8")
            found += [f"{name}: {address}" for address in foreign_in_html(text)]
        elif path.suffix == ".css":
            text = path.read_text(encoding="utf-8")
            found += [f"{name}: {address}" for address in CSS_FOREIGN.findall(text)]
    return found


def foreign_in_html(text):
    """Yield the foreign addresses that a page loads; plain links do not count."""
    soup = BeautifulSoup(text, "html.parser")
    for tag in soup.find_all(list(LOADING)):
        if tag.name == "link" and LINKS_ONLY & set(tag.get("rel", [])):
            continue
        for attribute in LOADING[tag.name]:
            for address in tag.get(attribute, "").split(","):
                if FOREIGN.match(address):
                    yield address.strip()
    for tag in soup.find_all(style=True):
        yield from CSS_FOREIGN.findall(tag["style"])
    for tag in soup.find_all("style"):
        yield from CSS_FOREIGN.findall(tag.get_text())
    for tag in soup.find_all("script", src=False):
        yield from SCRIPT_FOREIGN.findall(tag.get_text())


def swap(waiting, site):
    """Put a finished site in the place of the one before it."""
    previous = site.with_name(site.name + ".previous")
    shutil.rmtree(previous, ignore_errors=True)
    if site.exists():
        site.rename(previous)
    waiting.rename(site)
    shutil.rmtree(previous, ignore_errors=True)
