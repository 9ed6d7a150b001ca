"""Attention by hand without a browser: its numbers, its errors, its picture."""

import math
from xml.etree import ElementTree

import pytest
import torch
from live_examples import by_hand
from traitlets import TraitError

from selfattention.live import ByHand
from selfattention.toys import journey


def test_the_numbers_are_those_of_the_chapter():
    X = journey().double()
    figure = by_hand()
    assert torch.allclose(figure.scores, X @ X.T, atol=1e-7)
    weights = torch.softmax(figure.scores, dim=-1)
    assert torch.allclose(figure.weights, weights)
    assert torch.allclose(figure.contexts, weights @ X, atol=1e-7)
    assert figure.contexts[1].tolist() == pytest.approx(
        [0.4419, 0.6515, 0.5683], abs=5e-5
    )


def test_scale_divides_the_scores():
    figure = by_hand(scale=math.sqrt(3))
    assert torch.allclose(figure.scaled, figure.scores / math.sqrt(3))
    assert torch.allclose(figure.weights, torch.softmax(figure.scaled, dim=-1))
    assert by_hand().scale is None


def test_there_are_as_many_steps_as_cells_of_a_row():
    assert by_hand(step=6 + 6 + 3).step == 15
    assert by_hand(scale=2, step=6 + 6 + 6 + 3).step == 21
    with pytest.raises(TraitError, match="step must be 15 at the most, not 16"):
        by_hand(step=16)
    figure = by_hand(scale=2, step=21)
    with pytest.raises(TraitError, match="step must be 15"):
        figure.scale = None
    assert figure.scale == 2


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("X", [[1, 2]], "1 rows and 6 tokens"),
        ("X", [[1, 2], [3]], r"X must be finite numbers, \(T, d\)"),
        ("X", [[math.nan] * 3] * 6, "X must be finite numbers"),
        ("X", torch.ones(6, 5), "4 wide at the most, not 5"),
        ("X", torch.ones(6), "X must be finite numbers"),
        ("tokens", ["one"], "tokens must be 2 to 8 texts"),
        ("tokens", ["a", "b"], "6 rows and 2 tokens"),
        ("scale", 0, "scale must be a number from 0.001 to 1000.0"),
        ("row", 6, "row must be below 6"),
        ("row", 0.5, "row must be a whole number from 0"),
        ("row", True, "row must be a whole number"),
        ("step", -1, "step must be a whole number"),
    ],
)
def test_bad_state_is_refused(name, bad, message):
    figure = by_hand()
    before = figure.state()
    with pytest.raises(TraitError, match=message):
        setattr(figure, name, bad)
    assert figure.state() == before


def test_the_picture_shows_everything():
    text = " ".join(ElementTree.fromstring(by_hand().html()).itertext())
    for part in ("X, a row per token", "Weights", "0.24", "0.65"):
        assert part in text
    assert "scaled" not in text.split("With JavaScript")[0]
    scaled = ByHand(["a", "b"], [[1], [2]], scale=4).picture()
    assert "Scores, scaled" in scaled
