"""Attention by hand in a real browser: every step, with Python's numbers."""

import math

import pytest
from live_examples import by_hand
from looking import numbers
from playwright.sync_api import expect

from selfattention.live import ByHand

STAGES = {"scores": "Scores", "weights": "Weights", "contexts": "Context vectors"}


def table(page, name):
    """The numbers of a matrix, row by row; NaN where nothing has been worked out."""
    rows = page.get_by_role("table", name=name, exact=True).locator(
        "[role=row]:not(.live-heads)"
    )
    found = rows.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('[role=cell]')].map("
        "cell => cell.firstChild ? +cell.firstChild.value : null))"
    )
    return [[math.nan if x is None else x for x in row] for row in found]


def lit(page):
    """How many cells of each matrix are lit."""
    tables = page.get_by_role("table")
    return tables.evaluate_all(
        "all => all.map(one => one.querySelectorAll('.live-lit').length)"
    )


def filled(figure, row, stage, done):
    """What a stage looks like after ``done`` of its steps, by Python."""
    values = getattr(figure, stage).tolist()
    if done >= len(values[row]):
        return values
    return [
        [v if i == row and j < done else math.nan for j, v in enumerate(line)]
        for i, line in enumerate(values)
    ]


def test_every_step_fills_in_one_cell(address, open_page):
    figure = by_hand(row=1)
    page = open_page(address(figure)).page
    assert numbers(page.locator(".live-figure")) == pytest.approx(
        [x for row in figure.X for x in row]
    )
    next_ = page.get_by_role("button", name="Next")
    worked = page.locator(".live-line")
    results = [figure.scores[1], figure.weights[1], figure.contexts[1]]
    sources = [[6, 1, 0, 0], [0, 6, 1, 0], [6, 0, 6, 1]]  # lit in X, scores, …
    step = 0
    for stage, row in enumerate(results):
        for cell, result in enumerate(row.tolist()):
            next_.click()
            step += 1
            for number, (name, title) in enumerate(STAGES.items()):
                done = [6, 6, 3][number] if number < stage else cell + 1
                done = done if number <= stage else 0
                for found, wanted in zip(
                    table(page, title), filled(figure, 1, name, done), strict=True
                ):
                    assert found == pytest.approx(wanted, rel=0, abs=1e-9, nan_ok=True)
            first, *others = sources[stage]
            twice = stage == 0 and cell == 1  # journey and journey: one row of X
            assert lit(page) == [3 if twice else first, *others]
            expect(worked).to_contain_text(f"= {result:.4f}")
    assert step == 15
    expect(next_).to_have_attribute("aria-disabled", "true")
    next_.press("Enter")
    expect(worked).to_contain_text("Entry 3 of the context")


def test_arrow_keys_go_to_and_fro(address, open_page):
    page = open_page(address(by_hand())).page
    worked = page.locator(".live-line")
    page.get_by_role("button", name="Back").focus()
    page.keyboard.press("ArrowLeft")  # there is nothing before the start
    expect(worked).to_have_text("your asks. Press Next to work out its first score.")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(worked).to_have_text(
        "Score of your and journey: 0.43 × 0.55 + 0.15 × 0.87 + 0.89 × 0.66 = 0.9544"
    )
    page.keyboard.press("ArrowLeft")
    expect(worked).to_contain_text("Score of your and your")
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    expect(worked).to_contain_text("Entry 3 of the context")
    page.keyboard.press("Enter")  # on Back
    expect(worked).to_contain_text("Entry 2 of the context")


def test_the_keyboard_chooses_a_token(address, open_page):
    figure = by_hand()
    page = open_page(address(figure)).page
    page.get_by_role("radio", name="your").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Next").press("Enter")
    worked = page.locator(".live-line")
    expect(worked).to_contain_text("Score of journey and your")
    page.get_by_role("radio", name="step").click()
    expect(worked).to_contain_text("Score of step and your")
    assert lit(page) == [6, 1, 0, 0]
    found = [x for row in table(page, "Scores") for x in row if not math.isnan(x)]
    assert found == pytest.approx([figure.scores[5, 0].item()])


def test_a_stage_can_be_completed_at_once(address, open_page):
    figure = by_hand(scale=math.sqrt(3))
    page = open_page(address(figure)).page
    for name in ("scores", "scaled", "weights", "contexts"):
        page.get_by_role("button", name=f"All {name}").click()
        title = {**STAGES, "scaled": "Scores, scaled"}[name]
        found = [x for row in table(page, title) for x in row]
        wanted = getattr(figure, name).flatten().tolist()
        assert found == pytest.approx(wanted, rel=0, abs=1e-9)
    page.get_by_role("button", name="All scaled").click()
    assert all(math.isnan(x) for row in table(page, "Weights") for x in row)
    expect(page.locator(".live-line")).to_contain_text("/ 1.732 =")


def test_without_a_scale_there_is_no_such_step(address, open_page):
    page = open_page(address(ByHand(["a", "b"], [[1, -2], [0.5, 3]]))).page
    expect(page.get_by_role("button", name="All scaled")).to_have_count(0)
    expect(page.get_by_role("table", name="Scores, scaled")).to_have_count(0)
    page.get_by_role("button", name="All contexts").click()
    expect(page.get_by_role("table")).to_have_count(4)
