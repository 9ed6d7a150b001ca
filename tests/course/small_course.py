"""A chapter of two exercises, and what students and graders do with it."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from build import ROOT
from nbgrader.api import Gradebook

TINY = """\
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
# Tiny

```{code-cell}
limit = 10
```

## Exercises

```{exercise-start} Double
:label: ex-double
```

% minutes: 5
% goal: double

Double {ref}`it <circle>`, up to `limit`.
```{exercise-end}
```

````{solution-start} ex-double
:class: dropdown
````

```{code-cell}
:tags: [solution]
def double(x):
    # BEGIN SOLUTION
    return min(2 * x, limit)
    # END SOLUTION


print(double(1))
```

That was a spoiler.

````{solution-end}
````

```{code-cell}
:tags: [test]
:points: 2
assert double(2) == 4
# BEGIN HIDDEN TESTS
assert double(3) == 6
# END HIDDEN TESTS
```

```{code-cell}
:tags: [test]
:points: 1
assert double(5) == 10
# BEGIN HIDDEN TESTS
assert double(50) == 10
# END HIDDEN TESTS
```

```{exercise-start} Say it
:label: ex-say
```

% minutes: 5
% points: 4
% goal: say it

Why?
```{exercise-end}
```

````{solution-start} ex-say
:class: dropdown
````
Because. **Rubric.** Four points for a reason.
````{solution-end}
````
"""


def released(course, name="tiny"):
    """Read the students' notebook."""
    return nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)


def cell_of(notebook, grade_id):
    """Find a cell by the name that nbgrader knows it by."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            return cell
    raise KeyError(grade_id)


def hand_in(course, student, notebook, name="tiny"):
    """Put a notebook where nbgrader collects it; return its path."""
    path = course / "submitted" / student / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    return path


def environment():
    """Return the environment in which nbgrader finds its own programs."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    folders = [
        str(ROOT / "site"),
        str(ROOT / "course"),
        os.environ.get("PYTHONPATH", ""),
    ]
    return os.environ | {"PATH": path, "PYTHONPATH": os.pathsep.join(folders)}


def grade(course, *names):
    """Grade as `make grade` does."""
    command = [sys.executable, ROOT / "course" / "grade.py", "--course", course]
    return subprocess.run(
        [*command, *(names or ["tiny"])],
        env=environment(),
        capture_output=True,
        text=True,
    )


def points(course, name="tiny"):
    """Map students to what the tests gave them."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        return {
            submission.student_id: sum(
                grade.auto_score or 0
                for notebook in submission.notebooks
                for grade in notebook.grades
            )
            for submission in gradebook.assignment_submissions(name)
        }
