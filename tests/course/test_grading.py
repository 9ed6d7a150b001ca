"""Grading with the real nbgrader and a real database, on a chapter of one exercise."""

import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from small_course import cell_of, environment, grade, hand_in, points, released

RIGHT = "def double(x):\n    return min(2 * x, limit)"
NO_LIMIT = "def double(x):\n    return 2 * x"
LOOP = "def double(x):\n    while True:\n        pass"
CRASH = "def double(x):\n    import os\n    os._exit(1)"
STDERR = "def double(x):\n    import warnings\n    warnings.warn('?')\n    return 2 * x"
CRASH_AT_ONCE = "import os\nos.kill(os.getpid(), 9)"


def answered(course, code):
    notebook = released(course)
    cell_of(notebook, "ex-double-answer-1").source = code
    return notebook


def without(notebook, *names):
    gone = [cell_of(notebook, name) for name in names]
    notebook.cells = [cell for cell in notebook.cells if cell not in gone]
    return notebook


def edited(notebook, name, source):
    cell_of(notebook, name).source = source
    return notebook


def test_release_holds_nothing_secret(course):
    text = (course / "release" / "tiny" / "tiny.ipynb").read_text()
    for secret in ("SOLUTION", "HIDDEN", "min(2", "double(3)", "spoiler", "Because"):
        assert secret not in text
    assert "raise NotImplementedError" in text
    assert "YOUR ANSWER HERE" in text
    assert "double(2) == 4" in text
    assert "Double it, up to" in text


def test_what_students_do_to_a_notebook(course):
    tests = ("ex-double-test-1", "ex-double-test-2")
    everything = [f"ex-double-{name}" for name in ("answer-1", "test-1", "test-2")]
    notebooks = {
        "right": answered(course, RIGHT),
        "blank": released(course),
        "partly": answered(course, NO_LIMIT),
        "deleted": without(answered(course, NO_LIMIT), *tests),
        "deleted-all": without(released(course), *everything, "cell-1"),
        "edited": edited(answered(course, NO_LIMIT), tests[1], "assert True"),
        "unlimited": edited(answered(course, RIGHT), "cell-1", "limit = 10**9"),
        "loop": answered(course, LOOP),
        "crash": answered(course, CRASH),
        "crash-at-once": answered(course, CRASH_AT_ONCE),
        "stderr": answered(course, STDERR),
        "zoe": answered(course, RIGHT),
    }
    notebooks["reversed"] = answered(course, RIGHT)
    notebooks["reversed"].cells.reverse()
    notebooks["helper"] = answered(course, "def double(x):\n    return helped(x)")
    helper = nbformat.v4.new_code_cell("def helped(x):\n    return min(2 * x, limit)")
    notebooks["helper"].cells.append(helper)
    said = edited(answered(course, RIGHT), "ex-say-answer-1", "Because of me.")
    notebooks["said"] = said
    for student, notebook in notebooks.items():
        hand_in(course, student, notebook)
    result = grade(course)
    assert result.returncode == 0, result.stdout + result.stderr
    full = dict.fromkeys(["right", "unlimited", "reversed", "zoe", "said"], 3)
    part = dict.fromkeys(["partly", "deleted", "edited"], 2)
    none = ["blank", "deleted-all", "loop", "crash", "crash-at-once", "stderr"]
    # A helper that stands below the tests comes too late, as it did for the student.
    assert points(course) == full | part | dict.fromkeys([*none, "helper"], 0)
    assert waiting(course) == ["said"]


def waiting(course):
    """Who has written something that a person has to read."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        submissions = gradebook.assignment_submissions("tiny")
        return [one.student_id for one in submissions if one.needs_manual_grade]


def test_thirty_submissions_and_an_interruption(course):
    for number in range(30):
        code = RIGHT if number % 2 else NO_LIMIT
        hand_in(course, f"s{number:02}", answered(course, code))
    broken = hand_in(course, "broken", released(course))
    broken.write_text("{not a notebook")
    misnamed = hand_in(course, "misnamed", answered(course, RIGHT))
    misnamed.rename(misnamed.with_name("tiny (1).ipynb"))
    hand_in(course, "s00", released(course), name="tinny")
    killed_after(course, 6)
    before = {
        path: path.stat().st_mtime_ns
        for path in (course / "autograded").glob("*/tiny/tiny.ipynb")
        if not path.stat().st_mode & 0o222
    }
    assert 5 <= len(before) < 20
    result = grade(course)
    assert "tiny: 30 of 32 graded" in result.stdout
    assert "submitted/broken/tiny: expected a notebook" in result.stdout
    assert "expected tiny.ipynb, found tiny (1).ipynb" in result.stdout
    assert "submitted/s00/tinny: there is no assignment tinny" in result.stdout
    assert result.returncode == 1
    owed = {f"s{number:02}": 3 if number % 2 else 2 for number in range(30)}
    assert {who: n for who, n in points(course).items() if who in owed} == owed
    assert {path: path.stat().st_mtime_ns for path in before} == before
    misnamed.with_name("tiny (1).ipynb").rename(misnamed)
    assert "tiny: 31 of 32 graded" in grade(course).stdout
    assert points(course)["misnamed"] == 3


def killed_after(course, number):
    """Start grading, and kill it in the midst of the submission after this number."""
    command = [sys.executable, "-m", "nbgrader", "autograde", "tiny"]
    run = subprocess.Popen(
        command,
        cwd=course,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while len(list((course / "autograded").glob("*/tiny/tiny.ipynb"))) <= number:
        assert run.poll() is None
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def test_names_of_assignments_are_checked(course):
    result = grade(course, "tinny")
    assert result.returncode == 1
    assert "has not released tinny; expected tiny" in result.stderr


@pytest.mark.parametrize("name", ["typo", "Circle"])
def test_names_of_chapters_are_checked(tmp_path, name):
    from assign import CourseError, write_course

    with pytest.raises(CourseError, match=rf"no chapter {name}: expected .*circle"):
        write_course([name], tmp_path / "course")
    assert not (tmp_path / "course").exists()


def test_an_edited_configuration_and_submissions_stay(course, overlay):
    from assign import write_course

    path = hand_in(course, "ada", answered(course, RIGHT))
    settings = (course / "nbgrader_config.py").read_text()
    write_course(["tiny"], course, overlay)
    assert path.exists()
    assert (course / "nbgrader_config.py").read_text() == settings
