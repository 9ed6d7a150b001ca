"""Heads without a browser: how weights are kept, errors, the picture."""

from xml.etree import ElementTree

import pytest
import torch
from live_examples import heads, sentence
from traitlets import TraitError

from selfattention.live import Heads


def test_weights_are_kept_to_three_decimals():
    tokens, weights = sentence(["a", "b", "c"], 5)
    figure = Heads([sentence(["x"], 1), (tokens, weights)], sentence=1)
    assert figure.tokens == ("a", "b", "c")
    assert figure.weights.shape == (2, 3, 3, 3)
    assert torch.equal(figure.weights, weights.double().round(decimals=3))
    edge = torch.tensor([[[[1.0, 0.0], [0.4996, 0.5004]]]])
    (kept,) = Heads([(["a", "b"], edge)]).sentences
    assert kept == (("a", "b"), 1, 1, "v800fkfk")


def test_sentences_survive_the_way_to_the_page_and_back():
    figure = heads()
    other = Heads([list(one) for one in figure.sentences])
    assert other.sentences == figure.sentences


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([], r"list of \(tokens, weights\)"),
        ("ab", r"list of \(tokens, weights\)"),
        ([("a",)], r"must be \(tokens, weights\)"),
        ([(["a", ""], torch.eye(2)[None, None])], "tokens must be 1 to 16 texts"),
        ([(["a", "b"], torch.eye(2))], r"weights must be \(layers, heads, 2, 2\)"),
        ([(["a"], torch.eye(2)[None, None])], r"\(layers, heads, 1, 1\) for 1 tokens"),
        ([(["a", "b"], torch.ones(1, 1, 2, 2))], "each row must sum to 1"),
        ([(["a", "b"], torch.full((1, 1, 2, 2), torch.nan))], "must sum to 1"),
        ([(["a"], 1, 1, "v")], "digits must be 2 of base 32"),
        ([(["a"], 1, 1, "V8")], "digits must be 2 of base 32"),
        ([(["a"], torch.ones(1, 1, 1, 1)), (["a"], torch.ones(1, 2, 1, 1))], "same"),
    ],
)
def test_bad_sentences_are_refused(bad, message):
    with pytest.raises(TraitError, match=message):
        Heads(bad)
    figure = heads()
    with pytest.raises(TraitError, match=message):
        figure.sentences = bad
    assert figure.sentences == heads().sentences


@pytest.mark.parametrize(
    ("name", "count"), [("sentence", 2), ("layer", 2), ("head", 3), ("row", 4)]
)
def test_what_is_not_there_cannot_be_chosen(name, count):
    figure = heads()
    setattr(figure, name, count - 1)
    with pytest.raises(TraitError, match=f"{name} must be below {count}, not {count}"):
        setattr(figure, name, count)
    assert getattr(figure, name) == count - 1


def test_the_picture_is_a_table_with_numbers():
    figure = heads(layer=1, head=2, row=1)
    root = ElementTree.fromstring(figure.html())
    table = root.find(".//*[@role='table']")
    cells = [cell.find("span") for cell in table.iterfind(".//*[@role='cell']")]
    written = [float(cell.text) for cell in cells if cell is not None]
    assert written == figure.weights[1, 2].flatten().tolist()
    assert "What time attends to" in " ".join(root.itertext())
