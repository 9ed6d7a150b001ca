"""What Binder does, without Docker: an environment from `binder/`, chapters run in it.

`make test` runs one chapter; `make test-binder` sets BINDER_CHAPTERS to run them all.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jupytext
import pytest
import yaml
from build import ROOT
from laboratory import at_home, serve

from chapters import notebooks

CHAPTERS = os.environ.get("BINDER_CHAPTERS", "bert_heads").split()
if CHAPTERS == ["all"]:
    CHAPTERS = [path.stem for path in notebooks(ROOT)]
KERNEL_IS_IDLE = """() => window.jupyterapp?.shell.currentWidget?.sessionContext
    ?.session?.kernel?.status === 'idle'"""
FIRST_CELL_RAN = """() => [...jupyterapp.shell.currentWidget.content.model.cells]
    .find(cell => cell.type === 'code').executionCount !== null"""
# How a chapter ran: for each code cell its number, and its error if it had one.
RAN = """() => {
    const cells = [...jupyterapp.shell.currentWidget.content.model.cells];
    return cells.filter(cell => cell.type === 'code').map(cell => [
        cell.executionCount,
        cell.sharedModel.getOutputs().filter(output => output.output_type === 'error')
            .map(output => `${output.ename}: ${output.evalue}`).join(),
    ]);
}"""


@pytest.fixture(scope="session")
def binder():
    """Make what Binder makes: the repository, the environment, and what postBuild adds.

    Gives the interpreter, the repository and the home. Paths are short, because a
    kernel's sockets stand in the home and their names may have 107 letters.
    """
    place = Path(tempfile.mkdtemp(prefix="b"))
    home, repository = place / "home", place / "repository"
    home.mkdir()
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files"], check=True, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, repository / name)
    subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
    python = place / "venv" / "bin" / "python"
    environment = at_home(python, home) | {"PIP_RETRIES": "0"}
    # The installer may keep what it downloads where it always does.
    if "HOME" in os.environ:
        cache = Path(os.environ["HOME"], ".cache", "pip")
        environment |= {"PIP_CACHE_DIR": str(cache)}
    for command in (
        [python, "-m", "pip", "install", "-q", "-r", "binder/requirements.txt"],
        ["binder/postBuild"],
    ):
        done = subprocess.run(
            command,
            cwd=repository,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    files = [path for path in (place / "venv").rglob("*") if not path.is_symlink()]
    size = sum(path.stat().st_size for path in files if path.is_file())
    print(f"The environment has {size / 1e9:.2f} GB")
    yield python, repository, home
    # It is as large as an environment is, and nobody has to wait until it is gone.
    subprocess.Popen(["rm", "-rf", place], start_new_session=True)


@pytest.fixture(scope="module")
def lab(binder):
    """A JupyterLab in that environment."""
    with serve(*binder) as address:
        yield address


def test_python_is_pinned_to_what_the_book_is_built_with():
    pinned = (ROOT / "binder" / "runtime.txt").read_text().strip()
    workflow = ROOT / ".github" / "workflows" / "book.yml"
    steps = yaml.safe_load(workflow.read_text())["jobs"]["test"]["steps"]
    (version,) = [
        step["with"]["python-version"]
        for step in steps
        if "setup-python" in step.get("uses", "")
    ]
    assert pinned == f"python-{version}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapter_opens_as_a_notebook_and_runs(binder, lab, open_page, chapter):
    path = binder[1] / "chapters" / f"{chapter}.md"
    text = path.read_text(encoding="utf-8")
    start = time.perf_counter()
    visit = open_page(lab(f"chapters/{chapter}.md"))
    page = visit.page
    page.set_default_timeout(300_000)
    page.wait_for_function(KERNEL_IS_IDLE)
    page.evaluate(
        "() => { window.run = jupyterapp.commands.execute('notebook:run-all-cells'); }"
    )
    page.wait_for_function(FIRST_CELL_RAN)
    first = time.perf_counter() - start
    page.evaluate("() => window.run")
    end = time.perf_counter() - start
    print(f"{chapter}: first cell after {first:.1f} s, the last after {end:.1f} s")
    ran = page.evaluate(RAN)
    assert len(ran) == text.count("```{code-cell}")
    assert [error for _, error in ran if error] == []
    assert [count for count, _ in ran] == list(range(1, len(ran) + 1))
    for drawn, expected in (
        (".live-figure", text.count("from selfattention.live import")),
        ("[id^=bertviz-] svg", text.count("\nself_contained(")),
    ):
        page.wait_for_function(
            "([drawn, count]) => document.querySelectorAll(drawn).length >= count",
            arg=[drawn, expected],
        )
    assert [url for url in visit.requests if "127.0.0.1" not in url] == []
    # JupyterLab saves by itself every two minutes: the cells stay as they were written.
    assert cells(path.read_text(encoding="utf-8")) == cells(text)


def cells(text):
    """What stands in the cells of a chapter."""
    return [cell.source for cell in jupytext.reads(text, fmt="md:myst").cells]


def test_launch_link_opens_what_was_changed_and_overwrites_nothing(
    binder, lab, open_page
):
    path = binder[1] / "chapters" / "index.md"
    changed = path.read_text(encoding="utf-8") + "\nA student wrote this.\n"
    path.write_text(changed, encoding="utf-8")
    for _ in range(2):
        page = open_page(lab("chapters/index.md")).page
        page.get_by_text("A student wrote this.").wait_for()
        assert path.read_text(encoding="utf-8") == changed
