"""Try answers on the exercises: the book's own, blank ones, and wrong ones.

`course/wrong_answers/` holds, for every exercise, answers that a student may well hand
in and that are wrong. Each of them has to lose points; that is how the tests of the
exercises are tested. `make answers` calls this.

A chapter is executed once. Before each exercise the process is forked: every answer is
tried in a copy, and the book's own in the process that goes on. What nbgrader would say
of a test cell is said here by the same rules: an error or a line on stderr is 0 points.
"""

import argparse
import ast
import contextlib
import io
import json
import multiprocessing
import os
import re
import select
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from assign import CourseError, assignment, wanted
from build import ROOT
from execute import ONE_THREAD
from exercises import answered, parts, published, stub

BANK = ROOT / "course" / "wrong_answers"
SECONDS = 60  # for a cell that is answered or tested
CHAPTER_SECONDS = 600
WRONG = re.compile(r"(?P<why>.*?)^```python\n(?P<code>.*?)^```$", re.M | re.S)


@dataclass
class Wrong:
    """A wrong answer, and the misconception that leads to it."""

    why: str
    code: str


@dataclass
class Outcome:
    """What an answer got: from all tests, and from those that students can see."""

    label: str
    who: str
    score: int
    visible: int
    points: int
    error: str


def bank(name, overlay=None):
    """Read the wrong answers of a chapter: a list of ``Wrong`` for each exercise.

    Raises:
        CourseError: a code block has no words before it that say what is wrong.
    """
    path = (overlay or BANK.parent) / BANK.name / f"{name}.md"
    if not path.is_file():
        return {}
    found = {}
    sections = re.split(r"^## (\S+)$", path.read_text(encoding="utf-8"), flags=re.M)
    for label, text in zip(sections[1::2], sections[2::2], strict=True):
        found[label] = [
            Wrong(" ".join(one["why"].split()), one["code"])
            for one in WRONG.finditer(text)
        ]
        if not all(wrong.why for wrong in found[label]):
            raise CourseError(
                f"{path}: {label} has an answer without its misconception"
            )
    return found


