"""Reading chapters, as sources, as executed notebooks and as pages."""

import re
from functools import cache

import nbformat
from bs4 import BeautifulSoup
from build import ROOT, workshop

import chapters

WORKSHOP = workshop(ROOT)
CHAPTERS = [path.stem for path in chapters.notebooks(ROOT)]
PAGES = [path.stem for path in chapters.pages(ROOT)]
# Notebooks in which one looks things up: they teach nothing that an exercise could ask
# for, so they have none, and no summary. What holds for cells holds for theirs, too.
LOOKED_UP = {"index", "common_mistakes", "reading_critically", "colophon"}
LESSONS = [name for name in CHAPTERS if name not in LOOKED_UP]


@cache
def source(name):
    """The chapter as written."""
    return (ROOT / "chapters" / f"{name}.md").read_text(encoding="utf-8")


@cache
def cells(name):
    """The code cells of a chapter as written."""
    notebook = chapters.read(ROOT / "chapters" / f"{name}.md")
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@cache
def executed(name):
    """The executed notebook from which page and download were made."""
    path = WORKSHOP / "_build" / "notebooks" / f"{name}.ipynb"
    return nbformat.read(path, as_version=4)


@cache
def soup(name):
    """The built page."""
    path = ROOT / "_build" / "html" / "chapters" / f"{name}.html"
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@cache
def text(name):
    """What a reader of the built page sees, with single spaces."""
    article = soup(name).find("article")
    return re.sub(r"\s+", " ", article.get_text(" "))


@cache
def outputs(name):
    """Everything that the cells of the built page printed, with single spaces."""
    found = soup(name).select("article .cell_output pre")
    return re.sub(r"\s+", " ", " ".join(pre.get_text() for pre in found))


@cache
def glued(name):
    """What the chapter's cells put into its sentences, by name."""
    kind = "application/papermill.record/text/plain"
    outputs = [
        output
        for cell in executed(name).cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]
    return {out.metadata["scrapbook"]["name"]: out.data[kind] for out in outputs}
