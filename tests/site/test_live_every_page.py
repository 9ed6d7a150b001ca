"""What holds for every live figure on a page that is opened as a file."""

import re

import pytest
from live_examples import EXAMPLES
from looking import COLOURS, NARROW, WIDE, box, boxes, contrast, luminance, numbers
from playwright.sync_api import expect

from selfattention.live import bundle


def examples():
    return [make() for make in EXAMPLES.values()]


@pytest.fixture
def act():
    """Do something with a figure by the keyboard: ``act(kind, locator)``."""

    def press(locator, key):
        locator.focus()
        locator.press(key)

    actions = {
        "byhand": lambda f: press(f.get_by_role("button", name="Next"), "Enter"),
        "circle": lambda f: press(f.get_by_role("slider", name="Query"), "PageUp"),
        "heads": lambda f: press(f.get_by_role("radio").first, "ArrowDown"),
        "mask": lambda f: press(f.locator(".live-press").first, "Space"),
        "saturation": lambda f: press(f.get_by_role("button"), "Space"),
        "training": lambda f: press(f.get_by_role("slider"), "ArrowRight"),
    }
    return lambda kind, locator: actions[kind](locator)


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["narrow", "wide"])
def test_nothing_shifts_and_nothing_overflows(address, open_page, viewport):
    url = address(*examples())
    still = open_page(url, viewport=viewport, java_script_enabled=False)
    live = open_page(url, viewport=viewport)
    expect(live.page.locator(".live-figure[role=group]")).to_have_count(len(EXAMPLES))
    for visit in (still, live):
        assert visit.errors == []
        width = visit.page.evaluate("document.documentElement.scrollWidth")
        assert width == viewport["width"]
        for figure in visit.page.locator(".live-figure").all():
            left, _, width, _ = box(figure)
            inside = figure.locator("*:not(script, .live-announcement, option)")
            for x, _, w, h in boxes(inside):
                assert left <= x or w == h == 0  # what is hidden has no box
                assert x + w <= left + width + 0.1
    pairs = [boxes(visit.page.locator(".live-figure")) for visit in (still, live)]
    for before, after in zip(*pairs, strict=True):
        assert after == pytest.approx(before, abs=1)


@pytest.mark.parametrize("scripts", [True, False], ids=["live", "still"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_theme_can_be_read(address, open_page, theme, scripts):
    url = address(*examples(), theme=theme)
    visit = open_page(url, java_script_enabled=scripts)
    found = visit.page.locator("body").evaluate(COLOURS)
    least = {"text": 4.5, "bar": 3}
    assert len(found) > 300
    assert [one for one in found if contrast(*one[1:]) < least[one[0]]] == []
    for figure in visit.page.locator(".live-figure").all():
        colour = figure.evaluate("one => getComputedStyle(one).backgroundColor")
        assert (luminance(colour) > 0.5) == (theme == "light")


def test_every_control_is_reached_by_tab_and_shows_it(address, open_page):
    page = open_page(address(*examples())).page
    # One stop for a group of radio buttons, one for the cells of a mask.
    stops = page.evaluate(
        """() => {
            const all = [...document.querySelectorAll(
                'button, input, select, [tabindex="0"]')];
            const stop = one => one.tabIndex >= 0 &&
                (one.type !== 'radio' || one.checked) && one.checkVisibility();
            return all.filter(stop).length;
        }"""
    )
    describe = """() => {
        const one = document.activeElement;
        const shown = [one, one.closest('label'), one.querySelector('.live-ring')];
        const style = part => part && getComputedStyle(part);
        const seen = shown.map(style).some(s => s &&
            (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1
             || s.stroke !== 'none' && parseFloat(s.strokeWidth) >= 2));
        return one === document.body ? null : seen;
    }"""
    seen = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(describe))
    assert seen == [True] * stops
    assert stops == 9 + 6 + 4 + 3 + 2 + 2  # from circle to training
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.body")


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["narrow", "wide"])
def test_controls_have_names_and_are_large_enough(address, open_page, viewport):
    page = open_page(address(*examples()), viewport=viewport).page
    for role in ("button", "slider", "radio", "combobox"):
        named = page.get_by_role(role, name=re.compile(r"\w"))
        assert named.count() == page.get_by_role(role).count() > 0
    targets = page.locator("button, select, input[type=range], .live-figure label")
    targets = targets.and_(page.locator(":not(.live-slider-label)")).locator(
        "visible=true"
    )
    small = [one for one in boxes(targets) if one[2] < 24 or one[3] < 24]
    assert small == []
    handles = [one for one in boxes(page.locator(".live-handle .live-ring"))]
    assert len(handles) == 7
    assert min(min(one[2:]) for one in handles) >= 24