def defined(source):
    """Name what a cell defines at its top level."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {
                n.id
                for t in node.targets
                for n in ast.walk(t)
                if isinstance(n, ast.Name)
            }
    return names


def answer_with(solutions, code, label):
    """Put an answer in the place of the solution cells that define the same names.

    Raises:
        CourseError: none of them does, or the code is no Python.
    """
    try:
        names = defined(code)
    except SyntaxError as error:
        raise CourseError(
            f"{label}: an answer is no Python: {error}\n{code}"
        ) from error
    hit = [i for i, solution in enumerate(solutions) if names & defined(solution)]
    if not hit:
        expected = ", ".join(sorted(set().union(*map(defined, solutions))))
        raise CourseError(
            f"{label}: expected an answer that defines {expected}:\n{code}"
        )
    given = {i: "" for i in hit} | {hit[0]: code}
    return [given.get(i, solution) for i, solution in enumerate(solutions)]


def run(source, namespace, seconds=SECONDS):
    """Run a cell; return what is wrong with it, or nothing."""
    import matplotlib.pyplot as plt

    stderr = io.StringIO()
    signal.alarm(seconds)
    try:
        with (
            contextlib.redirect_stderr(stderr),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            exec(compile(source, "<cell>", "exec"), namespace)
            plt.close("all")
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return stderr.getvalue()


def score(cells, answers, namespace):
    """Run the cells of an exercise with these answers; return points and errors."""
    points, errors, answers = 0, [], list(answers)
    for part in cells:
        if part.kind == "solution":
            run(answers.pop(0), namespace)
            continue
        error = run(part.source, namespace)
        if part.kind == "test":
            points += 0 if error else int(part.cell.metadata["points"])
            errors += [error] if error else []
    return points, errors


def forked(function, *arguments):
    """Return what a function returns in a copy of this process; None if that dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.write(writing, json.dumps(function(*arguments)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        # A cell that does not listen to its alarm is stopped from outside.
        if not select.select([pipe], [], [], 10 * SECONDS)[0]:
            os.kill(child, signal.SIGKILL)
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else (0, ["the process died"])


def timed_out(*_):
    """Stop a cell that has reached the limit."""
    raise TimeoutError("the time limit was reached")


def outcomes(name, overlay=None):
    """Try every answer of a chapter; return a list of ``Outcome``.

    It forks, so it has to run in a process without threads: see ``outcomes_of``.
    """
    import matplotlib

    matplotlib.use("template")
    signal.signal(signal.SIGALRM, timed_out)
    wrong, namespace, found = bank(name, overlay), {"__name__": "__main__"}, []
    left = [part for part in parts(assignment(name, overlay)) if executed(part)]
    while left:
        if left[0].kind != "solution":
            error = run(left.pop(0).source, namespace, CHAPTER_SECONDS)
            if error and "Error" in error:
                raise CourseError(f"{name}: a cell of the chapter failed: {error}")
            continue
        label = left[0].exercise.label
        last = max(i for i, p in enumerate(left) if asks(p, label))
        cells, left = left[: last + 1], left[last + 1 :]
        found += exercise_outcomes(cells, wrong.pop(label, []), namespace)
    if wrong:
        raise CourseError(
            f"wrong answers to {', '.join(wrong)}: no such exercise in {name}"
        )
    return found


def executed(part):
    """Whether a part of a chapter is a cell that an assignment executes."""
    return part.cell is not None and part.kind not in ("glue", "why")


def asks(part, label):
    """Whether a cell belongs to what is asked and tested in an exercise."""
    return part.kind in ("solution", "test") and part.exercise.label == label


def exercise_outcomes(cells, wrong, namespace):
    """Try all answers to one exercise; the last one tried is the book's own."""
    exercise = cells[0].exercise
    own = [answered(part.source) for part in cells if part.kind == "solution"]
    tries = {f"wrong: {w.why}": answer_with(own, w.code, exercise.label) for w in wrong}
    tries = {"blank": [stub(source) for source in own], **tries}
    open_cells = [shown(part) for part in cells]
    found = []
    for who, answers in tries.items():
        points, errors = forked(score, cells, answers, namespace)
        visible, _ = forked(score, open_cells, answers, namespace)
        found.append((who, points, visible, errors))
    points, errors = score(cells, own, namespace)
    found.append(("book", points, points, errors))
    return [
        Outcome(
            exercise.label, who, points, visible, exercise.points, "; ".join(errors)
        )
        for who, points, visible, errors in found
    ]


def shown(part):
    """Return a part as students see it, without hidden tests."""
    return type(part)(part.kind, published(part.source), part.cell, part.exercise)


def outcomes_of(names, overlay=None):
    """Try the answers of several chapters, side by side; map names to outcomes."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        found = pool.map(outcomes, names, [overlay] * len(names))
        return dict(zip(names, found, strict=True))


def verdict(outcome):
    """Say whether an answer got what it should."""
    if outcome.who == "book":
        return outcome.score == outcome.points
    return (
        outcome.score == 0 if outcome.who == "blank" else outcome.score < outcome.points
    )


def main():
    """Print what every answer got; fail if one got what it should not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chapters", nargs="*")
    parser.add_argument("--overlay", type=Path)
    arguments = parser.parse_args()
    try:
        names = wanted(ROOT, arguments.chapters, arguments.overlay)
        found = outcomes_of(names, arguments.overlay)
    except CourseError as error:
        sys.exit(str(error))
    every = [outcome for several in found.values() for outcome in several]
    for one in every:
        mark = "  " if verdict(one) else "✗ "
        hidden = one.who.startswith("wrong") and one.visible == one.points
        note = " (only hidden tests see it)" if hidden else ""
        print(f"{mark}{one.label}: {one.score} of {one.points}, {one.who[:60]}{note}")
    sys.exit(not all(map(verdict, every)))


if __name__ == "__main__":
    main()
