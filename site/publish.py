"""Turn Sphinx's output into the published site: self-hosted, checked, swapped in."""

import json
import multiprocessing
import os
import re
import shutil
from pathlib import Path

from bs4 import BeautifulSoup
from finish import finish

from selfattention import views

# The theme loads half a megabyte of icons as a script; its web fonts hold them, too.
ICON_SCRIPT = re.compile(r'<script src="[^"]*scripts/fontawesome\.js[^"]*"></script>')
# Each view of bertviz brings its libraries along; the site has them once.
LIBRARIES = re.compile(f"{views.BEGIN}.*?{views.END}", re.DOTALL)
# They are large, and a view takes long to draw: a page waits with both until a reader
# comes near the view, or prints.
AT_ONCE = 'document.addEventListener("DOMContentLoaded", start);'
NEAR = """{
    const box = document.currentScript.parentElement;
    const load = (src) => new Promise((done, failed) => {
      const made = Object.assign(document.createElement("script"), { src });
      made.onload = done;
      made.onerror = failed;
      document.head.append(made);
    });
    let near;
    const draw = () => {
      near.disconnect();
      window.removeEventListener("beforeprint", draw);
      window.bookLibraries ??= Promise.all(ADDRESSES.map(load));
      window.bookLibraries.then(start);
    };
    const look = (seen) => seen.some((one) => one.isIntersecting) && draw();
    near = new IntersectionObserver(look, { rootMargin: "100%" });
    near.observe(box);
    window.addEventListener("beforeprint", draw);
  }"""

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
    """Take out what a page need not load, or not at once."""
    text = LIBRARIES.sub("", ICON_SCRIPT.sub("", text))
    vendor = Path(os.path.relpath(site / "_static" / "vendor", page.parent)).as_posix()
    addresses = json.dumps([f"{vendor}/{name}.js" for name in views.LIBRARIES])
    return text.replace(AT_ONCE, NEAR.replace("ADDRESSES", addresses))


def foreign_assets(site):
    """List what pages and style sheets would load from other hosts."""
    paths = [path for path in sorted(site.rglob("*")) if path.suffix in LOADERS]
    with multiprocessing.get_context("fork").Pool() as pool:
        found = pool.map(foreign_in, paths)
    return [
        f"{path.relative_to(site).as_posix()}: {address}"
        for path, addresses in zip(paths, found, strict=True)
        for address in addresses
    ]


def foreign_in(path):
    """List the foreign addresses that a page or a style sheet loads."""
    text = path.read_text(encoding="utf-8")
    return list(LOADERS[path.suffix](text))


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


LOADERS = {".html": foreign_in_html, ".css": CSS_FOREIGN.findall}


def swap(waiting, site):
    """Put a finished site in the place of the one before it."""
    previous = site.with_name(site.name + ".previous")
    shutil.rmtree(previous, ignore_errors=True)
    if site.exists():
        site.rename(previous)
    waiting.rename(site)
    shutil.rmtree(previous, ignore_errors=True)
