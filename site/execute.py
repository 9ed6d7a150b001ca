"""Execute the chapters: in parallel, once per change, with progress to look at.

Results are kept in two caches of jupyter-cache. One holds every chapter as written,
with hidden tests; the other holds what the page shows, and Jupyter Book renders it.
A chapter whose code has not changed is found there, whatever its prose says now.
"""

import copy
import multiprocessing
import os
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from exercises import published
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from traitlets.config import Config

import chapters

CELL_SECONDS = 300
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class ChapterFailed(Exception):
    """A cell of a chapter raised; the message names chapter, cell and error."""


@dataclass
class Run:
    """What executing one chapter gave."""

    path: Path
    notebook: object
    seconds: float
    megabytes: float
    error: str | None


def execute(root, caches, instructors=None):
    """Execute every chapter that the cache does not hold yet.

    Args:
        root: the book's folder.
        caches: folder of the two caches, ``written`` and ``.jupyter_cache``, and of the
            executed ``notebooks`` that the site offers.
        instructors: folder in which to make the second cache and the notebooks for
            instructors, who are shown everything; none are made for readers then.

    Returns:
        The names of the chapters that were executed.

    Raises:
        ChapterFailed: cells raised. All other chapters were executed and kept.
    """
    written = get_cache(str(caches / "written"))
    target = instructors or caches
    shown = get_cache(str(target / ".jupyter_cache"))
    withheld = chapters.withheld(root)
    paths = chapters.notebooks(root)
    todo = [path for path in paths if not holds(written, chapters.read(path))]
    print(f"{len(paths)} chapters, {len(todo)} to execute", flush=True)
    failures = []
    for run in run_all(todo):
        if run.error is not None:
            failures.append(run.error)
            print(f"  {run.path.stem}: FAILED after {run.seconds:.1f} s", flush=True)
            continue
        print(
            f"  {run.path.stem}: {run.seconds:.1f} s, {run.megabytes:.0f} MB",
            flush=True,
        )
        cost = {"execution_seconds": run.seconds, "peak_megabytes": run.megabytes}
        keep(written, run.path, run.notebook, cost)
    if failures:
        raise ChapterFailed("\n\n".join(failures))
    for path in paths:
        open_book = instructors is not None
        page = chapters.read(path, shown=not open_book, withheld=withheld)
        show(path, page, written, shown, target / "notebooks")
    return [path.stem for path in todo]


def holds(cache, notebook):
    """Whether a cache holds the outputs of a notebook with this code."""
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def keep(cache, path, notebook, cost):
    """Put an executed notebook into a cache, with what it cost."""
    bundle = CacheBundleIn(notebook, str(path), data=cost)
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def show(path, page, written, shown, notebooks):
    """Pass a chapter's outputs on: to the cache the pages are rendered from, and into
    the notebook that readers may download. ``page`` is what they may see of it; a
    cell of which something is withheld gets no outputs.
    """
    page, text = copy.deepcopy(page), page
    if not holds(shown, page):
        record, executed = written.merge_match_into_notebook(chapters.read(path))
        code = [cell for cell in page.cells if cell.cell_type == "code"]
        ran = [cell for cell in executed.cells if cell.cell_type == "code"]
        for cell, source in zip(code, ran, strict=True):
            if cell.source.strip() in (source.source, published(source.source).strip()):
                cell.outputs = source.outputs
            cell.execution_count = source.execution_count
        keep(shown, path, page, written.get_cache_record(record).data)
    _, executed = shown.merge_match_into_notebook(text)
    notebooks.mkdir(parents=True, exist_ok=True)
    nbformat.write(executed, notebooks / f"{path.stem}.ipynb")


def run_all(paths):
    """Execute chapters side by side, one per core; yield each run as it ends."""
    if not paths:
        return
    workers = min(os.cpu_count(), len(paths))
    # One process per chapter: its peak memory is then that of its children, the kernel.
    with multiprocessing.get_context("fork").Pool(workers, maxtasksperchild=1) as pool:
        yield from pool.imap_unordered(run_one, paths)


def run_one(path):
    """Execute one chapter in a kernel of its own, on one thread."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    print(f"  {path.stem} …\n", end="", flush=True)
    notebook = chapters.read(path)
    error, start = None, time.perf_counter()
    # Kernels that start together race for TCP ports; sockets in a short path do not.
    with tempfile.TemporaryDirectory(prefix="book-") as runtime:
        os.environ["JUPYTER_RUNTIME_DIR"] = runtime
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            record_timing=False,
            resources={"metadata": {"path": str(path.parent)}},
            config=Config(
                {"KernelManager": {"transport": "ipc", "ip": f"{runtime}/kernel"}}
            ),
        )
        try:
            client.execute()
            join_streams(notebook)
        except (CellExecutionError, CellTimeoutError, RuntimeError) as exception:
            error = describe(path, notebook, exception)
    seconds = time.perf_counter() - start
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return Run(path, notebook, seconds, megabytes, error)


def join_streams(notebook):
    """Join what a cell printed piece by piece.

    A kernel may send a line in two pieces, and rendering would end a line after each.
    """
    for cell in notebook.cells:
        joined = []
        for output in cell.get("outputs", []):
            before = joined[-1] if joined else {}
            if output.output_type == "stream" and output.name == before.get("name"):
                before.text += output.text
            else:
                joined.append(output)
        if "outputs" in cell:
            cell.outputs = joined


def describe(path, notebook, exception):
    """Say which chapter failed, in which cell, at which line, and how."""
    lines = zip(notebook.cells, notebook.metadata["source_map"], strict=True)
    code = [(cell, line) for cell, line in lines if cell.cell_type == "code"]
    for count, (cell, line) in enumerate(code, start=1):
        expected = "raises-exception" in cell.metadata.get("tags", [])
        errors = [out for out in cell.outputs if out.output_type == "error"]
        if (errors and not expected) or cell.execution_count is None:
            said = f"{type(exception).__name__}: {str(exception).splitlines()[0]}"
            if errors:
                said = f"{errors[0].ename}: {errors[0].evalue}"
            place = f"{path.parent.name}/{path.name}, cell {count} (line {line})"
            return f"{place}: {said}\n\n{cell.source}"
    return f"{path.parent.name}/{path.name}: {exception}"
