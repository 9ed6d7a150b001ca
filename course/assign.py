"""Write a course: a source notebook per chapter and, with nbgrader, its release.

`make course` calls this. Nothing in the course folder is removed: notebooks in
`source/` and `release/` are replaced, submissions, grades and an edited
`nbgrader_config.py` stay.
"""

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

import execute
import nbformat
import repository
from build import ROOT
from exercises import ExerciseError, answered, parts
from nbformat import v4
from notebooks import (
    caption,
    executed_chapters,
    glue_of,
    notebook_of,
    said,
)
from plain import Book, PlainError
from traitlets.config import Config

import chapters

HOW = (
    "Answer where it says `YOUR CODE HERE` or `YOUR ANSWER HERE`. You may add cells. "
    "All other cells are restored before your work is graded, and tests that are not "
    "shown here are added to those that are."
)


class CourseError(Exception):
    """The course cannot be written as it was asked for; the message says why."""


def main():
    """Write the course that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chapters", nargs="*", help="names; all if none is given")
    parser.add_argument("--course", type=Path, default=ROOT / "_course")
    parser.add_argument("--overlay", type=Path, help="folder of private exercises")
    arguments = parser.parse_args()
    try:
        names = write_course(**vars(arguments))
    except (CourseError, ExerciseError, PlainError, execute.ChapterFailed) as error:
        sys.exit(f"The course was not written.\n{error}")
    print(f"{arguments.course}: wrote source/ and release/ for {', '.join(names)}")


def write_course(chapters, course, overlay=None):
    """Write source and release of some chapters; return their names."""
    names = wanted(ROOT, chapters, overlay)
    book = Book(ROOT, repository.site(ROOT))
    executed = executed_chapters(ROOT) if set(names) & set(own(ROOT)) else None
    course.mkdir(parents=True, exist_ok=True)
    settings = course / "nbgrader_config.py"
    if not settings.exists():
        shutil.copyfile(ROOT / "course" / "nbgrader_config.py", settings)
    for name in names:
        notebook = source_notebook(book, name, overlay, executed)
        target = course / "source" / name / f"{name}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)
    for name in names:
        release(course, name)
    return names


def own(root):
    """Map the names of the book's chapters with exercises to their files."""
    return {
        path.stem: path
        for path in chapters.notebooks(root)
        if "{exercise-start}" in path.read_text(encoding="utf-8")
    }


def private(overlay):
    """Map the names of the overlay's files to them."""
    if overlay is None:
        return {}
    if not overlay.is_dir():
        raise CourseError(f"the overlay {overlay} is no folder")
    return {path.stem: path for path in sorted(overlay.glob("*.md"))}


def wanted(root, names, overlay=None):
    """Check the names of chapters; return all where none is named.

    Raises:
        CourseError: a name is that of no chapter.
    """
    there = [*own(root), *(name for name in private(overlay) if name not in own(root))]
    unknown = [name for name in names if name not in there]
    if unknown:
        raise CourseError(
            f"there is no chapter {', '.join(unknown)}: expected {', '.join(there)}"
        )
    return list(names) or there


def assignment(name, overlay=None):
    """Read a chapter; with a file of its name in the overlay, read the exercises there
    in the place of its own. A file of another name is an assignment by itself.
    """
    book, extra = own(ROOT), private(overlay)
    if name not in extra:
        return chapters.read(book[name])
    notebook = chapters.read(extra[name])
    if name in book:
        notebook.cells = before_exercises(chapters.read(book[name])) + notebook.cells
    return notebook


def before_exercises(notebook):
    """Return the cells of a chapter up to the heading of its exercises."""
    kept = []
    for cell in notebook.cells:
        text, *rest = re.split(r"^## Exercises?$", cell.source, maxsplit=1, flags=re.M)
        if cell.cell_type == "markdown" and rest:
            return [*kept, v4.new_markdown_cell(f"{text}\n## Exercises")]
        kept.append(cell)
    raise CourseError("the chapter has no heading `## Exercises`")


def source_notebook(book, name, overlay=None, executed=None):
    """Return the nbgrader source of one chapter: solutions, hidden tests and all."""
    notebook = assignment(name, overlay)
    if name in private(overlay):
        book.note(name, chapters.read(private(overlay)[name]))
    numbers = {}
    if name in own(ROOT):
        numbers = glue_of(nbformat.read(executed / f"{name}.ipynb", as_version=4))
    cells, headed, counts = [v4.new_markdown_cell(HOW)], set(), {}
    for part in parts(notebook):
        cells += graded_cells(book, part, numbers, headed, counts)
    cited = book.bibliography("\n".join(cell.source for cell in notebook.cells))
    if cited:
        cells += [v4.new_markdown_cell(f"Cited in this chapter:\n\n{cited}")]
    return notebook_of(cells)


def graded_cells(book, part, numbers, headed, counts):
    """Return the cells of the source notebook that one part of a chapter gives."""
    if part.kind == "glue" or (part.kind == "why" and not part.exercise.written):
        return []
    if part.cell is None:
        text = book.plain(part.source, numbers)
        if part.kind != "why":
            return [v4.new_markdown_cell(said(book, part, text, headed))]
        metadata = {"grade": True, "solution": True, "points": part.exercise.points}
        return [mark(v4.new_markdown_cell(text), part, counts, metadata)]
    source = answered(part.source) if part.kind == "solution" else part.source
    metadata = {"locked": part.kind != "solution", "solution": part.kind == "solution"}
    if part.kind == "test":
        points = int(part.cell.metadata["points"])
        metadata = {"grade": True, "locked": True, "points": points}
    cell = mark(v4.new_code_cell(source), part, counts, metadata)
    return [cell, *caption(book, part.cell)]


def mark(cell, part, counts, metadata):
    """Tell nbgrader what a cell is, and give it a name."""
    stem = "cell"
    if part.kind in ("solution", "test", "why"):
        stem = f"{part.exercise.label}-{'test' if part.kind == 'test' else 'answer'}"
    counts[stem] = counts.get(stem, 0) + 1
    blank = {"grade": False, "solution": False, "locked": False, "task": False}
    name = {"schema_version": 3, "grade_id": f"{stem}-{counts[stem]}"}
    cell.metadata["nbgrader"] = blank | name | metadata
    return cell


def release(course, name):
    """Have nbgrader make the students' notebook, and look at what it made."""
    from nbgrader.apps import NbGraderAPI

    # nbgrader starts programs that are installed beside this Python.
    os.environ["PATH"] = (
        f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    config = Config()
    config.CourseDirectory.root = str(course.resolve())
    config.Application.log_level = "ERROR"
    result = NbGraderAPI(config=config).generate_assignment(name, force=True)
    if not result["success"]:
        raise CourseError(f"nbgrader could not release {name}:\n{result['log']}")
    text = (course / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
    for secret in ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS"):
        if secret in text:
            raise CourseError(f"the release of {name} still holds `{secret}`")


if __name__ == "__main__":
    main()
