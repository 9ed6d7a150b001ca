"""How a chapter is written: its parts, its cells, and one definition for one name."""

import ast
import inspect
import re
from copy import copy

import pytest
import yaml
from build import ROOT
from reading import CHAPTERS, PAGES, cells, executed, soup, source

import selfattention.attention
import selfattention.toys

TAUGHT = {
    name: thing
    for module in (selfattention.attention, selfattention.toys)
    for name, thing in vars(module).items()
    if inspect.getmodule(thing) is module
}


def definitions(name):
    """The functions and classes that a chapter defines at the top of a cell."""
    for cell in cells(name):
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node


def without_docstrings(node):
    """Compare code, not comments: the syntax tree with its docstrings taken out."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.ClassDef | ast.Module) and (
            ast.get_docstring(inner, clean=False) is not None
        ):
            del inner.body[0]
    return ast.dump(node)


def taught():
    return [
        pytest.param(chapter, node, id=f"{chapter}-{node.name}")
        for chapter in CHAPTERS
        for node in definitions(chapter)
        if node.name in TAUGHT
    ]


@pytest.mark.parametrize(("chapter", "node"), taught())
def test_chapter_and_package_define_the_same(chapter, node):
    package = ast.parse(inspect.getsource(TAUGHT[node.name])).body[0]
    assert without_docstrings(node) == without_docstrings(package)


def test_everything_the_package_teaches_is_defined_in_one_chapter():
    shown = [node.values[1].name for node in taught()]
    data = {"journey"}  # numbers, shown as an output where they are introduced
    assert sorted(shown) == sorted(set(TAUGHT) - data)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_cells_are_short_and_narrow(chapter):
    for cell in cells(chapter):
        lines = cell.source.splitlines()
        assert max(map(len, lines)) <= 78, cell.source
        whole = any(isinstance(n, ast.ClassDef) for n in ast.parse(cell.source).body)
        assert len(lines) <= (40 if whole else 22), cell.source


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_only_glue_is_left_out_of_the_page(chapter):
    for cell in cells(chapter):
        if "remove-cell" in cell.metadata.get("tags", []):
            for node in ast.parse(cell.source).body:
                text = ast.unparse(node)
                plain = isinstance(node, ast.Assign) or text.startswith("glue(")
                assert plain or text == "from myst_nb import glue", text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_parts_of_a_chapter(chapter):
    text = source(chapter)
    assert ":class: goals" in text
    assert re.search(r"Allow \d+\s+minutes", text)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[-3] == "Summary"
    assert headings[-2] in ("Exercise", "Exercises")
    assert headings[-1] == "References"
    assert text.count("{exercise-start}") == text.count("{solution-start}") >= 1
    assert "{cite:" in text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_figures_have_name_caption_and_alt_and_are_referred_to(chapter):
    for cell in cells(chapter):
        if "plt.show()" not in cell.source:
            continue
        settings = cell.metadata["mystnb"]
        name = settings["figure"]["name"]
        assert settings["figure"]["caption"]
        assert len(settings["image"]["alt"]) > 40
        assert f"{{numref}}`{name}`" in source(chapter), name


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_cell_was_executed_in_order_and_quietly(chapter):
    ran = [cell for cell in executed(chapter).cells if cell.cell_type == "code"]
    assert len(ran) == len(cells(chapter))
    assert [cell.execution_count for cell in ran] == list(range(1, len(ran) + 1))
    for cell in ran:
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text


def test_every_cell_with_random_numbers_is_seeded():
    drawing = re.compile(
        r"torch\.(rand|randn|randperm|randint)\(|nn\.Linear\(|np\.random"
    )
    for chapter in CHAPTERS:
        seeded = False
        for cell in cells(chapter):
            seeded = seeded or "manual_seed" in cell.source
            defines = cell.source.startswith("class ")
            assert seeded or defines or not drawing.search(cell.source), cell.source


def test_the_table_of_contents_names_every_page():
    there = {path.stem for path in (ROOT / "chapters").glob("*")}
    assert set(PAGES) == there
    assert len(PAGES) == len(set(PAGES))


def test_every_reference_is_cited():
    keys = re.findall(
        r"^@\w+\{(\w+),", (ROOT / "references.bib").read_text(), re.MULTILINE
    )
    cited = {
        key.strip()
        for name in PAGES
        for keys_ in re.findall(r"\{cite:\w+\}`([^`]+)`", source(name))
        for key in keys_.split(",")
    }
    assert set(keys) == cited


def test_every_image_is_used():
    texts = [path.read_text() for path in ROOT.glob("*.md")]
    texts += [(ROOT / "_config.yml").read_text(), *map(source, PAGES)]
    for image in (ROOT / "images").iterdir():
        assert any(image.name in text for text in texts), image.name


def test_versions_are_pinned():
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text().splitlines():
            assert not line or re.fullmatch(r"#.*|-r \S+|[\w.-]+==[\w.]+", line), line


def test_configuration_is_strict():
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    assert config["execute"]["raise_on_error"] is True
    assert config["execute"]["allow_errors"] is False
    assert config["execute"]["stderr_output"] == "error"


@pytest.mark.parametrize("page", PAGES)
def test_no_markup_is_left_over(page):
    article = copy(soup(page).find("article"))  # other tests read the page, too
    for code in article.find_all(["pre", "code"]):
        code.extract()
    for leftover in ("{ref}", "{numref}", "{cite", "{glue", "$$", "```", ":::"):
        assert leftover not in article.get_text(), leftover
