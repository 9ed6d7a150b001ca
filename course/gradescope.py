"""Write chapters as source notebooks for Otter, whose autograder runs on Gradescope.

`make otter` calls this; `otter assign` makes the students' notebook and the autograder.
"""

import ast
import sys

import nbformat
import repository
from assign import CourseError, assignment, glue_of, own, said, wanted
from build import ROOT
from exercises import answered, parts, published
from nbformat import v4
from notebooks import caption, executed_chapters, notebook_of
from plain import Book

CONFIG = """\
# ASSIGNMENT CONFIG
requirements: {requirements}
export_cell: false
generate: true
"""
TEST = '""" # BEGIN TEST CONFIG\npoints: {}\nhidden: {}\n""" # END TEST CONFIG\n{}'


def otter_notebook(book, name, executed):
    """Return the source notebook of a chapter for `otter assign`."""
    numbers = glue_of(nbformat.read(executed / f"{name}.ipynb", as_version=4))
    config = CONFIG.format(requirements=ROOT / "requirements.txt")
    cells, stage, headed = [v4.new_raw_cell(config)], None, set()
    for part in parts(assignment(name)):
        after = {"prose": None, "code": stage, "glue": stage}.get(part.kind, part.kind)
        if part.kind == "glue" or (part.kind == "why" and not part.exercise.written):
            continue
        if part.kind == "task" and part.exercise.label not in headed:
            cells += [*borders(stage, None), *borders(None, "task", part.exercise)]
        else:
            cells += borders(stage, after)
        stage = after
        cells += otter_cells(book, part, numbers, headed)
    return notebook_of([*cells, *borders(stage, None)])


def borders(stage, after, exercise=None):
    """Return the raw cells that lead from one part of a question to the next."""
    if stage == after:
        return []
    said = {
        "test": ["END TESTS"],
        "solution": ["END SOLUTION"],
        "why": ["END SOLUTION"],
    }
    lines = said.get(stage, [])
    if after is None and stage is not None:
        lines = [*lines, "END QUESTION"]
    if after in ("solution", "why"):
        lines = [*lines, "BEGIN SOLUTION"]
    if after == "test":
        lines = [*lines, "BEGIN TESTS"]
    if exercise is not None:
        name = f"BEGIN QUESTION\nname: {exercise.label.replace('-', '_')}"
        by_hand = (
            f"\nmanual: true\npoints: {exercise.points}" if exercise.written else ""
        )
        lines = [*lines, name + by_hand]
    return [v4.new_raw_cell(f"# {line}") for line in lines]


def otter_cells(book, part, numbers, headed):
    """Return the cells of one part of a chapter."""
    if part.cell is None:
        text = book.plain(part.source, numbers)
        if part.kind != "why":
            text = said(book, part, text, headed)
        return [v4.new_markdown_cell(text)]
    if part.kind == "solution":
        return [v4.new_code_cell(answered(part.source))]
    if part.kind == "test":
        points = part.cell.metadata["points"]
        seen, everything = map(silent, (published(part.source), part.source))
        tests = TEST.format(0, "false", seen), TEST.format(points, "true", everything)
        return [v4.new_code_cell(test) for test in tests]
    return [v4.new_code_cell(part.source), *caption(book, part.cell)]


class Silence(ast.NodeTransformer):
    """Keep expressions from printing their value: Otter runs tests as doctests."""

    def visit_Expr(self, node):
        """Give the value to a name."""
        return ast.Assign([ast.Name("_", ast.Store())], node.value, lineno=node.lineno)

    def visit_FunctionDef(self, node):
        """Leave what a function does alone."""
        return node


def silent(source):
    """Return a test that prints nothing unless it fails."""
    return ast.unparse(Silence().visit(ast.parse(source)))


def main():
    """Write the chapters that the command line names into `_build/otter`."""
    try:
        names = wanted(ROOT, sys.argv[1:])
    except CourseError as error:
        sys.exit(f"Nothing was written.\n{error}")
    target = ROOT / "_build" / "otter"
    target.mkdir(parents=True, exist_ok=True)
    book = Book(ROOT, repository.site(ROOT))
    executed = executed_chapters(ROOT)
    for name in [name for name in names if name in own(ROOT)]:
        path = target / f"{name}.ipynb"
        nbformat.write(otter_notebook(book, name, executed), path)
        print(f"{path}: now run `otter assign {path} {path.with_suffix('')}`")


if __name__ == "__main__":
    main()
