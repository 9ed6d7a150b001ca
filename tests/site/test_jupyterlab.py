"""Live figures in a real JupyterLab: the kernel and the page move each other."""

import ast
import json
import math
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from laboratory import serve, wait_until
from live_examples import EXAMPLES
from looking import numbers
from playwright.sync_api import expect

from selfattention.live import Saturation

SETUP = """\
from selfattention.live import Saturation
fig = Saturation([1, 2, 3, 4], factor=1)
fig"""
PRINT = "print(fig.factor, fig.largest_jacobian_entry)"
MOVE = "fig.factor = 100"
CHANGE = "fig.scores = [0, 5]"


@pytest.fixture(scope="module")
def lab():
    """A JupyterLab of its own: the address of a notebook with one cell per string."""
    # Short, because a kernel's sockets stand in it and their names have a limit.
    home = Path(tempfile.mkdtemp(prefix="l"))
    notebooks = home / "notebooks"
    notebooks.mkdir()
    with serve(sys.executable, notebooks, home) as address:

        def write(name, *sources):
            (notebooks / name).write_text(notebook(sources), encoding="utf-8")
            return address(name)

        yield write
    shutil.rmtree(home)


def notebook(sources):
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{i}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for i, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {
            "cells": cells,
            "metadata": {"kernelspec": kernel},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def open_notebook(open_page, url):
    """Open the notebook and wait for its kernel."""
    page = open_page(url, viewport={"width": 1000, "height": 800}).page
    page.set_default_timeout(60_000)
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext"
        "?.session?.kernel?.status === 'idle'"
    )
    return page


def run(page, index):
    """Run one cell to its end; what it printed."""
    return page.evaluate(
        """async index => {
            const notebook = jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = index;
            notebook.deselectAll();
            await jupyterapp.commands.execute('notebook:run-cell');
            const outputs = notebook.model.cells.get(index).sharedModel.getOutputs();
            return outputs.map(output => [output.text ?? ''].flat().join('')).join('');
        }""",
        index,
    )


def wait_until_kernel_has(page, index, factor):
    """Run a cell until it prints the factor: messages of a slider may queue up."""
    wait_until(lambda: run(page, index).split()[0] == factor, f"factor {factor}")


EVERY = """\
import sys
sys.path.insert(0, {tests!r})
from live_examples import EXAMPLES
figs = {{kind: make() for kind, make in EXAMPLES.items()}}
display(*figs.values())"""
# What Python is asked, and what it says after one key has been pressed on the page.
ASKED = """\
print([
    figs["byhand"].step,
    round(figs["circle"].query_angle, 6),
    [round(x, 6) for x in figs["circle"].output.tolist()],
    figs["heads"].row,
    figs["mask"].mask[0][0],
    figs["mask"].row_sums.tolist()[0],
    [round(x, 6) for x in figs["saturation"].scores],
    figs["training"].snapshot,
])"""
MOVED = """\
figs["byhand"].step = 15
with figs["circle"].hold_trait_notifications():
    figs["circle"].key_names = figs["circle"].value_names = ["ONE", "TWO"]
    figs["circle"].key_angles = figs["circle"].value_angles = [0.25, 3]
figs["heads"].sentence = 1
figs["mask"].softmax = "plain"
figs["mask"].mask = [[False] * 6] * 6
figs["saturation"].scores = [0, 5]
figs["training"].snapshot = 4"""
REFUSED = """\
try:
    figs["circle"].key_angles = [1]
except Exception as error:
    print(type(error).__name__, error)"""


def press_everywhere(page):
    """Press one key, the same as a reader would, on each of the six figures."""
    for role, name, key in [
        ("button", "Next", "Enter"),
        ("slider", "Query PERRO", "PageUp"),
        ("radio", "[CLS]", "ArrowDown"),
        ("button", "your may attend to your", "Space"),
        ("button", "New scores", "Enter"),
        ("slider", "Training step", "ArrowRight"),
    ]:
        one = page.get_by_role(role, name=name, exact=True)
        one.focus()
        one.press(key)


