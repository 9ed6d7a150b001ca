"""The circle without a browser: its numbers, its errors, its picture."""

import math
from xml.etree import ElementTree

import pytest
import torch
from live_examples import KEYS, VALUES, circle
from traitlets import TraitError

from selfattention.live import Circle
from selfattention.toys import CIRCLE_WORDS, on_circle

NAIVE = [0.37996893436819246, 0.3603853979421595, 0.2596456676896481]


def test_it_begins_with_the_naive_toy():
    figure = circle()
    assert figure.weights.tolist() == pytest.approx(NAIVE, rel=1e-12)
    assert figure.weights.dtype == torch.float64
    assert circle(divisor="width").weights.tolist() == pytest.approx(
        [0.4274, 0.3820, 0.1906], abs=5e-5
    )


def test_numbers_follow_the_state():
    points = on_circle(CIRCLE_WORDS)
    figure = circle(factor=2.5, divisor="width")
    Q = torch.tensor([points["PERRO"]], dtype=torch.float64)
    K = torch.tensor([points[key] for key in KEYS], dtype=torch.float64)
    V = torch.tensor([points[value] for value in VALUES], dtype=torch.float64)
    scores = 2.5 * Q @ K.T / math.sqrt(2)
    weights = torch.softmax(scores, dim=-1)
    assert torch.allclose(figure.scores, scores[0])
    assert torch.allclose(figure.weights, weights[0])
    assert torch.allclose(figure.output, (weights @ V)[0])
    figure.query_angle = math.pi / 2
    assert torch.allclose(figure.scores, 2.5 * K[:, 1] / math.sqrt(2))
    figure.key_angles = [0, 0, 0]
    assert figure.weights.tolist() == pytest.approx([1 / 3] * 3)
    figure.factor = 0
    assert figure.scores.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("points", "query", "message"),
    [
        ({"a": (1, 0)}, "b", "'b' is not one of the points"),
        ({"a": (2, 0)}, "a", "must have length 1"),
        ({"a": (math.nan, 0)}, "a", "must have length 1"),
    ],
)
def test_points_are_checked(points, query, message):
    with pytest.raises(ValueError, match=message):
        Circle(points, query, [query], [query])


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("key_angles", [1, 2], "2 key_angles"),
        ("key_angles", [1, 2, math.nan], "key_angles must be 1 to 8 finite numbers"),
        ("value_names", ["a"], "1 value_names"),
        ("value_names", ["a", "b", ""], "value_names must be 1 to 8 texts"),
        ("key_names", "abc", "key_names must be 1 to 8 texts"),
        ("query_angle", math.inf, "query_angle must be a finite number"),
        ("factor", 101, "factor must be a number from 0 to 100"),
        ("divisor", "three", "any of .*'keys', 'width'"),
    ],
)
def test_bad_state_is_refused(name, bad, message):
    figure = circle()
    before = figure.state()
    with pytest.raises(TraitError, match=message):
        setattr(figure, name, bad)
    assert figure.state() == before
    with pytest.raises(TraitError, match="as many names"):
        Circle({"a": (1, 0)}, "a", ["a", "a"], ["a"])


def test_the_picture_shows_it():
    root = ElementTree.fromstring(circle().html())
    text = " ".join(root.itertext())
    for part in ("PERRO → DOG", "0.3800", "HAIR 0.26", "PELO -0.05", "-0.0817"):
        assert part in text
    assert "PERRO → DOG: 0.3800" in root.find(".//svg").attrib["aria-label"]
    marks = root.findall(".//svg/circle") + root.findall(".//svg/path")
    assert len(marks) == 1 + 3 + 3 + 3  # circle; keys; values; arrow, knob and cross
