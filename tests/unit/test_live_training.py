"""A head in training without a browser: its shapes, its errors, its picture."""

import math
from xml.etree import ElementTree

import pytest
import torch
from live_examples import snapshots, training
from traitlets import TraitError

from selfattention.live import Training


def test_it_keeps_what_it_is_given():
    given = snapshots()
    figure = Training(**given, snapshot=3)
    for name, table in (
        ("queries", figure.query_points),
        ("keys", figure.key_points),
        ("weights", figure.weights),
    ):
        kept = torch.tensor(table, dtype=torch.float64)
        assert torch.equal(kept, given[name].round(decimals=6))
    assert figure.steps == (0, 20, 40, 60, 80)
    assert figure.snapshot == 3


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("query_points", torch.zeros(5, 4, 3), r"query_points must be \(5, 4, 2\)"),
        ("key_points", torch.zeros(4, 4, 2), r"key_points must be \(5, 4, 2\)"),
        ("key_points", torch.full((5, 4, 2), math.inf), "must be finite numbers"),
        ("weights", torch.zeros(5, 4, 3), r"weights must be \(5, 4, 4\)"),
        ("weights", torch.full((5, 4, 4), 1.5), "weights must be from 0 to 1"),
        ("right", torch.zeros(3, 4), r"right must be \(4, 4\)"),
        ("right", -torch.eye(4), "right must be from 0 to 1"),
        ("kinds", ["vowel"] * 3, r"kinds must be \(4,\)"),
        ("kinds", list("abcd"), "at most three kinds"),
        ("accuracies", [0.5] * 4, r"accuracies must be \(5,\)"),
        ("accuracies", [2] * 5, "accuracies must be from 0 to 1"),
        ("steps", [0, 1, 2, 2, 3], "steps must rise"),
        ("steps", [0, 1], "must be .* for 2 steps and 4 tokens"),
        ("tokens", ["a"] * 9, "tokens must be 1 to 8 texts"),
        ("snapshot", 5, "snapshot must be below 5"),
    ],
)
def test_bad_state_is_refused(name, bad, message):
    figure = training()
    before = figure.state()
    with pytest.raises(TraitError, match=message):
        setattr(figure, name, bad)
    assert figure.state() == before


def test_the_picture_shows_the_snapshot():
    figure = training(snapshot=4)
    root = ElementTree.fromstring(figure.html())
    assert "step 80, accuracy 1.0000" in root.find(".//svg").attrib["aria-label"]
    marks = root.findall(".//svg/circle") + root.findall(".//svg/path")[1:]
    assert len(marks) == 8
    shapes = [mark.tag for mark in root.findall(".//svg/*") if "style" in mark.attrib]
    assert shapes == ["circle", "path"] * 4  # a kind has a shape, not a colour alone
    assert "round: vowel, square: consonant" in " ".join(root.itertext())
