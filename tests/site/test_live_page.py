"""Live figures on a static page, opened as a file in a real browser."""

import json
import math

import pytest
from looking import (
    COLOURS,
    NARROW,
    WIDE,
    box,
    boxes,
    contrast,
    luminance,
    numbers,
    texts,
)
from playwright.sync_api import expect

from selfattention.live import Saturation
from selfattention.live.figure import fixed, short, source

SCORES = [
    [1, 2, 3, 4],
    [0.5, -2.25, 3, 0.125, 7, 2, 1, 0],
    [3, 3],
    [1000, 1000.5, 990],
    [-1.7e308, 1.7e308],
    [math.sin(i) for i in range(64)],
]
FACTORS = [0, 0.1, 1, 3.3, 10, 34, 100]


def expected(figure):
    """What ``numbers`` should be, by Python."""
    weights = figure.weights.tolist()
    return [*weights, figure.entropy, figure.largest_jacobian_entry]


@pytest.mark.parametrize("scores", SCORES, ids=lambda scores: str(scores)[:20])
def test_the_page_computes_what_python_computes(address, open_page, scores):
    figures = [Saturation(scores, factor) for factor in FACTORS]
    visit = open_page(address(*figures))
    for i, figure in enumerate(figures):
        shown = visit.page.locator(".live-figure").nth(i)
        assert numbers(shown) == pytest.approx(expected(figure), rel=1e-6, abs=0)
        assert texts(shown) == [fixed(number) for number in expected(figure)]
        labels = shown.locator(".live-bar > span").all_text_contents()
        assert labels == [
            f"s{j} = {short(score)}" for j, score in enumerate(figure.scores, start=1)
        ]
        expect(shown.locator(".live-slider .live-value")).to_have_text(
            f"×{short(figure.factor)}"
        )
    assert visit.errors == []


def test_every_stop_of_the_slider(address, open_page):
    visit = open_page(address(Saturation()))
    slider = visit.page.get_by_role("slider")
    figure = visit.page.locator(".live-figure")
    slider.press("Home")
    factors = []
    for position in range(62):
        assert slider.input_value() == str(position)
        factor = visit.page.locator(".live-slider .live-value").text_content()
        assert slider.get_attribute("aria-valuetext") == factor
        factors.append(float(factor.removeprefix("×")))
        python = Saturation(factor=factors[-1])
        assert numbers(figure) == pytest.approx(expected(python), rel=1e-6, abs=0)
        slider.press("ArrowRight")
    assert factors == sorted(set(factors))
    assert {0, 0.1, 1, 10, 100} <= set(factors)
    assert slider.input_value() == "61"  # there is nothing to the right of 100


def test_the_keyboard_moves_the_slider(address, open_page):
    visit = open_page(address(Saturation()))
    visit.page.keyboard.press("Tab")
    slider = visit.page.get_by_role("slider", name="Multiply the scores by")
    expect(slider).to_be_focused()
    value = visit.page.locator(".live-slider .live-value")
    for key, factor in [
        ("ArrowRight", "×1.12"),
        ("ArrowDown", "×1"),
        ("ArrowLeft", "×0.891"),
        ("ArrowUp", "×1"),
        ("End", "×100"),
        ("Home", "×0"),
        ("ArrowRight", "×0.1"),
    ]:
        visit.page.keyboard.press(key)
        expect(value).to_have_text(factor)


def test_the_mouse_drags_the_slider(address, open_page):
    visit = open_page(address(Saturation()))
    x, y, width, height = box(visit.page.get_by_role("slider"))
    mouse, middle = visit.page.mouse, y + height / 2
    # The thumb, 16 pixels wide, stands on the 21st of 61 steps.
    mouse.move(x + 8 + (width - 16) * 21 / 61, middle)
    mouse.down()
    mouse.move(x + 8 + (width - 16) * 41 / 61, middle, steps=5)
    figure = visit.page.locator(".live-figure")
    assert numbers(figure) == pytest.approx(expected(Saturation(factor=10)), rel=1e-6)
    mouse.move(x + width + 50, middle, steps=5)
    mouse.up()
    assert numbers(figure) == pytest.approx(expected(Saturation(factor=100)), rel=1e-6)
    assert texts(figure)[-1] == "3.7e-44"


def test_bars_are_as_long_as_their_weights(address, open_page):
    figure = Saturation([0, 1, 2], factor=1.5)
    visit = open_page(address(figure), reduced_motion="reduce")
    for i, weight in enumerate(figure.weights.tolist()):
        row = visit.page.locator(".live-bar").nth(i)
        *_, track, _ = box(row.locator(".live-bar-track"))
        *_, length, height = box(row.locator(".live-bar-fill"))
        assert length == pytest.approx(weight * (track - 1), abs=0.1)  # 1 is its edge
        assert height > 10


def test_bars_grow_and_are_not_replaced(address, open_page):
    visit = open_page(address(Saturation()))
    bar = visit.page.locator(".live-bar-fill").last.element_handle()
    visit.page.get_by_role("slider").press("End")
    assert bar.evaluate("one => one.isConnected && one.style.width") == "100%"


