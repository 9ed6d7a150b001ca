"""The book's Sphinx extension: what readers may see, and what they may take away."""

import datetime
import functools
import hashlib
import importlib.metadata
import os
from pathlib import Path

import build
import describe
import formulas
import nbformat
import repository
from exercises import exercises, published
from jupyter_cache import get_cache
from notebooks import plain_notebook
from plain import Book, PlainError, authors
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style
from pybtex.style.labels import BaseLabelStyle
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
    app.add_directive("execution-table", ExecutionTable)
    register_plugin("pybtex.style.labels", "author_year", Labels)
    register_plugin("pybtex.style.formatting", "author_year", Bibliography)
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
    """Points, minutes and goal of every exercise, a table for each chapter."""

    def run(self):
        """Return the tables, made from the chapters."""
        lines, root = [], Path(self.env.srcdir)
        for path in chapters.notebooks(root):
            self.env.note_dependency(str(path))
            rows = []
            for exercise in exercises(chapters.read(path)):
                name = f"{{ref}}`{exercise.title} <{exercise.label}>`"
                name += f": {exercise.goal}" if exercise.goal else ""
                points = f"{exercise.points}{' by hand' if exercise.written else ''}"
                rows.append((name, points, exercise.minutes))
            if rows:
                lines += ["~~~{rubric} " + title(root, path), ":heading-level: 2"]
                lines += ["~~~", *table(("Exercise", "Points", "Minutes"), rows)]
        return self.parse_text_to_nodes("\n".join(lines))


class ExecutionTable(SphinxDirective):
    """What executing each page took, when it was last executed."""

    def run(self):
        """Return the table, made from what ``execute.py`` noted in its cache."""
        rows, root = [], Path(self.env.srcdir)
        cache = get_cache(str(build.workshop(root) / "_build" / "written"))
        for path in chapters.notebooks(root):
            self.env.note_dependency(str(path))
            try:
                cost = cache.match_cache_notebook(chapters.read(path)).data
            except KeyError:  # the book is built without execute.py
                rows.append((title(root, path), None, None))
            else:
                seconds = f"{cost['execution_seconds']:.1f}"
                peak = f"{cost['peak_megabytes']:.0f}"
                rows.append((title(root, path), seconds, peak))
        lines = table(("Page", "Seconds", "Peak MB"), rows)
        return self.parse_text_to_nodes("\n".join(lines))


def title(root, path):
    """Return a page's title as a link to it."""
    return f"{{doc}}`/{path.relative_to(root).with_suffix('').as_posix()}`"


def table(headings, rows):
    """Return the lines of a Markdown table; all columns but the first hold numbers."""
    cells = [["–" if c in (None, "") else str(c) for c in row] for row in rows]
    ruler = [":--", *["--:"] * (len(headings) - 1)]
    lines = [" | ".join(row).join(("| ", " |")) for row in (headings, ruler, *cells)]
    return ["", *lines, ""]


class Labels(BaseLabelStyle):
    """Label an entry of the bibliography as the text cites it."""

    def format_labels(self, sorted_entries):
        """Yield authors and year of each entry."""
        for entry in sorted_entries:
            yield f"{authors(entry)}, {entry.fields['year']}"


class Bibliography(Style):
    """The plain style, with such labels."""

    default_label_style = "author_year"


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
