"""The mask without a browser: three ways of masking, its errors, its picture."""

import math
from xml.etree import ElementTree

import pytest
import torch
from live_examples import mask
from traitlets import TraitError

from selfattention.attention import causal_mask, softmax
from selfattention.live import Mask


def test_weights_are_those_of_the_chapter():
    causal = causal_mask(6)
    figure = mask(mask=causal)
    scores = torch.tensor(figure.scores, dtype=torch.float64)
    expected = softmax(scores.masked_fill(~causal, -math.inf))
    for name in ("book", "plain", "large"):
        figure.softmax = name
        assert torch.allclose(figure.weights, expected)
        assert figure.row_sums.tolist() == pytest.approx([1] * 6)


def test_a_row_that_may_attend_to_nothing():
    allowed = torch.ones(6, 6, dtype=torch.bool)
    allowed[2] = False
    figure = mask(mask=allowed)
    assert figure.weights[2].tolist() == [0] * 6
    figure.softmax = "plain"
    assert figure.weights[2].isnan().all()
    assert figure.row_sums.isnan().tolist() == [False, False, True, *[False] * 3]
    assert "NaN" in figure.picture()
    figure.softmax = "large"
    assert figure.weights[2].tolist() == pytest.approx([1 / 6] * 6)


def test_by_default_nothing_is_forbidden_and_two_tokens_are_padding():
    figure = mask()
    assert figure.mask == ((True,) * 6,) * 6
    assert figure.length == 4
    assert Mask([[1, 2], [3, 4]], ["a", "b"]).length == 1


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("scores", [[1, 2], [3, 4]], r"scores must be \(6, 6\) for 6 tokens"),
        ("scores", torch.full((6, 6), math.nan), "scores must be finite numbers"),
        ("mask", [[1] * 6] * 6, r"mask must be booleans, \(T, T\)"),
        ("mask", [[True] * 5] * 6, r"mask must be \(6, 6\)"),
        ("mask", torch.ones(6, 6), "mask must be booleans"),
        ("tokens", ["a"] * 9, "tokens must be 2 to 8 texts"),
        ("tokens", ["a"] * 5, r"scores must be \(5, 5\) for 5 tokens"),
        ("length", 0, "length must be from 1 to 6"),
        ("length", 7, "length must be from 1 to 6"),
        ("softmax", "mine", "any of"),
    ],
)
def test_bad_state_is_refused(name, bad, message):
    figure = mask()
    before = figure.state()
    with pytest.raises(TraitError, match=message):
        setattr(figure, name, bad)
    assert figure.state() == before


def test_the_picture_shows_mask_and_sums():
    root = ElementTree.fromstring(mask(mask=causal_mask(6)).html())
    cells = [" ".join(cell.itertext()) for cell in root.findall(".//*[@role='cell']")]
    assert cells.count("✓") == 21
    assert cells.count("–") == 15
    assert cells.count("1.00") == 7  # six sums and the first weight