def test_figures_on_one_page_are_independent(address, open_page):
    first, second = Saturation([1, 2, 3, 4]), Saturation([0, 5], factor=0.1)
    visit = open_page(address(first, second))
    shown = visit.page.locator(".live-figure")
    sliders = visit.page.get_by_role("slider")
    sliders.nth(0).press("End")
    assert numbers(shown.nth(0)) == pytest.approx(expected(Saturation(factor=100)))
    assert numbers(shown.nth(1)) == pytest.approx(expected(second))
    sliders.nth(1).press("Home")
    assert numbers(shown.nth(0)) == pytest.approx(expected(Saturation(factor=100)))
    assert numbers(shown.nth(1)) == pytest.approx(expected(Saturation([0, 5], 0)))
    assert visit.errors == []


def test_a_figure_that_cannot_be_drawn_keeps_its_picture(address, open_page, tmp_path):
    broken, sound = Saturation(), Saturation([1, 2])
    url = address(broken, sound)
    page = tmp_path / "light.html"
    state = json.dumps(broken.state())
    page.write_text(page.read_text().replace(state, "not JSON"))
    visit = open_page(url)
    shown = visit.page.locator(".live-figure")
    expect(shown.nth(0).get_by_role("img")).to_be_visible()
    expect(shown.nth(1).get_by_role("slider")).to_be_visible()
    (error,) = visit.errors
    assert error.startswith("The live figure saturation cannot be drawn.")


def test_the_model_of_a_page_behaves_like_that_of_jupyter(open_page):
    visit = open_page()
    visit.page.set_content(
        '<div class="live-figure" data-figure="probe">'
        '<script type="application/json">{"factor": 1, "scores": [1, 2]}</script></div>'
    )
    probe = "const figures = { probe: ({ model }) => { window.model = model; } };"
    visit.page.evaluate(f"() => {{ {probe} {source('mount.js')} }}")
    heard = visit.page.evaluate(
        """() => {
            const heard = [];
            const first = (from, value) => heard.push(from === model, value);
            const second = () => heard.push('second');
            model.on('change:factor', first);
            model.on('change:factor', second);
            model.on('change:scores', () => heard.push('scores'));
            model.set('factor', 5);
            model.set('factor', 5);
            model.off('change:factor', second);
            model.off('change:nothing', second);
            model.set('factor', 6);
            model.save_changes();
            return [...heard, model.get('factor'), model.get('scores')];
        }"""
    )
    assert heard == [True, 5, "second", True, 6, 6, [1, 2]]
    assert visit.errors == []


def test_the_page_asks_only_for_its_own_files(address, open_page):
    url = address(Saturation())
    visit = open_page(url)
    visit.page.get_by_role("slider").press("End")
    folder = url.rpartition("/")[0]
    own = [f"{folder}/{name}" for name in ("light.html", "live.css", "live.js")]
    local = [address for address in visit.requests if not address.startswith("data:")]
    assert sorted(local) == own


def test_changes_are_announced_once_things_are_still(address, open_page):
    visit = open_page()
    visit.page.clock.install(time=0)
    visit.page.goto(address(Saturation()))
    visit.page.clock.pause_at(3600)  # from here on time passes only by run_for
    status = visit.page.get_by_role("status")
    expect(status).to_have_attribute("aria-live", "polite")
    visit.page.evaluate(
        "() => { window.said = []; new MutationObserver(() => said.push("
        "document.querySelector('[role=status]').textContent))"
        ".observe(document.body, {subtree: true, childList: true,"
        " characterData: true, attributes: false}) }"
    )
    slider = visit.page.get_by_role("slider")
    for _ in range(10):
        slider.press("ArrowRight")
        visit.page.clock.run_for(400)
    expect(status).to_have_text("")  # nothing on loading, nothing while it moves
    slider.press("End")
    visit.page.clock.run_for(1000)
    said = (
        "Scores times 100: largest weight 1.0000, entropy 3.8e-42 nats, "
        "largest Jacobian entry 3.7e-44."
    )
    expect(status).to_have_text(said)
    assert [text for text in visit.page.evaluate("said") if text] == [said]
    # Nothing else on the page speaks: an <output> would, at every step.
    assert visit.page.locator("output, [aria-live]").count() == 1


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("length", [2, 4, 12, 64])
def test_nothing_shifts_when_a_figure_is_mounted(address, open_page, viewport, length):
    url = address(Saturation(range(length)), Saturation([1, 2]))
    before = open_page(url, viewport=viewport, java_script_enabled=False)
    after = open_page(url, viewport=viewport)
    expect(before.page.locator(".live-figure > svg")).to_have_count(2)
    expect(after.page.get_by_role("slider")).to_have_count(2)
    for i in range(2):
        still = box(before.page.locator(".live-figure").nth(i))
        live = box(after.page.locator(".live-figure").nth(i))
        assert live == pytest.approx(still, abs=1)


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["narrow", "wide"])
def test_nothing_shifts_when_the_slider_moves(address, open_page, viewport):
    visit = open_page(address(Saturation([-7.123, 0.5, 3, 1e6])), viewport=viewport)
    moving = ":not(.live-bar-fill, .live-announcement)"
    everything = visit.page.locator(f".live-figure, .live-figure {moving}")
    slider = visit.page.get_by_role("slider")
    slider.press("Home")
    layout = boxes(everything)
    assert len(layout) > 20
    for _ in range(61):
        slider.press("ArrowRight")
        assert boxes(everything) == layout


