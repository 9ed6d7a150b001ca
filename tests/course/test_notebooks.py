"""Chapters as plain notebooks: nothing of MyST is left, and they run."""

import os
import re

import nbformat
import pytest
from build import ROOT
from nbclient import NotebookClient
from notebooks import write_notebooks
from plain import Book, PlainError
from reading import CHAPTERS, soup
from traitlets.config import Config

RAW = re.compile(r"\{[\w:-]+\}`|^(`{3,}|:{3,})\{|^\([\w-]+\)=$|^% |^\$\$ \(", re.M)


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    write_notebooks(ROOT, folder)
    return {
        path.stem: nbformat.read(path, as_version=4) for path in folder.glob("*.ipynb")
    }


@pytest.fixture(scope="module")
def book():
    return Book(ROOT)


@pytest.fixture(scope="module")
def linked():
    return Book(ROOT, "https://book.example/")


def prose(notebook):
    return "\n\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_markup_is_left(notebooks, chapter):
    assert not RAW.findall(prose(notebooks[chapter]))
    code = "\n".join(
        c.source for c in notebooks[chapter].cells if c.cell_type == "code"
    )
    assert "glue(" not in code
    assert "HIDDEN" not in code


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_numbers_of_figures_and_exercises_are_those_of_the_site(notebooks, chapter):
    kept = re.findall(
        r"^(?:\*\*|### )(?:Figure|Exercise) (\d+)", prose(notebooks[chapter]), re.M
    )
    captions = soup(chapter).select("article .caption-number")
    site = [
        re.findall(r"(?:Fig\.|Exercise)\s(\d+)", one.get_text()) for one in captions
    ]
    assert sorted(kept) == sorted(number for numbers in site for number in numbers)


def test_a_notebook_runs_in_plain_jupyter(notebooks, tmp_path):
    notebook = notebooks["circle"]
    for cell in notebook.cells:
        cell.pop("outputs", None) if cell.cell_type != "code" else cell.outputs.clear()
    settings = {"KernelManager": {"transport": "ipc", "ip": f"{tmp_path}/kernel"}}
    os.environ["JUPYTER_RUNTIME_DIR"] = str(tmp_path)
    NotebookClient(notebook, config=Config(settings)).execute()
    assert any(c.outputs for c in notebook.cells if c.cell_type == "code")


@pytest.mark.parametrize(
    ("myst", "plain"),
    [
        ("(here)=\n## Title", "## Title"),
        ("See {ref}`circle`.", "See *A toy embedding on a circle*."),
        ("See {ref}`the toy <circle>`.", "See the toy."),
        ("{numref}`fig-circle` shows", "Figure 4 shows"),
        ("by {eq}`eq-skip-gram`", "by (1)"),
        ("a {term}`query`, {term}`keys <key>`", "a query, keys"),
        ("{cite:t}`vaswani2017` built", "Vaswani et al. (2017) built"),
        (
            "old {cite:p}`boyd2004,steele2004`",
            "old (Boyd and Vandenberghe, 2004; Steele, 2004)",
        ),
        ("{glue:text}`share:.0%` of {glue:text}`name`", "25% of it"),
        ("`{ref}` and ``{cite:t}`x` `` stay", "`{ref}` and ``{cite:t}`x` `` stay"),
        (":::{tip}\nRead {ref}`it <circle>`.\n:::", "> **Tip**\n>\n> Read it."),
        ("$$\na\n$$ (eq-rnn)", "$$\na\n\\tag{2}\n$$"),
        ("```python\n{ref}`x`\n```", "```python\n{ref}`x`\n```"),
        ("% a comment\ntext", "text"),
        (
            "```{list-table}\n:header-rows: 1\n\n* - A\n  - B\n* - 1\n  -\n```",
            "| A | B |\n|---|---|\n| 1 |  |",
        ),
    ],
)
def test_plain_form(book, myst, plain):
    assert book.plain(myst, {"share": "0.25", "name": "'it'"}) == plain


def test_links_lead_to_the_site_where_its_address_is_known(linked):
    site = "https://book.example/chapters"
    assert (
        linked.plain("{numref}`fig-circle`")
        == f"[Figure 4]({site}/circle.html#fig-circle)"
    )
    assert linked.plain("{cite:t}`boyd2004`") == (
        f"[Boyd and Vandenberghe (2004)]({site}/bibliography.html)"
    )
    assert linked.plain("{term}`keys <key>`") == f"[keys]({site}/glossary.html)"


@pytest.mark.parametrize(
    ("myst", "message"),
    [
        ("{ref}`nowhere`", "nothing has the label 'nowhere'"),
        ("{cite:t}`nobody1999`", "references.bib has no 'nobody1999'"),
        ("{glue:text}`nothing`", "no cell has glued 'nothing'"),
        ("{kbd}`x`", "the role {kbd} has no plain form"),
        ("```{video} x\n```", "the directive {video} has no plain form"),
        ("```{tip}\nx", "is never closed"),
    ],
)
def test_what_has_no_plain_form_is_refused(book, myst, message):
    with pytest.raises(PlainError, match=re.escape(message)):
        book.plain(myst)
