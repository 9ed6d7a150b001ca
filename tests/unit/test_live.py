"""Live figures without a browser: state, numbers, and what a page is given."""

import gzip
import html.parser
import json
import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from traitlets import TraitError, Unicode

from selfattention.live import FIGURES, Saturation, bundle, stylesheet
from selfattention.live.figure import LiveFigure, fixed, module, short

CASES = [
    ([1, 2, 3, 4], 0),
    ([1, 2, 3, 4], 1),
    ([1, 2, 3, 4], 10),
    ([1, 2, 3, 4], 34),  # 1 − a would keep one digit of the largest weight here
    ([1, 2, 3, 4], 100),
    ([-7.25, 0.5], 0.1),
    ([3, 3, 3], 42),
    ([5, 5, -1], 2.5),
    ([math.sin(i) for i in range(64)], 7.7),
    ([1000.0, 1000.5], 1.26),
]


def exactly(scores, factor):
    """Weights, entropy and largest Jacobian entry with sixty digits."""
    with localcontext(prec=60):
        scaled = [Decimal(factor) * Decimal(score) for score in scores]
        exponentials = [(score - max(scaled)).exp() for score in scaled]
        weights = [number / sum(exponentials) for number in exponentials]
        entropy = -sum(a * a.ln() for a in weights)
        jacobian = [
            abs(a * (i == j) - a * b)
            for i, a in enumerate(weights)
            for j, b in enumerate(weights)
        ]
        return [float(a) for a in weights], float(entropy), float(max(jacobian))


@pytest.mark.parametrize(("scores", "factor"), CASES)
def test_numbers_agree_with_sixty_digits(scores, factor):
    figure = Saturation(scores, factor)
    weights, entropy, jacobian = exactly(scores, factor)
    assert figure.weights.dtype == torch.float64
    assert figure.weights.tolist() == pytest.approx(weights, rel=1e-12, abs=0)
    assert figure.entropy == pytest.approx(entropy, rel=1e-12, abs=0)
    assert figure.largest_jacobian_entry == pytest.approx(jacobian, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("factor", "entry"), [(0, 0.1875), (1, 0.229), (10, 4.5e-5), (100, 3.7e-44)]
)
def test_gradients_vanish_as_the_factor_grows(factor, entry):
    figure = Saturation([1, 2, 3, 4], factor)
    assert figure.largest_jacobian_entry == pytest.approx(entry, rel=0.02)
    a = figure.weights
    jacobian = torch.diag(a) - torch.outer(a, a)
    assert figure.largest_jacobian_entry == pytest.approx(jacobian.abs().max().item())


def test_underflow_is_zero_and_never_nan():
    figure = Saturation([0, 1000], 100)
    assert figure.weights.tolist() == [0, 1]
    assert (figure.entropy, figure.largest_jacobian_entry) == (0, 0)
    widest = [-1.7e308, 1.7e308]
    assert Saturation(widest, 0).weights.tolist() == [0.5, 0.5]
    assert Saturation(widest, 0).entropy == pytest.approx(math.log(2))
    assert Saturation(widest, 100).weights.tolist() == [0, 1]
    assert Saturation(widest, 100).entropy == 0


@pytest.mark.parametrize(
    "scores",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        range(1, 4),
        np.array([1, 2, 3]),
        torch.tensor([1.0, 2.0, 3.0]),
        [np.float32(1), torch.tensor(2), Fraction(3)],
    ],
)
def test_scores_are_kept_as_a_tuple_of_floats(scores):
    figure = Saturation(scores)
    assert figure.scores == (1.0, 2.0, 3.0)
    assert all(type(score) is float for score in figure.scores)


@pytest.mark.parametrize(
    "bad",
    [
        [1],
        list(range(65)),
        [1, math.nan],
        [1, math.inf],
        [1, 10**400],
        [1, "2"],
        [1, None],
        [1, True],
        [1, 2j],
        [[1, 2], [3, 4]],
        np.ones((2, 2)),
        torch.tensor(1.0),
        "12",
        {1, 2},
        7,
        None,
    ],
)
def test_bad_scores_are_refused_and_the_old_ones_kept(bad):
    expected = "scores must be 2 to 64 finite numbers, not "
    figure = Saturation([1, 2], factor=3)
    with pytest.raises(TraitError, match=expected):
        figure.scores = bad
    assert figure.state() == {"factor": 3.0, "scores": (1.0, 2.0)}
    with pytest.raises(TraitError, match=expected):
        Saturation(bad)


@pytest.mark.parametrize(
    "bad", [-1e-9, 100.001, math.nan, math.inf, "1", None, True, [1], 1j, 10**400]
)
def test_a_bad_factor_is_refused_and_the_old_one_kept(bad):
    expected = "factor must be a number from 0 to 100, not "
    figure = Saturation(factor=3)
    with pytest.raises(TraitError, match=expected):
        figure.factor = bad
    assert figure.factor == 3
    with pytest.raises(TraitError, match=expected):
        Saturation(factor=bad)