def test_every_figure_and_the_kernel_move_each_other(lab, open_page):
    tests = str(Path(__file__).parent.parent)
    every = EVERY.format(tests=tests)
    page = open_notebook(open_page, lab("every.ipynb", every, ASKED, MOVED, REFUSED))
    run(page, 0)
    figures = page.locator(".live-figure[role=group]")
    expect(figures).to_have_count(len(EXAMPLES), timeout=60_000)
    shown = dict(zip(EXAMPLES, figures.all(), strict=True))
    mine = {kind: make() for kind, make in EXAMPLES.items()}

    press_everywhere(page)
    circle, mask = mine["circle"], mine["mask"]
    circle.query_angle += math.pi / 6
    mask.mask = [[(i, j) != (0, 0) for j in range(6)] for i in range(6)]
    labels = shown["saturation"].locator(".live-bar > span").all_text_contents()
    scores = [float(label.split("= ")[1]) for label in labels]

    def kernel_has_it():
        said = ast.literal_eval(run(page, 1))
        drawn = said.pop(6)
        return drawn == pytest.approx(scores, abs=1e-3) and said == [
            1,
            round(circle.query_angle, 6),
            [round(x, 6) for x in circle.output.tolist()],
            1,
            False,
            pytest.approx(1),
            1,
        ]

    wait_until(kernel_has_it, "the state of the page in the kernel")
    assert figures.count() == len(EXAMPLES)  # Enter and Space ran no cell

    run(page, 2)
    expect(shown["byhand"].locator(".live-line")).to_contain_text("Entry 3")
    bars = shown["circle"].locator(".live-bar > span")
    expect(bars).to_have_text(["ONE → ONE", "TWO → TWO"])
    expect(shown["heads"].get_by_text("What a attends to")).to_have_count(1)
    expect(shown["mask"].get_by_text("NaN", exact=True)).to_have_count(42)
    expect(shown["saturation"].locator(".live-bar")).to_have_count(2)
    expect(shown["training"].get_by_role("slider")).to_have_value("4")
    with circle.hold_trait_notifications():
        circle.key_names = circle.value_names = ["ONE", "TWO"]
        circle.key_angles = circle.value_angles = [0.25, 3]
    mine["training"].snapshot = 4
    found = numbers(shown["circle"])
    expected = [*circle.weights.tolist(), *circle.output.tolist()]
    assert found == pytest.approx(expected, rel=0, abs=1e-6)
    weights = [x for row in mine["training"].weights[4] for x in row]
    found = numbers(shown["training"])[1:17]
    assert found == pytest.approx(weights, rel=0, abs=1e-6)
    assert run(page, 3).startswith("TraitError as many names and angles of keys")


def weights(page):
    everything = page.locator(".live-bar data")
    return everything.evaluate_all("all => all.map(one => +one.value)")


def test_the_slider_moves_the_kernel(lab, open_page):
    page = open_notebook(open_page, lab("page-to-kernel.ipynb", SETUP, PRINT))
    run(page, 0)
    slider = page.get_by_role("slider")
    expect(slider).to_have_value("21", timeout=60_000)
    assert weights(page) == pytest.approx(Saturation().weights.tolist(), rel=1e-6)
    assert run(page, 1).split()[0] == "1.0"
    slider.focus()
    slider.press("End")
    wait_until_kernel_has(page, 1, "100.0")
    entry = float(run(page, 1).split()[1])
    assert entry == pytest.approx(3.7e-44, rel=0.02)
    # The arrow keys belong to the slider and not to the notebook around it.
    cell = "jupyterapp.shell.currentWidget.content.activeCellIndex"
    page.evaluate(f"{cell} = 0")
    slider.focus()
    for key in ["ArrowLeft", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"]:
        slider.press(key)
    assert page.evaluate(cell) == 0
    expect(slider).to_be_focused()
    wait_until_kernel_has(page, 1, "89.1")
    slider.press("Home")
    wait_until_kernel_has(page, 1, "0.0")


def test_the_kernel_moves_the_slider(lab, open_page):
    url = lab("kernel-to-page.ipynb", SETUP, MOVE, CHANGE, PRINT)
    page = open_notebook(open_page, url)
    run(page, 0)
    slider = page.get_by_role("slider")
    expect(slider).to_have_value("21", timeout=60_000)
    run(page, 1)
    expect(slider).to_have_value("61")
    expect(page.locator(".live-slider .live-value")).to_have_text("×100")
    expect(page.locator(".live-bar data").last).to_have_text("1.0000")
    expected = Saturation(factor=100).weights.tolist()
    assert weights(page) == pytest.approx(expected, rel=1e-6)
    run(page, 2)
    expect(page.locator(".live-bar")).to_have_count(2)
    expect(page.locator(".live-bar > span")).to_have_text(["s1 = 0", "s2 = 5"])
    assert run(page, 3).split()[0] == "100.0"
