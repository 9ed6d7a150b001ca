"""Grade what has been handed in: `make grade CHAPTERS=circle`.

nbgrader grades; this says which submissions could not be graded, and what was expected.
A run that was interrupted is completed by the next one: what was graded stays, and what
was being graded is graded again.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

READABLE = (OSError, ValueError, nbformat.validator.NotebookValidationError)


def main():
    """Grade the assignments that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chapters", nargs="+")
    parser.add_argument("--course", type=Path, default=Path("_course"))
    arguments = parser.parse_args()
    course = arguments.course.resolve()
    there = sorted(path.name for path in (course / "release").glob("*"))
    unknown = [name for name in arguments.chapters if name not in there]
    if unknown:
        expected = ", ".join(there) or "nothing: run `make course` first"
        sys.exit(f"{course} has not released {', '.join(unknown)}; expected {expected}")
    lost = strays(course, there)
    for name in arguments.chapters:
        lost += grade(course, name)
    print("\n".join(lost))
    sys.exit(bool(lost))


def strays(course, released):
    """List folders of submissions that belong to no assignment."""
    return [
        f"not graded: {folder.relative_to(course)}: there is no assignment "
        f"{folder.name}, expected one of {', '.join(released)}"
        for folder in sorted((course / "submitted").glob("*/*"))
        if folder.name not in released
    ]


def grade(course, name):
    """Grade one assignment; return a line for each submission that has no grade."""
    forget_interrupted(course, name)
    command = [sys.executable, "-m", "nbgrader", "autograde", name]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = subprocess.run(
        command,
        cwd=course,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    (course / f"autograde-{name}.log").write_text(said.stdout + said.stderr)
    handed_in = sorted((course / "submitted").glob(f"*/{name}"))
    missing = [folder for folder in handed_in if not finished(course, folder)]
    print(f"{name}: {len(handed_in) - len(missing)} of {len(handed_in)} graded")
    return [
        f"not graded: {folder.relative_to(course)}: {reason(folder, name)}"
        for folder in missing
    ]


def forget_interrupted(course, name):
    """Remove what an interrupted run has left half graded."""
    for folder in sorted((course / "submitted").glob(f"*/{name}")):
        if not finished(course, folder):
            shutil.rmtree(graded_as(course, folder), ignore_errors=True)


def graded_as(course, folder):
    """Return the folder of a submission once it is graded."""
    return course / "autograded" / folder.parent.name / folder.name


def finished(course, folder):
    """Whether a submission was graded to the end: nbgrader then makes it read-only."""
    notebooks = list(graded_as(course, folder).glob("*.ipynb"))
    return bool(notebooks) and not any(n.stat().st_mode & 0o222 for n in notebooks)


def reason(folder, name):
    """Say why a submission could not be graded, and what was expected."""
    path = folder / f"{name}.ipynb"
    if not path.exists():
        found = ", ".join(sorted(p.name for p in folder.iterdir())) or "nothing"
        return f"expected {name}.ipynb, found {found}"
    try:
        nbformat.validate(nbformat.read(path, as_version=4))
    except READABLE as error:
        said = str(error).splitlines()[0][:80]
        return (
            f"expected a notebook as Jupyter saves it, but {path.name} is none: {said}"
        )
    return f"nbgrader failed: see autograde-{name}.log"


if __name__ == "__main__":
    main()