@pytest.mark.parametrize("scripts", [True, False], ids=["live", "still"])
@pytest.mark.parametrize(
    "scores", [[1, 2], [-1.5e300, -1.2e-300, 99999], range(64)], ids=["2", "long", "64"]
)
def test_nothing_overflows_a_telephone(address, open_page, scores, scripts):
    figure = Saturation(scores, factor=100)
    url = address(figure)
    visit = open_page(url, viewport=NARROW, java_script_enabled=scripts)
    assert visit.page.evaluate("document.documentElement.scrollWidth") == 360
    left, _, width, _ = box(visit.page.locator(".live-figure"))
    inside = visit.page.locator(".live-figure *:not(.live-announcement, script)")
    assert inside.count() > 5
    for x, _, w, _ in boxes(inside):
        assert left <= x
        assert x + w <= left + width
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    assert visit.page.locator(".live-figure data").evaluate_all(cut) == 0


@pytest.mark.parametrize("scripts", [True, False], ids=["live", "still"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_can_be_read(address, open_page, theme, scripts):
    url = address(Saturation(range(8)), theme=theme)
    visit = open_page(url, java_script_enabled=scripts)
    found = visit.page.locator(".live-figure").evaluate(COLOURS)
    kinds = [kind for kind, *_ in found]
    assert kinds.count("bar") == 8
    assert kinds.count("text") >= 8 * 2 + 7
    least = {"text": 4.5, "bar": 3}
    assert [one for one in found if contrast(*one[1:]) < least[one[0]]] == []
    backgrounds = {background for *_, background in found}
    bright = {luminance(background) > 0.5 for background in backgrounds}
    assert bright == {theme == "light"}


def test_without_javascript_there_is_a_picture(address, open_page):
    figure = Saturation([1, 2, 3], factor=10)
    visit = open_page(address(figure), java_script_enabled=False)
    picture = visit.page.get_by_role("img")
    expect(picture).to_be_visible()
    for number in expected(figure):
        expect(picture).to_contain_text(fixed(number))
    expect(visit.page.get_by_text("With JavaScript this figure moves.")).to_be_visible()
    expect(visit.page.get_by_role("slider")).to_have_count(0)
    widths = [width for _, _, width, _ in boxes(picture.locator("rect"))]
    full = 0.42 * box(picture)[2]
    weights = figure.weights.tolist()
    assert widths == pytest.approx([full * a for a in weights], abs=0.5)


@pytest.mark.parametrize(
    ("motion", "moves"), [("reduce", False), ("no-preference", True)]
)
def test_reduced_motion_is_respected(address, open_page, motion, moves):
    visit = open_page(address(Saturation()), reduced_motion=motion)
    seconds = visit.page.locator(".live-bar-fill").first.evaluate(
        "one => parseFloat(getComputedStyle(one).transitionDuration)"
    )
    assert (seconds > 0) == moves


def draw(seed, count):
    """Standard normal numbers, as saturation.js draws them."""

    def uniform():
        nonlocal seed
        seed = (seed + 0x9E3779B9) % 2**32
        bits = (seed ^ seed >> 16) * 0x85EBCA6B % 2**32
        bits = (bits ^ bits >> 13) * 0xC2B2AE35 % 2**32
        return ((bits ^ bits >> 16) + 0.5) / 2**32

    return [
        math.sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform())
        for _ in range(count)
    ]


def test_new_scores_are_normal_and_can_be_repeated(address, open_page):
    visit = open_page(address(Saturation(range(64), factor=2)))
    figure, button = (
        visit.page.locator(".live-figure"),
        visit.page.get_by_role("button"),
    )
    drawn = []
    for press in (1, 2, 3):
        button.click()
        drawn += draw(press, 64)
        python = Saturation(drawn[-64:], factor=2)
        assert numbers(figure) == pytest.approx(expected(python), rel=1e-6)
        labels = figure.locator(".live-bar > span").all_text_contents()
        assert labels[0] == f"s1 = {short(python.scores[0])}"
    mean = sum(drawn) / len(drawn)
    variance = sum(score**2 for score in drawn) / len(drawn)
    assert abs(mean) < 3 / math.sqrt(len(drawn))
    assert variance == pytest.approx(1, abs=3 * math.sqrt(2 / len(drawn)))
    button.press("Space")
    assert numbers(figure) == pytest.approx(expected(Saturation(draw(4, 64), 2)))
