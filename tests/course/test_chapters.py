"""Whole chapters through the real nbgrader, and whether `answers.py` says the same.

`make test` grades one of them; `make test-course` grades all.
"""

import csv
import subprocess
import sys
from itertools import zip_longest

import nbformat
import pytest
from answers import answer_with, bank, outcomes_of
from assign import own, source_notebook, write_course
from build import ROOT
from exercises import exercises
from nbgrader.api import Gradebook
from small_course import cell_of, environment, grade, hand_in, points, released

import chapters

CHAPTERS = list(own(ROOT))
SAMPLE = "circle"
every = [
    pytest.param(name, marks=() if name == SAMPLE else pytest.mark.every_chapter)
    for name in CHAPTERS
]


def answers_in(notebook, label):
    """The cells of a notebook in which an exercise is answered."""
    named = (
        cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in notebook.cells
    )
    return [
        cell_of(notebook, name) for name in named if name.startswith(f"{label}-answer-")
    ]


def wrongly_answered(source, answers):
    """The book's own answers, but for some exercises; ``answers`` maps their labels."""
    notebook = nbformat.from_dict(source)
    for label, code in answers.items():
        cells = answers_in(notebook, label)
        given = answer_with([cell.source for cell in cells], code, label)
        for cell, answer in zip(cells, given, strict=True):
            cell.source = answer
    return notebook


@pytest.mark.parametrize("name", every)
def test_the_books_answers_blank_ones_and_every_wrong_one(tmp_path, name):
    course = tmp_path / "course"
    write_course([name], course)
    source = nbformat.read(course / "source" / name / f"{name}.ipynb", as_version=4)
    hand_in(course, "book", source, name)
    hand_in(course, "blank", released(course, name), name)
    owed = {"book": 0, "blank": 0}
    found = exercises(chapters.read(ROOT / "chapters" / f"{name}.md"))
    owed["book"] = sum(one.points for one in found if not one.written)
    judged = {(one.label, one.who): one for one in outcomes_of([name])[name]}
    # The first wrong answer to every exercise in one notebook, then the second, …
    for number, several in enumerate(zip_longest(*bank(name).values()), start=1):
        wrong = {k: one for k, one in zip(bank(name), several, strict=True) if one}
        got = [judged[label, f"wrong: {one.why}"] for label, one in wrong.items()]
        who = f"wrong-{number}"
        owed[who] = owed["book"] - sum(one.points - one.score for one in got)
        codes = {label: one.code for label, one in wrong.items()}
        hand_in(course, who, wrongly_answered(source, codes), name)
    result = grade(course, name)
    assert result.returncode == 0, result.stdout + result.stderr
    assert points(course, name) == owed
    blank = nbformat.read(course / "autograded" / "blank" / name / f"{name}.ipynb", 4)
    for cell in blank.cells:
        failed = any(o.output_type == "error" for o in cell.get("outputs", []))
        marks = cell.metadata.get("nbgrader", {})
        assert not failed or marks["grade"] or marks["solution"], cell.source


def test_everybody_has_data_of_their_own(tmp_path):
    """An answer that is right for one student is wrong for another."""
    course = tmp_path / "course"
    write_course(["circle"], course)
    ada = released(course, "circle")
    (cell,) = answers_in(ada, "ex-circle-own")
    cell.source = (
        'student = "ada"\nown_temperature = 1e-3\n'
        'while largest_share("ada", own_temperature) > 0.5:\n'
        "    own_temperature *= 1.001"
    )
    hand_in(course, "ada", ada, "circle")
    hand_in(course, "bob", ada, "circle")
    cell.source = cell.source.replace('student = "ada"', 'student = "eve"')
    hand_in(course, "eve", ada, "circle")
    result = grade(course, "circle")
    assert result.returncode == 0, result.stdout + result.stderr
    assert points(course, "circle") == {"ada": 2, "bob": 0, "eve": 0}


def test_grades_as_csv_and_for_canvas(course):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        gradebook.add_student("ada", first_name="Ada", last_name="Lovelace")
        gradebook.add_student("bob")
    notebook = released(course)
    cell_of(notebook, "ex-double-answer-1").source = "def double(x):\n    return 2 * x"
    hand_in(course, "ada", notebook)
    assert grade(course).returncode == 0
    for more in ([], ["--exporter=canvas.CanvasExport"]):
        command = [sys.executable, "-m", "nbgrader", "export", *more]
        subprocess.run(command, cwd=course, env=environment(), check=True)
    rows = list(csv.DictReader((course / "grades.csv").open()))
    assert {row["student_id"]: float(row["score"]) for row in rows} == {
        "ada": 2,
        "bob": 0,
    }
    head, possible, *rows = csv.reader((course / "canvas.csv").open())
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "tiny"]
    assert [possible[0].strip(), possible[-1]] == ["Points Possible", "7.0"]
    assert sorted(rows) == [
        ["Lovelace, Ada", "", "", "ada", "", "2.0"],
        ["bob", "", "", "bob", "", ""],
    ]


def test_exercises_of_an_overlay_take_the_place_of_the_chapters(tmp_path, overlay):
    from plain import Book
    from small_course import TINY

    folder = tmp_path / "exam"
    folder.mkdir()
    head, _, rest = TINY.partition("# Tiny")
    (folder / "circle.md").write_text(head + rest.partition("## Exercises")[2])
    executed = chapters_executed()
    notebook = source_notebook(Book(ROOT), "circle", folder, executed)
    text = "\n".join(cell.source for cell in notebook.cells)
    assert "def double(x)" in text
    assert "def on_circle(words)" in text
    assert "def on_circle_checked" not in text


def chapters_executed():
    from build import workshop

    return workshop(ROOT) / "_build" / "notebooks"
