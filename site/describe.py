"""What search engines and previews are told about a page."""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from markupsafe import escape

import chapters

LONGEST = 200
PICTURE = "_static/page.png"


def describe(app, pagename, templatename, context, doctree):
    """Add a description and, where the site's address is known, what needs it."""
    book = app.config.project
    title = context.get("title", pagename) if pagename != app.config.root_doc else book
    text = summary(doctree) if doctree else f"{plain(title).capitalize()} – {book}"
    tags = [f'<meta name="description" content="{escape(text)}"/>']
    tags += [
        f'<meta property="og:{name}" content="{escape(value)}"/>'
        for name, value in (
            ("type", "article" if doctree else "website"),
            ("site_name", app.config.project),
            ("title", plain(title)),
            ("description", text),
        )
    ]
    if home := app.config.html_baseurl:
        address = f"{home}{pagename}.html"
        tags.append(f'<meta property="og:url" content="{address}"/>')
        tags.append(f'<meta property="og:image" content="{home}{PICTURE}"/>')
    if doctree:
        data = json.dumps(structured(app, pagename, plain(title), text))
        tags.append(f'<script type="application/ld+json">{data}</script>')
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)


def summary(doctree):
    """Say in a sentence or two what a page is about: its goals, or its first words."""
    boxes = doctree.findall(nodes.admonition)
    goals = next((box for box in boxes if "goals" in box["classes"]), doctree)
    paragraphs = goals.findall(nodes.paragraph)
    text = " ".join(next(paragraphs, nodes.paragraph()).astext().split())
    text = re.sub(r"\\sqrt\{(.*?)\}", r"√\1", text)
    text = re.sub(r"\s*Allow \d+ minutes.*", "", text)
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:–") + " …"


def plain(title):
    """Strip the markup from a title."""
    return re.sub(r"<[^>]+>", "", title)


def structured(app, pagename, title, text):
    """Describe the book, or a chapter as part of it, in the words of schema.org."""
    home = app.config.html_baseurl
    book = {
        "@context": "https://schema.org",
        "@type": "Book",
        "name": app.config.project,
        "author": {"@type": "Organization", "name": app.config.author},
        "inLanguage": "en",
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "bookFormat": "https://schema.org/EBook",
        "isAccessibleForFree": True,
    }
    if home:
        book["url"] = home
    if pagename == app.config.root_doc:
        return book | {"description": text}
    chapter = {"@context": book.pop("@context"), "@type": "Chapter", "name": title}
    chapter |= {"description": text, "inLanguage": "en", "isPartOf": book}
    if home:
        chapter["url"] = f"{home}{pagename}.html"
    return chapter


def list_pages(app, exception):
    """Write what helps to find pages: a site map, and a page for wrong addresses."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    home = app.config.html_baseurl
    if home:
        shutil.copyfile(Path(app.srcdir, "images", Path(PICTURE).name), out / PICTURE)
        entries = "".join(
            f"<url><loc>{home}{name}.html</loc></url>\n"
            for name in sorted(app.env.found_docs)
        )
        (out / "sitemap.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<urlset '
            f'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n',
            encoding="utf-8",
        )
    # A wrong address may be of any depth, so this page names the others from the root.
    root = urlsplit(home).path if home else "/"
    names = [f"chapters/{path.stem}" for path in chapters.pages(Path(app.srcdir))]
    links = "\n".join(
        f'<li><a href="{root}{name}.html">{escape(title.astext())}</a></li>'
        for name, title in ((name, app.env.titles[name]) for name in names)
    )
    template = (Path(__file__).parent / "404.html").read_text(encoding="utf-8")
    (out / "404.html").write_text(template.replace("LINKS", links), encoding="utf-8")