def test_the_front_end_cannot_leave_half_a_state():
    figure = Saturation([1, 2], factor=3)
    with pytest.raises(TraitError, match="factor must be"):
        figure.set_state({"scores": [5, 6, 7], "factor": 1000})
    assert figure.state() == {"factor": 3.0, "scores": (1.0, 2.0)}
    figure.set_state({"scores": [5, 6, 7], "factor": 0})
    assert figure.state() == {"factor": 0.0, "scores": (5.0, 6.0, 7.0)}


def test_scores_cannot_be_changed_behind_the_figure():
    mine = [1.0, 2.0]
    figure = Saturation(mine)
    mine[0] = math.nan
    assert figure.scores == (1.0, 2.0)
    with pytest.raises(TypeError):
        figure.scores[0] = math.nan
    with pytest.raises(TypeError, match="facto"):
        Saturation(facto=2)


class Scripts(html.parser.HTMLParser):
    """Collects the text of every script element, as a browser would see it."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.inside = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "script":
            self.texts.append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "script"

    def handle_data(self, data):
        if self.inside:
            self.texts[-1] += data


def test_jupyter_gets_a_widget_and_a_page_gets_html():
    figure = Saturation([0.1, -2.5, 1 / 3], factor=12.6)
    data, metadata = figure._repr_mimebundle_(include=None, exclude=None)
    widget = data["application/vnd.jupyter.widget-view+json"]
    assert widget["model_id"] == figure.model_id
    assert isinstance(metadata, dict)
    written = "Saturation(factor=12.6, scores=(0.1, -2.5, 0.3333333333333333))"
    assert data["text/plain"] == written == repr(figure)
    assert eval(written).state() == figure.state()
    root = ElementTree.fromstring(data["text/html"])
    assert root.attrib["class"] == "live-figure"
    assert root.attrib["data-figure"] == "saturation"
    assert root.attrib["style"] == f"--live-rows: {figure.rows}"
    (state,) = Scripts(data["text/html"]).texts
    assert json.loads(state) == {"factor": 12.6, "scores": [0.1, -2.5, 1 / 3]}


def test_state_cannot_break_out_of_its_script_element():
    class Probe(LiveFigure):
        kind, rows = "probe", 1
        text = Unicode("<!-- <script></script><b>&").tag(sync=True)

        def picture(self):
            return "<svg/>"

    (state,) = Scripts(Probe().html()).texts
    assert "<" not in state
    assert json.loads(state) == {"text": "<!-- <script></script><b>&"}


@pytest.mark.parametrize(("scores", "factor"), CASES)
def test_the_picture_shows_the_same_numbers(scores, factor):
    figure = Saturation(scores, factor)
    svg = ElementTree.fromstring(figure.html()).find("svg")
    weights = figure.weights.tolist()
    last = [fixed(figure.entropy), fixed(figure.largest_jacobian_entry)]
    numbers = [text.text for text in svg.iter("text") if "x" in text.attrib]
    assert numbers == [f"×{short(factor)}", "weight", *map(fixed, weights), *last]
    widths = [float(rect.attrib["width"].rstrip("%")) for rect in svg.iter("rect")]
    assert widths == pytest.approx([42 * a for a in weights], abs=1e-6)
    assert svg.attrib["role"] == "img"
    for number in [short(factor), *map(fixed, weights), *last]:
        assert number in svg.attrib["aria-label"]


@pytest.mark.parametrize(
    ("number", "as_fixed", "as_short"),
    [
        (0.0, "0", "0"),
        (0.25, "0.2500", "0.25"),
        (1.0, "1.0000", "1"),
        (0.001, "0.0010", "0.001"),
        (0.00099, "9.9e-4", "9.9e-4"),
        (3.72e-44, "3.7e-44", "3.7e-44"),
        (5e-324, "4.9e-324", "4.9e-324"),
        (-2.25, "-2.2500", "-2.25"),
        (99999.0, "99999.0000", "99999"),
    ],
)
def test_numbers_are_written_short_and_never_as_nothing(number, as_fixed, as_short):
    assert short(number) == as_short
    assert fixed(number) == as_fixed


def test_the_bundle_is_a_classic_script_with_every_figure():
    script = bundle()
    assert not re.search(r"^\s*(import|export)\b|\bimport\s*\(", script, re.MULTILINE)
    assert not re.search(r"</script|<!--", script, re.IGNORECASE)
    for figure in FIGURES:
        assert f"figures.{figure.kind} = " in script
        assert figure._esm == module(figure.kind)
        assert figure._esm.endswith("export default { render };")


def test_what_a_page_loads_is_light():
    assert "@import" not in stylesheet()
    assert "url(" not in stylesheet()
    weight = len(gzip.compress((bundle() + stylesheet()).encode()))
    assert weight < 40_000
