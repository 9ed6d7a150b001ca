"""The mask in a real browser: clicked, typed, chosen, with Python's numbers."""

import pytest
import torch
from live_examples import mask
from playwright.sync_api import expect

from selfattention.attention import causal_mask, padding_mask

PADDING = padding_mask([4], 6)[0].expand(6, 6)
PRESETS = {
    "causal": causal_mask(6),
    "padding": PADDING,
    "both": causal_mask(6) & PADDING,
    "all": torch.zeros(6, 6, dtype=torch.bool),
    "none": torch.ones(6, 6, dtype=torch.bool),
}
SOFTMAXES = {"book": "the book's", "plain": "plain, −∞", "large": "plain, −10⁹"}


def weights(page):
    """Weights and sums, as the page shows them, ``(6, 7)``."""
    table = page.get_by_role("table", name="Weights, and their sum")
    found = table.locator("data").evaluate_all("all => all.map(one => +one.value)")
    return torch.tensor(found, dtype=torch.float64).view(6, 7)


def assert_same(page, figure):
    expected = torch.column_stack([figure.weights, figure.row_sums])
    assert torch.allclose(weights(page), expected, rtol=0, atol=1e-9, equal_nan=True)
    pressed = page.locator(".live-press").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-pressed') === 'true')"
    )
    assert pressed == [allowed for row in figure.mask for allowed in row]


def test_every_preset_with_every_softmax(address, open_page):
    figure = mask()
    page = open_page(address(figure)).page
    for softmax, text in SOFTMAXES.items():
        page.get_by_role("radio", name=text).check()
        figure.softmax = softmax
        for name, preset in PRESETS.items():
            page.get_by_role("radio", name=name, exact=True).check()
            figure.mask = preset
            assert_same(page, figure)


def test_a_row_with_nothing_to_attend_to_is_explained(address, open_page):
    page = open_page(address(mask())).page
    verdict = page.locator(".live-line")
    expect(verdict).to_contain_text("every row sums to 1")
    for j in range(6):
        page.locator(".live-press").nth(6 + j).click()
    expect(verdict).to_contain_text("May attend to nothing: journey.")
    expect(verdict).to_contain_text("makes all its weights 0")
    assert weights(page)[1].tolist() == [0] * 7
    page.get_by_text(SOFTMAXES["plain"]).click()
    expect(verdict).to_contain_text("NaN")
    expect(page.get_by_text("NaN", exact=True)).to_have_count(7)
    page.get_by_text(SOFTMAXES["large"]).click()
    expect(verdict).to_contain_text("shared out evenly")
    assert weights(page)[1].tolist() == pytest.approx([1 / 6] * 6 + [1])


def test_cells_by_keyboard(address, open_page):
    figure = mask()
    page = open_page(address(figure)).page
    first = page.get_by_role("button", name="your may attend to your", exact=True)
    first.focus()
    for key in [
        "ArrowUp",
        "ArrowRight",
        "ArrowDown",
        "ArrowRight",
        "ArrowLeft",
        "Space",
    ]:
        page.keyboard.press(key)
    cell = page.get_by_role("button", name="journey may attend to journey")
    expect(cell).to_be_focused()
    expect(cell).to_have_attribute("aria-pressed", "false")
    figure.mask = [[(i, j) != (1, 1) for j in range(6)] for i in range(6)]
    assert_same(page, figure)
    # One cell is a stop for Tab: the one that was left.
    expect(page.locator(".live-press[tabindex='0']")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(cell).to_be_focused()
    page.keyboard.press("Enter")
    assert_same(page, mask())


def test_the_preset_that_stands_there_is_marked(address, open_page):
    page = open_page(address(mask(mask=causal_mask(6), length=6))).page
    expect(page.get_by_role("radio", name="causal")).to_be_checked()
    page.locator(".live-press").nth(1).click()
    group = page.get_by_role("group", name="Mask", exact=True)
    expect(group.locator("input:checked")).to_have_count(0)
    page.get_by_role("radio", name="none").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("radio", name="none")).to_be_checked()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="causal")).to_be_checked()
