"""The pictures: one palette everywhere, numbers in heat maps, clear errors."""

import re

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb

from selfattention import live, plots


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_live_figures_use_the_same_colours():
    light = re.findall(r"--live-token-(\d): (#\w+);", live.stylesheet())[:8]
    assert [colour for _, colour in light] == list(plots.TOKEN_COLOURS)
    assert [int(number) for number, _ in light] == list(range(8))


def test_bars_carry_their_numbers_and_colours(ax):
    plots.bars(ax, [0.25, 0.75], ["a", "b"], title="weights", digits=2)
    assert [bar.get_height() for bar in ax.patches] == [0.25, 0.75]
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.75"]
    assert ax.get_title() == "weights"


@pytest.mark.parametrize(
    ("heights", "labels", "said"),
    [([1, 2], ["a"], "2 bars and 1 labels"), ([1] * 9, ["a"] * 9, "at most 8 bars")],
)
def test_bars_refuse_what_they_cannot_draw(ax, heights, labels, said):
    with pytest.raises(ValueError, match=said):
        plots.bars(ax, heights, labels)


def test_heat_map_writes_row_by_row(ax):
    plots.heat_map(ax, [[0.1, 0.9], [0.6, 0.4]], ["q1", "q2"], ["k1", "k2"])
    written = {text.get_position(): text.get_text() for text in ax.texts}
    # A column is an x, a row is a y: entry (0, 1) stands at x = 1, y = 0.
    assert written == {(0, 0): "0.10", (1, 0): "0.90", (0, 1): "0.60", (1, 1): "0.40"}
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["q1", "q2"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["k1", "k2"]


def test_heat_maps_that_are_compared_share_the_darkest_number(ax):
    plots.heat_map(ax, [[0.2, 0.1]], ["q"], ["k1", "k2"], top=0.5)
    (image,) = ax.images
    assert image.get_clim() == (0, 0.5)


def luminance(colour):
    """As the Web Content Accessibility Guidelines define it."""
    red, green, blue = to_rgb(colour)
    curve = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (red, green, blue)
    ]
    return 0.2126 * curve[0] + 0.7152 * curve[1] + 0.0722 * curve[2]


def test_numbers_stand_out_from_every_blue(ax):
    entries = [i / 40 for i in range(41)]
    plots.heat_map(ax, [entries], ["q"], list(map(str, entries)))
    (image,) = ax.images
    for entry, text in zip(entries, ax.texts, strict=True):
        pair = sorted(map(luminance, (text.get_color(), image.to_rgba(entry)[:3])))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


def test_heat_map_refuses_names_that_do_not_fit(ax):
    with pytest.raises(ValueError, match="2 × 2 numbers, 3 and 3 names"):
        plots.heat_map(ax, [[1, 0], [0, 1]], ["a", "b", "c"])
