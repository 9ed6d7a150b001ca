"""What `make book` promises, on a book of two pages: what runs, and what fails how."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import urllib.parse

import jupytext
import nbformat
import pytest
from bs4 import BeautifulSoup
from build import ROOT
from execute import join_streams

from chapters import notebooks

CHAPTER = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
# {title}

{prose}

```{{code-cell}}
print({number})
```

```{{exercise-start}} Double
:label: ex-{title}
```
Double it.
```{{exercise-end}}
```

````{{solution-start}} ex-{title}
:class: dropdown
````

```{{code-cell}}
:tags: [solution]
# BEGIN SOLUTION
double = 2 * {number}
# END SOLUTION
print("the double is", double)
```

Because twice is double.

```{{code-cell}}
print("a demonstration")
```

````{{solution-end}}
````

```{{code-cell}}
:tags: [test]
:points: 2
assert double
# BEGIN HIDDEN TESTS
print("hidden from readers")
# END HIDDEN TESTS
```
"""


def write(book, title, prose="Some prose.", number="1 + 1"):
    text = CHAPTER.format(title=title, prose=prose, number=number)
    (book / "chapters" / f"{title}.md").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def first_build(tmp_path_factory):
    """A small book that was built once, with the real build code and configuration."""
    book = tmp_path_factory.mktemp("small") / "book"
    book.mkdir()
    skip = shutil.ignore_patterns("node_modules", "__pycache__")
    shutil.copytree(ROOT / "site", book / "site", ignore=skip)
    shutil.copytree(ROOT / "images", book / "images")
    (book / "site" / "node_modules").symlink_to(ROOT / "site" / "node_modules")
    for name in ("_config.yml", "requirements.txt", "references.bib"):
        shutil.copy(ROOT / name, book / name)
    (book / "selfattention").mkdir()
    (book / "selfattention" / "dummy.py").write_text("ONE = 1\n")
    (book / "_toc.yml").write_text(
        "format: jb-book\nroot: chapters/one\nchapters:\n- file: chapters/two\n"
    )
    (book / "chapters").mkdir()
    write(book, "one")
    write(book, "two")
    return book, build(book)


@pytest.fixture
def book(first_build, tmp_path):
    """A copy of the book that was built: each test may change its own."""
    copy = tmp_path / "book"
    shutil.copytree(first_build[0], copy, symlinks=True)
    return copy


def build(book, *arguments, repository=None):
    command = [sys.executable, book / "site" / "build.py", *arguments]
    known = {"GITHUB_REPOSITORY": repository} if repository else {}
    unknown = {key: os.environ[key] for key in os.environ if "GITHUB" not in key}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=unknown | known
    )


def ran(result):
    """Which chapters a build says it executed."""
    lines = [line.split(":") for line in result.stdout.splitlines() if " MB" in line]
    return sorted(line[0].strip() for line in lines)


def test_first_build_executes_everything_and_says_where_the_book_is(first_build):
    book, result = first_build
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == ["one", "two"]
    assert f"{book}/_build/html/index.html" in result.stdout
    assert (book / "_build" / "html" / "chapters" / "two.html").is_file()


def test_site_offers_executed_notebooks(first_build):
    sources = first_build[0] / "_build" / "html" / "_sources" / "chapters"
    notebook = nbformat.read(sources / "one.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].outputs[0].text == "2\n"
    text = json.dumps(notebook)
    assert "HIDDEN" not in text
    # They are in the form that needs nothing but Jupyter.
    assert "#### Solution" in text
    assert "solution-start" not in text


def test_launch_button_opens_the_chapter_where_the_repository_is_known(book):
    page = book / "_build" / "html" / "chapters" / "two.html"
    assert "mybinder" not in page.read_text(encoding="utf-8")
    result = build(book, repository="some/book")
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == []
    html = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    (button,) = html.select("a[href*=mybinder]")
    assert button["href"].endswith(
        "/v2/gh/some/book/HEAD?urlpath=lab/tree/chapters/two.md"
    )
    assert "Binder" in button["title"]


def test_changed_prose_executes_nothing(book):
    write(book, "one", prose="Another sentence.")
    result = build(book)
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == []
    page = book / "_build" / "html" / "chapters" / "one.html"
    assert "Another sentence." in page.read_text(encoding="utf-8")
    notebook = book / "_build" / "html" / "_sources" / "chapters" / "one.ipynb"
    assert "Another sentence." in notebook.read_text(encoding="utf-8")


def test_what_is_printed_piece_by_piece_is_joined():
    pieces = [("stdout", "largest:"), ("stdout", " True\n"), ("stderr", "a warning")]
    outputs = [nbformat.v4.new_output("stream", name=n, text=t) for n, t in pieces]
    outputs.append(nbformat.v4.new_output("display_data", {"text/plain": "x"}))
    outputs.append(nbformat.v4.new_output("stream", name="stdout", text="more"))
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("", outputs=outputs)]
    )
    join_streams(notebook)
    said = [output.get("text") for output in notebook.cells[0].outputs]
    assert said == ["largest: True\n", "a warning", None, "more"]


