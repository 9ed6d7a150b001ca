"""Heads in a real browser: chosen, pointed at, with Python's numbers."""

import pytest
from live_examples import heads
from looking import NARROW, WIDE, box, boxes, numbers
from playwright.sync_api import expect


def expected(figure, row=None):
    """The map, and the row that is written out."""
    weights = figure.weights[figure.layer, figure.head]
    row = figure.row if row is None else row
    return [*weights.flatten().tolist(), *weights[row].tolist()]


def assert_same(page, figure, row=None):
    found = numbers(page.locator(".live-figure"))
    assert found == pytest.approx(expected(figure, row), rel=0, abs=1e-9)
    token = figure.tokens[figure.row if row is None else row]
    expect(page.get_by_text(f"What {token} attends to")).to_be_visible()


def test_every_head_of_every_sentence(address, open_page):
    figure = heads()
    page = open_page(address(figure)).page
    for sentence in range(2):
        page.get_by_role("combobox", name="Sentence").select_option(index=sentence)
        figure.sentence = sentence
        for layer in range(2):
            page.get_by_role("combobox", name="Layer").select_option(str(layer))
            for head in range(3):
                page.get_by_role("combobox", name="Head").select_option(str(head))
                figure.layer, figure.head = layer, head
                assert_same(page, figure)


def test_a_row_is_chosen_by_keyboard(address, open_page):
    figure = heads()
    page = open_page(address(figure)).page
    page.get_by_role("radio", name="[CLS]").focus()
    for row in (1, 2, 3, 0):
        page.keyboard.press("ArrowDown")
        figure.row = row
        assert_same(page, figure)
    page.get_by_role("combobox", name="Head").focus()
    page.keyboard.press("ArrowDown")
    figure.head = 1
    assert_same(page, figure)


def test_pointing_shows_a_row_and_clicking_keeps_it(address, open_page):
    figure = heads()
    page = open_page(address(figure)).page
    rows = page.locator(".live-map [role=row]:not(.live-heads)")
    x, y, width, height = box(rows.nth(2))
    page.mouse.move(x + width / 2, y + height / 2)
    assert_same(page, figure, row=2)
    page.mouse.move(5, 5)
    assert_same(page, figure)
    page.mouse.click(x + width / 2, y + height / 2)
    page.mouse.move(5, 5)
    figure.row = 2
    assert_same(page, figure)
    expect(page.get_by_role("radio").nth(2)).to_be_checked()
    page.get_by_role("radio").nth(1).locator("xpath=..").click()
    page.mouse.move(5, 5)
    figure.row = 1
    assert_same(page, figure)


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["narrow", "wide"])
def test_a_shorter_sentence_takes_the_last_row(address, open_page, viewport):
    figure = heads(sentence=1, row=4)
    page = open_page(address(figure), viewport=viewport).page
    size = box(page.locator(".live-figure"))
    assert_same(page, figure)
    page.get_by_role("combobox", name="Sentence").select_option(index=0)
    with figure.hold_trait_notifications():
        figure.sentence, figure.row = 0, 3
    assert_same(page, figure)
    assert box(page.locator(".live-figure")) == size


def test_the_table_can_be_read_cell_by_cell(address, open_page):
    page = open_page(address(heads(layer=1, head=2))).page
    table = page.get_by_role("table", name="A row per query, a column per key")
    expect(table.get_by_role("columnheader")).to_have_text(
        ["[CLS]", "time", "flies", "[SEP]"]
    )
    expect(table.get_by_role("rowheader")).to_have_count(4)
    assert {(w, h) for _, _, w, h in boxes(table.locator("data"))} == {(1, 1)}  # unseen
    weight = heads().weights[1, 2, 1, 3].item()
    row = table.get_by_role("row").nth(2)
    expect(row.get_by_role("cell").nth(3)).to_have_text(f"{weight:.3f}")
