"""Chapters as notebooks that need nothing but Jupyter.

`make notebooks` writes every executed chapter into ``_build/notebooks``. Links lead to
the published site where its address is known.
"""

import sys

import execute
import nbformat
import repository
from build import ROOT, workshop
from exercises import parts
from nbformat import v4
from plain import Book, PlainError, folded

import chapters

RECORD = "application/papermill.record/text/plain"
WIDGET = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def glue_of(notebook):
    """Collect what the cells of an executed notebook have glued, by name."""
    found = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if RECORD in output.get("data", {}):
                found[output.metadata["scrapbook"]["name"]] = output.data[RECORD]
    return found


def plain_notebook(book, executed):
    """Return an executed chapter as a notebook that needs nothing but Jupyter."""
    numbers, cells, headed = glue_of(executed), [], set()
    for part in parts(executed):
        if part.kind == "glue":
            continue
        if part.cell is None:
            text = book.plain(part.source, numbers)
            cells += [v4.new_markdown_cell(said(book, part, text, headed))]
            continue
        if part.kind == "solution" and (part.exercise.label, 1) not in headed:
            headed.add((part.exercise.label, 1))
            cells += [v4.new_markdown_cell("#### Solution")]
        cells += code(book, part)
    cited = book.bibliography("\n".join(cell.source for cell in executed.cells))
    if cited:
        cells += [v4.new_markdown_cell(f"Cited in this chapter:\n\n{cited}")]
    return notebook_of(cells)


def said(book, part, text, headed):
    """Give the first text of an exercise its heading, and fold its solution."""
    if part.kind == "why":
        return folded("Solution, in words", text)
    if part.kind == "task" and part.exercise.label not in headed:
        headed.add(part.exercise.label)
        return f"{heading(book, part.exercise)}\n\n{text}"
    return text


def heading(book, exercise):
    """Return the heading of an exercise."""
    return f"### {book.target(exercise.label).text}: {exercise.title}"


def code(book, part):
    """Return a code cell, and the caption of its figure."""
    cell = v4.new_code_cell(part.source, execution_count=part.cell.execution_count)
    cell.outputs = [shown(output) for output in part.cell.get("outputs", [])]
    if part.kind == "solution":
        cell.metadata["jupyter"] = {"source_hidden": True}
    return [cell, *caption(book, part.cell)]


def caption(book, cell):
    """Return the caption of a cell's figure as a cell of its own, if it has one."""
    figure = cell.metadata.get("mystnb", {}).get("figure")
    if figure is None:
        return []
    return [v4.new_markdown_cell(book.caption(figure["name"], figure["caption"]))]


def shown(output):
    """Leave out of an output what only a running kernel can show."""
    output = nbformat.from_dict(output)
    if "data" in output and "text/html" in output.data:
        output.data.pop(WIDGET, None)
    return output


def notebook_of(cells):
    """Make a notebook of cells whose ids do not change from one time to the next."""
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    notebook = v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(notebook)
    return notebook


def executed_chapters(root):
    """Execute what has not been; return the folder of the executed notebooks."""
    caches = workshop(root) / "_build"
    execute.execute(root, caches)
    return caches / "notebooks"


def write_notebooks(root, target):
    """Write every executed chapter in its plain form into the folder ``target``."""
    book = Book(root, repository.site(root))
    executed = executed_chapters(root)
    target.mkdir(parents=True, exist_ok=True)
    for path in chapters.notebooks(root):
        notebook = nbformat.read(executed / f"{path.stem}.ipynb", as_version=4)
        try:
            plain = plain_notebook(book, notebook)
        except PlainError as error:
            raise PlainError(f"chapters/{path.name}: {error}") from error
        nbformat.write(plain, target / path.name.replace(".md", ".ipynb"))


if __name__ == "__main__":
    try:
        write_notebooks(ROOT, ROOT / "_build" / "notebooks")
    except (PlainError, execute.ChapterFailed, FileNotFoundError) as problem:
        sys.exit(f"The notebooks were not written.\n{problem}")
    print(f"Executed chapters as notebooks: {ROOT / '_build' / 'notebooks'}")