def test_changed_style_reaches_the_site(book):
    assert build(book).returncode == 0  # a copy is rendered anew, whatever has changed
    with (book / "site" / "static" / "book.css").open("a") as sheet:
        sheet.write("\np { color: #123456; }\n")
    result = build(book)
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == []
    (sheet,) = (book / "_build" / "html" / "_static").glob("site.*.css")
    assert "#123456" in sheet.read_text(encoding="utf-8")


def test_changed_cell_executes_its_chapter(book):
    write(book, "two", number="40 + 2")
    result = build(book)
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == ["two"]
    page = book / "_build" / "html" / "chapters" / "two.html"
    assert ">42\n<" in page.read_text(encoding="utf-8")


def test_changed_package_executes_everything(book):
    (book / "selfattention" / "dummy.py").write_text("ONE = 2\n")
    result = build(book)
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == ["one", "two"]


def test_fresh_executes_everything(book):
    result = build(book, "--fresh")
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == ["one", "two"]


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_failing_cell_is_named_and_leaves_the_site_alone(book):
    before = snapshot(book / "_build" / "html")
    write(book, "one", number="1 / 0")
    write(book, "two", number="7")
    result = build(book)
    assert result.returncode != 0
    assert "chapters/one.md, cell 1 (line" in result.stderr
    assert "ZeroDivisionError: division by zero" in result.stderr
    assert "print(1 / 0)" in result.stderr
    assert snapshot(book / "_build" / "html") == before
    # The other chapter was kept: once the fault is mended, only that one runs.
    write(book, "one", number="3")
    mended = build(book)
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert ran(mended) == ["one"]


def test_failing_first_build_leaves_no_site(book):
    shutil.rmtree(book / "_build")
    write(book, "one", number="1 / 0")
    assert build(book).returncode != 0
    assert not (book / "_build" / "html").exists()


def test_hidden_tests_are_executed(book):
    path = book / "chapters" / "one.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('print("hidden from readers")', "assert double == 5"))
    result = build(book)
    assert result.returncode != 0
    assert "chapters/one.md, cell 4" in result.stderr
    assert "AssertionError" in result.stderr


@pytest.mark.parametrize(
    ("prose", "complaint"),
    [
        ("See {ref}`nowhere`.", "nowhere"),
        ("# BEGIN HIDDEN TESTS", "chapters/one.md, line 32: unexpected"),
        ("[a page](missing.md)", "missing"),
        (r"$\frac{1}$", "is faulty"),
        ("{kbd}`x`", "chapters/one.md as a plain notebook: the role {kbd}"),
    ],
)
def test_faulty_page_fails_the_build(book, prose, complaint):
    before = snapshot(book / "_build" / "html")
    write(book, "one", prose=prose)
    result = build(book)
    assert result.returncode != 0
    assert complaint in result.stderr
    assert snapshot(book / "_build" / "html") == before


def test_output_on_stderr_fails_the_build(book):
    write(book, "one", number='__import__("sys").stderr.write("a warning")')
    result = build(book)
    assert result.returncode != 0
    assert "stderr was found in the cell outputs" in result.stderr


