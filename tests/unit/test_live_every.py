"""What holds for every live figure, without a browser."""

import json
import math
import re
from xml.etree import ElementTree

import pytest
import torch
from bs4 import BeautifulSoup
from live_examples import EXAMPLES, circle, mask, sentence
from traitlets import TraitError

from selfattention.live import FIGURES, Circle, Heads, Mask
from selfattention.live.figure import LiveFigure


def test_there_is_an_example_of_every_figure():
    assert set(EXAMPLES) == {figure.kind for figure in FIGURES}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_page_gets_the_whole_state(kind):
    figure = EXAMPLES[kind]()
    root = ElementTree.fromstring(figure.html())  # well-formed
    script = root.find("script")
    assert root[-1] is script
    assert json.loads(script.text) == json.loads(json.dumps(figure.state()))
    assert root.attrib["data-figure"] == kind
    data, _ = figure._repr_mimebundle_()
    assert set(data) >= {"text/html", "application/vnd.jupyter.widget-view+json"}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.kind)
def test_traits_are_documented(figure):
    for name in EXAMPLES[figure.kind]().state():
        as_argument = re.search(rf"^\s*{name}: ", figure.__doc__, re.MULTILINE)
        assert as_argument or f"``{name}``" in figure.__doc__, name


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_state_makes_the_same_figure(kind):
    first, second = EXAMPLES[kind](), EXAMPLES[kind]()
    second.set_state(json.loads(json.dumps(first.state())))
    assert second.state() == first.state()
    assert second.html() == first.html()


@pytest.mark.parametrize("kind", EXAMPLES)
def test_what_is_written_is_short(kind):
    assert len(repr(EXAMPLES[kind]())) < 1500


def test_names_cannot_break_out():
    bad = '"><script>&'
    for figure in (
        Circle({bad: (1, 0)}, bad, [bad], [bad]),
        Mask([[0, 1], [1, 0]], [bad, "b"]),
        Heads([sentence([bad, "b"], 0)]),
    ):
        root = BeautifulSoup(figure.html(), "html.parser")
        assert len(root.find_all("script")) == 1
        assert bad in root.get_text()


def test_traits_that_belong_together_are_sent_together(monkeypatch):
    figure, sent = mask(), []

    def send(self, names):
        sent.append(set(names))

    monkeypatch.setattr(LiveFigure, "send_state", send)
    with figure.hold_trait_notifications():
        figure.tokens = ["a", "b"]
        figure.scores = [[1, 2], [3, 4]]
        figure.mask = [[True, False], [True, True]]
        figure.length = 1
    assert sent == [{"tokens", "scores", "mask", "length"}]
    assert figure.weights.shape == (2, 2)


def test_a_block_that_ends_badly_changes_nothing():
    figure = circle()
    before = figure.state()

    def two_keys_for_three_values():
        with figure.hold_trait_notifications():
            figure.key_names = ["a", "b"]
            figure.key_angles = [0, math.pi]

    with pytest.raises(TraitError, match="as many names and angles"):
        two_keys_for_three_values()
    assert figure.state() == before


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_front_end_cannot_send_nonsense(kind):
    figure = EXAMPLES[kind]()
    before = figure.state()
    for name in before:
        with pytest.raises(TraitError, match=name):
            figure.set_state({name: math.nan})
        with pytest.raises(TraitError):
            figure.set_state({name: {"a": 1}})
    assert figure.state() == before


def test_heads_of_a_real_model_are_light():
    T = 14
    tokens = [f"token{i:02}" for i in range(T)]
    weights = torch.softmax(torch.randn(6, 12, T, T), dim=-1)
    figure = Heads([(tokens, weights)] * 4)
    assert len(figure.html().encode()) < 150_000
