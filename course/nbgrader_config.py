"""How this course is graded: limits, restored cells, kernels that die."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import nbformat
from nbclient.exceptions import DeadKernelError
from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbformat.v4 import new_output
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    Execute,
    IgnorePattern,
    LimitOutput,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from nbgrader.utils import is_grade, is_locked
from traitlets import Integer

CHAPTER_SECONDS = 600


class RestoreCells(NbGraderPreprocessor):
    """Put deleted and moved cells back; `OverwriteCells` then undoes edits.

    The release gives the order of the cells. What students have added stays behind the
    cell it was added to.
    """

    def preprocess(self, nb, resources):
        """Return the notebook with every cell of the release in its place."""
        assignment, name = (
            resources["nbgrader"][k] for k in ("assignment", "notebook")
        )
        release = nbformat.read(Path("release", assignment, f"{name}.ipynb"), 4)
        known = {identity(cell) for cell in release.cells} - {None}
        groups = {None: []}
        for cell in nb.cells:
            if identity(cell) in known:
                groups[identity(cell)] = [cell]
            else:
                groups[list(groups)[-1]].append(cell)
        cells = groups[None]
        for cell in release.cells:
            if identity(cell) is not None:
                cells = cells + groups.get(identity(cell), [cell])
        nb.cells = cells
        return nb, resources


def identity(cell):
    """Return the name that nbgrader knows a cell by."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


class PatientExecute(Execute):
    """Execute a submission to its end, whatever it does.

    A kernel that dies, or cannot be interrupted, costs all points of its notebook, and
    not the grades of everybody after it. The kernel finds the student's id in the
    variable `STUDENT`, from which exercises with data of their own draw them.
    """

    student_seconds = Integer(60, help="limit of a cell that is answered or tested")
    student_seconds.tag(config=True)

    def __init__(self, **kwargs):
        """Give the chapter's own cells more time than the students' cells."""
        super().__init__(**kwargs)
        self.timeout_func = self.seconds

    def seconds(self, cell):
        """Return the time limit of a cell."""
        own = is_locked(cell) and not is_grade(cell)
        return CHAPTER_SECONDS if own else self.student_seconds

    def preprocess(self, nb, resources, km=None):
        """Execute the notebook; where that cannot be done, fail all of its tests."""
        os.environ["STUDENT"] = resources["nbgrader"]["student"]
        try:
            return super().preprocess(nb, resources, km=km)
        except (DeadKernelError, RuntimeError) as error:
            if not any(cell.get("execution_count") for cell in nb.cells):
                raise  # the kernel did not even start: not the student's fault
            self.log.error("The kernel of this submission died: it scores 0.")
            fail_tests(nb, error)
            return nb, resources


def fail_tests(nb, error):
    """Give every test cell an error as its output."""
    for cell in nb.cells:
        if is_grade(cell) and cell.cell_type == "code":
            said = {"ename": type(error).__name__, "evalue": str(error)}
            traceback = [f"{said['ename']}: {said['evalue']}"]
            cell.outputs = [new_output("error", traceback=traceback, **said)]


c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "self-attention"
# How `nbgrader zip_collect` reads file names: student_chapter.ipynb, or as from Canvas.
c.FileNameCollectorPlugin.named_regexp = (
    r"(?:.*/)?(?P<student_id>[^_/]+)_(?:LATE_)?(?:\d+_\d+_)?"
    r"(?P<file_id>[a-z_]+?)(?:-\d+)?\.ipynb$"
)
c.Autograde.sanitize_preprocessors = [
    *(ClearOutput, DeduplicateIds, OverwriteKernelspec),
    *(RestoreCells, OverwriteCells, CheckCellMetadata),
]
c.Autograde.autograde_preprocessors = [
    *(PatientExecute, IgnorePattern, ClearMetadataPreprocessor, LimitOutput),
    *(SaveAutoGrades, AssignLatePenalties, CheckCellMetadata),
]
# Kernels that start together race for TCP ports; sockets in files do not.
sockets = tempfile.mkdtemp(prefix="grade-")
atexit.register(shutil.rmtree, sockets, ignore_errors=True)
c.KernelManager.transport = "ipc"
c.KernelManager.ip = f"{sockets}/kernel"
