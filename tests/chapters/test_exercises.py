"""Exercises are written once, and what the page hides is nowhere on the site."""

import ast
import html
import re

import pytest
from build import ROOT
from exercises import ExerciseError, exercises, published
from reading import CHAPTERS, LESSONS, cells, source

import chapters

WRITTEN = """\
def answer():
    # BEGIN SOLUTION
    return 42
    # END SOLUTION
assert answer() > 0
# BEGIN HIDDEN TESTS
assert answer() == 42
# END HIDDEN TESTS"""


def test_page_keeps_the_solution_and_the_visible_tests():
    assert published(WRITTEN) == "def answer():\n    return 42\nassert answer() > 0"


def test_text_without_markers_is_left_alone():
    assert published("# BEGIN here\n\nplain\n") == "# BEGIN here\n\nplain\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# BEGIN SOLUTION\nx", "line 1: `# BEGIN SOLUTION` is never closed"),
        ("x\n# END SOLUTION", "line 2: unexpected `# END SOLUTION`"),
        ("# BEGIN SOLUTION\n# BEGIN HIDDEN TESTS", "line 2: unexpected"),
        ("# BEGIN SOLUTION\n# END HIDDEN TESTS", "line 2: `# END HIDDEN TESTS` closes"),
    ],
)
def test_markers_out_of_place_are_refused(text, message):
    with pytest.raises(ExerciseError, match=re.escape(message)):
        published(text)


@pytest.mark.parametrize("chapter", LESSONS)
def test_form_of_an_exercise(chapter):
    tagged = {"solution": [], "test": []}
    for cell in cells(chapter):
        for tag in set(cell.metadata.get("tags", [])) & set(tagged):
            tagged[tag].append(cell)
    assert tagged["solution"]
    assert tagged["test"]
    for cell in tagged["solution"]:
        assert cell.source.count("# BEGIN SOLUTION") == 1
    for cell in tagged["test"]:
        assert int(cell.metadata["points"]) > 0
        assert cell.source.count("# BEGIN HIDDEN TESTS") == 1
        # What is left of the cell is a test, too: nobody is graded in the dark alone.
        assert any(
            isinstance(node, ast.Assert)
            for node in ast.walk(ast.parse(published(cell.source)))
        ) or "AssertionError" in published(cell.source)


def test_there_are_enough_exercises():
    counts = {
        name: len(exercises(chapters.read(ROOT / "chapters" / f"{name}.md")))
        for name in LESSONS
    }
    assert min(counts.values()) >= 4, counts
    assert sum(counts.values()) >= 35, counts


def hidden_lines():
    """Every line of the book's hidden tests that stands nowhere else in its chapter."""
    for chapter in CHAPTERS:
        shown = {line.strip() for line in published(source(chapter)).splitlines()}
        for region in re.findall(
            r"# BEGIN HIDDEN TESTS\n(.*?)\n *# END HIDDEN TESTS",
            source(chapter),
            re.DOTALL,
        ):
            for line in region.splitlines():
                if line.strip() not in shown:
                    yield line.strip()


def test_hidden_tests_and_markers_are_nowhere_on_the_site(site):
    secrets = [*hidden_lines(), "HIDDEN TESTS", "BEGIN SOLUTION", "END SOLUTION"]
    assert len(secrets) > 20
    # Tags and JSON put the same line differently: compare letters and digits only.
    bare = {re.sub(r"\W", "", secret): secret for secret in secrets}
    # A seed gives nothing away, and chapters set many.
    bare = {
        key: secret
        for key, secret in bare.items()
        if len(key) > 10 and not key.startswith("torchmanual_seed")
    }
    files = [
        path
        for path in site.rglob("*")
        if path.suffix in {".html", ".md", ".ipynb", ".js", ".json", ".inv", ".txt"}
    ]
    assert any(path.suffix == ".ipynb" for path in files)
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".html":
            text = html.unescape(re.sub(r"<[^>]+>", "", text))
        text = re.sub(r"\W", "", text.replace("\\n", " "))
        found = [secret for key, secret in bare.items() if key in text]
        assert not found, f"{path.relative_to(ROOT)}: {found}"
