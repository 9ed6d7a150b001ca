"""The book's Sphinx extension: what readers may see, and what they may take away."""

import datetime
import functools
import hashlib
import importlib.metadata
import os
from pathlib import Path

import describe
import formulas
import nbformat
import repository
from exercises import exercises, published
from notebooks import plain_notebook
from plain import Book, PlainError
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxDirective
from sphinxcontrib import katex

import chapters


def setup(app):
    """Register the hooks."""
    katex.render_latex = formulas.render
    app.add_config_value("withheld_solutions", [], "env")
    app.add_config_value("edition", os.environ.get("BOOK_EDITION", "readers"), "env")
    app.add_directive("exercise-table", ExerciseTable)
    # Sphinx renders every page again when one of these values changes.
    app.add_config_value("book_repository", None, "html")
    app.add_config_value("book_static", digest("static/*"), "html")
    app.connect("config-inited", find_repository)
    app.connect("source-read", hide)
    app.connect("html-page-context", offer_notebook, priority=400)
    app.connect("html-page-context", title_once)
    app.connect("html-page-context", describe.describe)
    app.connect("html-page-context", offer_binder, priority=600)
    app.connect("build-finished", hide_in_sources)
    app.connect("build-finished", describe.list_pages)
    return {
        "env_version": digest("*.[jp]*"),  # this code: all pages are read again
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def find_repository(app, config):
    """Note where book and site are, and what is built, for links and for the footer."""
    config.book_repository = repository.address(app.srcdir)
    config.html_baseurl = repository.site(app.srcdir)
    config.html_search_scorer = str(Path(__file__).with_name("search.js"))
    version = importlib.metadata.version("selfattention")
    today = datetime.date.today()
    built = f"Version {version}, built on {today.day} {today:%B %Y}"
    if commit := repository.commit(app.srcdir):
        built += f" from commit {commit}"
    config.html_theme_options["extra_footer"] = f"<p>{built}.</p>"


def digest(pattern):
    """Number the files of this folder that fit a pattern, by what is in them."""
    paths = sorted(Path(__file__).parent.glob(pattern))
    found = hashlib.sha256(b"".join(path.read_bytes() for path in paths))
    return int(found.hexdigest()[:12], 16)


def hide(app, docname, source):
    """Take hidden tests and markers out of a page before it is parsed."""
    if app.config.edition == "readers":
        source[0] = published(source[0], app.config.withheld_solutions)


def hide_in_sources(app, exception):
    """Take them out of the sources that the site offers for download, too."""
    if exception is not None or app.builder.format != "html":
        return
    if app.config.edition == "readers":
        for path in Path(app.outdir, "_sources").rglob("*.md"):
            text = path.read_text(encoding="utf-8")
            text = published(text, app.config.withheld_solutions)
            path.write_text(text, encoding="utf-8")


def offer_notebook(app, pagename, templatename, context, doctree):
    """Offer a chapter as an executed notebook in the menu at the top of its page.

    It is in the plain form that any Jupyter shows. The theme would offer the source,
    without outputs, and only where it knows the book's repository. It runs later, at
    the default priority, and makes the menu.
    """
    notebook = Path(app.outdir).parent / "notebooks" / f"{Path(pagename).name}.ipynb"
    if doctree is not None and notebook.is_file():
        book = plain_book(Path(app.srcdir), app.config.html_baseurl)
        try:
            plain = plain_notebook(book, nbformat.read(notebook, as_version=4))
        except PlainError as error:
            raise SphinxError(f"{pagename}.md as a plain notebook: {error}") from error
        name = f"{pagename}.ipynb"
        target = Path(app.outdir, "_sources", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(plain, target)
        context["ipynb_source"] = name


@functools.cache
def plain_book(root, address):
    """Read the labels of the whole book once; links lead below ``address``."""
    return Book(root, address)


def title_once(app, pagename, templatename, context, doctree):
    """Name the front page once: its title is that of the book."""
    if pagename == app.config.root_doc:
        context["docstitle"] = ""


class ExerciseTable(SphinxDirective):
    """Points, minutes and goal of every exercise, in a table made from the chapters."""

    def run(self):
        """Return the table."""
        root = Path(self.env.srcdir)
        rows = [":header-rows: 1", ":class: exercises", "", *row(*HEADINGS)]
        for path in chapters.notebooks(root):
            self.env.note_dependency(str(path))
            for exercise in exercises(chapters.read(path)):
                name = f"{{ref}}`{exercise.title} <{exercise.label}>`"
                points = f"{exercise.points}{' by hand' if exercise.written else ''}"
                rows += row(path.stem, name, points, exercise.minutes, exercise.goal)
        return self.parse_text_to_nodes("\n".join(["```{list-table}", *rows, "```"]))


HEADINGS = ("Chapter", "Exercise", "Points", "Minutes", "You can afterwards")


def row(*cells):
    """Return the lines of a row of a list table."""
    first, *others = (f"- {'–' if cell in (None, '') else cell}" for cell in cells)
    return [f"* {first}", *(f"  {other}" for other in others)]


def offer_binder(app, pagename, templatename, context, doctree):
    """Offer to run a chapter on Binder, where the book's repository is known.

    The theme's own button would copy the notebook over that of ``offer_notebook``.
    """
    known = app.config.book_repository
    if known and context.get("ipynb_source"):
        context["header_buttons"].append(
            {
                "type": "link",
                "url": repository.launch_link(known, f"{pagename}.md"),
                "tooltip": "Run this chapter on Binder",
                "icon": "fas fa-rocket",
                "label": "launch-binder",
            }
        )
