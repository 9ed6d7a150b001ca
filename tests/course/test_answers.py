"""The bank of wrong answers: every one of them has to lose points."""

import ast
import re

import pytest
from answers import answer_with, bank, outcomes_of
from assign import CourseError, own
from build import ROOT
from exercises import exercises, parts

import chapters

CHAPTERS = list(own(ROOT))


@pytest.fixture(scope="session")
def found():
    """What every answer in the book got; each chapter is executed once."""
    return outcomes_of(CHAPTERS)


def outcomes(found, chapter, who):
    several = [one for one in found[chapter] if one.who.startswith(who)]
    assert several
    return several


def read(name):
    return chapters.read(ROOT / "chapters" / f"{name}.md")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_books_own_answers_get_all_points(found, chapter):
    for one in outcomes(found, chapter, "book"):
        assert one.score == one.points, one


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_blank_answers_get_none(found, chapter):
    for one in outcomes(found, chapter, "blank"):
        assert one.score == 0, one


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_wrong_answers_lose_points(found, chapter):
    for one in outcomes(found, chapter, "wrong"):
        assert one.score < one.points, one


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_hidden_tests_catch_what_visible_ones_let_pass(found, chapter):
    for exercise in exercises(read(chapter)):
        if not exercise.written:
            passed = [
                one
                for one in outcomes(found, chapter, "wrong")
                if one.label == exercise.label and one.visible == one.points
            ]
            assert passed, f"{exercise.label}: no wrong answer passes the visible tests"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_three_wrong_answers_and_two_hidden_tests_for_each_exercise(chapter):
    wrong = bank(chapter)
    hidden = dict.fromkeys(wrong, 0)
    for part in parts(read(chapter)):
        if part.kind == "test":
            region = re.search(r"# BEGIN HIDDEN(.*)# END HIDDEN", part.source, re.S)
            hidden[part.exercise.label] += len(asserts(f"#{region[1]}"))
    coded = [one.label for one in exercises(read(chapter)) if not one.written]
    assert sorted(wrong) == sorted(coded)
    for label in coded:
        assert len(wrong[label]) >= 3, label
        assert hidden[label] >= 2, label


def asserts(source):
    return [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assert | ast.Raise)
    ]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_minutes_goal_and_points_of_each_exercise(chapter):
    found = exercises(read(chapter))
    for one in found:
        assert one.minutes, one
        assert len(one.goal) > 20, one
        assert one.points, one
    allowed = re.search(r"and\s+(\d+)\s+more\s+for\s+the\s+exercises", text_of(chapter))
    assert int(allowed[1]) == sum(one.minutes for one in found)


def text_of(chapter):
    return (ROOT / "chapters" / f"{chapter}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_cells_that_feed_sentences_feed_nothing_else(chapter):
    """What they define is neither on the page nor in an assignment."""
    fed = set()
    for part in parts(read(chapter)):
        if part.cell is None:
            continue
        nodes = list(ast.walk(ast.parse(part.source)))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        stored = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        handed = {node.arg for node in nodes if isinstance(node, ast.arg)}
        if part.kind == "glue":
            fed |= stored
        else:
            used = {n.id for n in names if isinstance(n.ctx, ast.Load)} - stored
            assert not (used - handed) & fed, part.source
            fed -= stored


def test_an_answer_takes_the_place_of_the_cell_that_defines_its_names():
    own = ["def one():\n    return 1", "def two():\n    return 2"]
    code = "def two():\n    return 3"
    assert answer_with(own, code, "ex") == [own[0], code]
    with pytest.raises(
        CourseError, match="ex: expected an answer that defines one, two"
    ):
        answer_with(own, "def three():\n    pass", "ex")
    with pytest.raises(CourseError, match="ex: an answer is no Python"):
        answer_with(own, "def two(:", "ex")


def test_a_wrong_answer_comes_with_its_misconception(overlay):
    folder = overlay / "wrong_answers"
    folder.mkdir(exist_ok=True)
    text = "# Wrong\n\n## ex-double\n\nSquared.\n\n```python\na = 1\n```\n"
    (folder / "words.md").write_text(text)
    (one,) = bank("words", overlay)["ex-double"]
    assert (one.why, one.code) == ("Squared.", "a = 1\n")
    (folder / "words.md").write_text(text.replace("Squared.\n", ""))
    with pytest.raises(CourseError, match="ex-double has an answer without its misc"):
        bank("words", overlay)


def test_the_bank_names_no_exercise_that_is_not_there(overlay):
    path = overlay / "wrong_answers" / "tiny.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("## ex-typo\n\nWhy.\n\n```python\na = 1\n```\n")
    with pytest.raises(CourseError, match="wrong answers to ex-typo: no such exercise"):
        outcomes_of(["tiny"], overlay)
    path.unlink()