def test_asset_from_another_host_fails_the_build(book):
    before = snapshot(book / "_build" / "html")
    address = urllib.parse.urlunsplit(("https", "elsewhere.example", "/x.js", "", ""))
    write(book, "one", prose=f'```{{raw}} html\n<script src="{address}"></script>\n```')
    result = build(book)
    assert result.returncode != 0
    assert f"chapters/one.html: {address}" in result.stderr
    assert snapshot(book / "_build" / "html") == before


def test_missing_page_is_named(book):
    (book / "chapters" / "two.md").unlink()
    result = build(book)
    assert result.returncode != 0
    assert "there is no chapters/two.md" in result.stderr


def settings(book, old, new):
    path = book / "_config.yml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def everything_in(site):
    files = [
        path
        for path in site.rglob("*")
        if path.suffix in (".html", ".ipynb", ".js", ".md")
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_withheld_solution_is_executed_and_nowhere_on_the_site(book):
    settings(book, "withheld_solutions: []", "withheld_solutions: [ex-one]")
    result = build(book)
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == []
    site = book / "_build" / "html"
    for part in (site / "chapters" / "one.html", site / "_sources" / "chapters"):
        assert part.exists()
    one = "".join(
        path.read_text(encoding="utf-8")
        for path in site.rglob("one.*")
        if path.is_file()
    )
    for secret in ("2 * 1 + 1", "the double is", "twice is double", "demonstration"):
        assert secret not in one, secret
    assert "raise NotImplementedError" in one
    assert "is not published" in one
    assert "twice is double" in everything_in(site)  # that of the other page
    assert "demonstration" in everything_in(site)


def test_withheld_solution_has_to_pass_its_tests(book):
    settings(book, "withheld_solutions: []", "withheld_solutions: [ex-one]")
    write(book, "one", number="0")
    result = build(book)
    assert result.returncode != 0
    assert "AssertionError" in result.stderr


def test_withheld_solutions_are_those_of_exercises(book):
    settings(book, "withheld_solutions: []", "withheld_solutions: [ex-typo]")
    result = build(book)
    assert result.returncode != 0
    assert "there is no ex-typo; expected some of ex-one, ex-two" in result.stderr


def test_instructors_are_shown_everything(book):
    settings(book, "withheld_solutions: []", "withheld_solutions: [ex-one]")
    before = snapshot(book / "_build" / "html")
    result = build(book, "--instructor")
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == []
    page = (book / "_build" / "instructor" / "chapters" / "one.html").read_text()
    for shown in ("BEGIN HIDDEN TESTS", "hidden from readers", "twice is double"):
        assert shown in page
    assert snapshot(book / "_build" / "html") == before


def test_table_of_the_exercises(book):
    path = book / "chapters" / "two.md"
    text = path.read_text(encoding="utf-8").replace(
        "Double it.", "% minutes: 17\n% goal: double a number\n\nDouble it."
    )
    path.write_text(text + "\n```{exercise-table}\n```\n", encoding="utf-8")
    result = build(book)
    assert result.returncode == 0, result.stdout + result.stderr
    page = (book / "_build" / "html" / "chapters" / "two.html").read_text()
    assert "double a number" in page
    assert ">17<" in page
    assert "% minutes" not in page


def test_new_chapter_of_the_guide_is_built(book):
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = guide.split("`chapters/new.md`")[1].split("\n2. ")[0]
    skeleton = textwrap.dedent(block[block.index("        ---") :])
    (book / "chapters" / "new.md").write_text(skeleton, encoding="utf-8")
    with (book / "_toc.yml").open("a") as toc:
        toc.write("- file: chapters/new\n")
    result = build(book)
    assert result.returncode == 0, result.stdout + result.stderr
    assert ran(result) == ["new"]
    page = book / "_build" / "html" / "chapters" / "new.html"
    assert "What you will be able to do" in page.read_text(encoding="utf-8")
    assert ">2\n<" in page.read_text(encoding="utf-8")


def test_saving_a_chapter_in_jupyterlab_keeps_its_text_and_cells():
    for path in notebooks(ROOT):
        before = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")
        saved = jupytext.writes(before, fmt="md:myst")
        after = jupytext.reads(saved, fmt="md:myst")
        for old, new in zip(before.cells, after.cells, strict=True):
            assert (old.cell_type, old.source) == (new.cell_type, new.source)
            assert old.metadata == new.metadata