def test_figures_do_not_disturb_one_another(address, open_page, act):
    both = [make() for make in EXAMPLES.values() for _ in range(2)]
    visit = open_page(address(*both))
    shown = visit.page.locator(".live-figure")
    start = [numbers(shown.nth(i)) for i in range(len(both))]
    expect(visit.page.locator("input:checked")).to_have_count(2 * 5)
    for i, kind in enumerate(EXAMPLES):
        act(kind, shown.nth(2 * i))
    for i, kind in enumerate(EXAMPLES):
        assert start[2 * i] == pytest.approx(start[2 * i + 1])
        assert numbers(shown.nth(2 * i + 1)) == start[2 * i + 1], kind
        assert numbers(shown.nth(2 * i)) != start[2 * i], kind
    # The mask that was clicked is none of those that can be chosen.
    expect(visit.page.locator("input:checked")).to_have_count(2 * 5 - 1)
    assert visit.errors == []


def test_every_change_is_announced(address, open_page, act):
    page = open_page(address(*examples())).page
    page.clock.install()
    page.reload()
    shown = page.locator(".live-figure")
    for i, kind in enumerate(EXAMPLES):
        act(kind, shown.nth(i))
    page.clock.run_for(1000)
    for i in range(len(EXAMPLES)):
        expect(shown.nth(i).get_by_role("status")).to_have_text(re.compile(r"\w{3}"))


def test_less_motion_is_none(address, open_page, act):
    page = open_page(address(*examples()), reduced_motion="reduce").page
    for i, kind in enumerate(EXAMPLES):
        act(kind, page.locator(".live-figure").nth(i))
    assert page.evaluate("document.getAnimations().length") == 0
    longest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('.live-figure *')].map("
        "one => parseFloat(getComputedStyle(one).transitionDuration)))"
    )
    assert longest == 0


# How many frames were painted in which the pointer had moved; `make bench` times them.
FRAMES = """() => new Promise(resolve => {
  let frames = 0, moved = false;
  addEventListener('pointermove', () => { moved = true; }, true);
  const note = () => {
    frames += moved;
    moved = false;
    if (window.moving) return requestAnimationFrame(note);
    resolve(frames);
  };
  requestAnimationFrame(note);
})"""


@pytest.mark.parametrize(
    ("kind", "grip"),
    [
        ("circle", ".live-handle .live-ring >> nth=-1"),
        ("heads", ".live-map [role=row] >> nth=2"),
        ("saturation", "input"),
        ("training", "input"),
    ],
)
def test_dragging_blocks_no_frame(address, open_page, kind, grip):
    page = open_page(
        address(EXAMPLES[kind]()), viewport={"width": 800, "height": 900}
    ).page
    x, y, width, height = box(page.locator(grip))
    x, y = x + width / 2, y + height / 2
    page.evaluate("window.moving = true")
    page.evaluate(f"() => {{ window.frames_ = ({FRAMES})() }}")
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(60):
        page.mouse.move(x + 2 * (i % 30), y + i % 30)
    page.mouse.up()
    page.evaluate("window.moving = false")
    assert page.evaluate("window.frames_") > 10


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_figure_is_drawn_before_its_script_ends(address, open_page, tmp_path, kind):
    url = address(EXAMPLES[kind]())
    (tmp_path / "live.js").write_text("")
    drawn = open_page(url).page.evaluate(
        """script => {
            new Function(script)();
            return document.querySelectorAll('.live-figure[role=group]').length;
        }""",
        bundle(),
    )
    assert drawn == 1
