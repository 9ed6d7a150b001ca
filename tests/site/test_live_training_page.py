"""A head in training in a real browser: scrubbed, played, with Python's numbers."""

import re

import pytest
from live_examples import training
from looking import numbers
from playwright.sync_api import expect

from selfattention.live.training import SIZE


def expected(figure):
    """Accuracy, weights, and the right map."""
    now = figure.snapshot
    flat = [
        x for table in (figure.weights[now], figure.right) for r in table for x in r
    ]
    return [figure.accuracies[now], *flat]


def places(page):
    """Where keys and then queries stand in the plane."""
    everything = page.locator("svg g").evaluate_all(
        "all => all.map(one => one.getAttribute('transform'))"
    )
    return [float(n) for text in everything for n in re.findall(r"[-\d.]+", text)]


def assert_same(page, figure):
    assert numbers(page.locator(".live-figure")) == pytest.approx(
        expected(figure), rel=0, abs=1e-9
    )
    both = figure.key_points, figure.query_points
    far = max(abs(x) for points in both for step in points for p in step for x in p)
    wanted = [
        sign * SIZE * part / far
        for points in both
        for point in points[figure.snapshot]
        for sign, part in zip((1, -1), point, strict=True)
    ]
    assert places(page) == pytest.approx(wanted, abs=1e-6)


def test_the_slider_goes_through_the_snapshots(address, open_page):
    figure = training()
    page = open_page(address(figure)).page
    slider = page.get_by_role("slider", name="Training step")
    assert_same(page, figure)
    for snapshot in range(1, 5):
        slider.press("ArrowRight")
        figure.snapshot = snapshot
        assert_same(page, figure)
        expect(slider).to_have_attribute("aria-valuetext", str(20 * snapshot))
    slider.press("Home")
    figure.snapshot = 0
    assert_same(page, figure)


def test_a_kind_is_a_shape(address, open_page):
    page = open_page(address(training())).page
    shapes = page.locator("svg g > :first-child")
    tags = shapes.evaluate_all("all => all.map(one => one.tagName)")
    assert tags == ["circle", "path"] * 4
    expect(page.get_by_text("round: vowel, square: consonant")).to_be_visible()


def test_play_and_pause(address, open_page):
    page = open_page().page
    page.clock.install()
    figure = training(snapshot=1)
    page.goto(address(figure))
    slider = page.get_by_role("slider")
    page.clock.run_for(5000)
    expect(slider).to_have_value("1")  # nothing plays by itself
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(450)
    expect(slider).to_have_value("2")
    page.get_by_role("button", name="Pause").press("Space")
    page.clock.run_for(5000)
    expect(slider).to_have_value("2")
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(5000)
    expect(slider).to_have_value("4")
    figure.snapshot = 4
    assert_same(page, figure)
    page.get_by_role("button", name="Play").click()  # from the start again
    expect(slider).to_have_value("0")
    page.clock.run_for(450)
    expect(slider).to_have_value("1")
    slider.press("End")  # who takes the slider stops the play
    slider.press("ArrowLeft")
    page.clock.run_for(5000)
    expect(slider).to_have_value("3")


def test_with_less_motion_it_goes_step_by_step(address, open_page):
    page = open_page(reduced_motion="reduce").page
    page.clock.install()
    page.goto(address(training(snapshot=3)))
    slider, button = page.get_by_role("slider"), page.get_by_role("button", name="Next")
    for value in ("4", "0", "1"):
        button.click()
        page.clock.run_for(5000)
        expect(slider).to_have_value(value)
    expect(page.get_by_role("button", name="Play")).to_have_count(0)
