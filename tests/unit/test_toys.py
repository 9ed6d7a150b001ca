"""The small examples of the book."""

import math

import pytest
import torch

from selfattention.toys import CIRCLE_WORDS, JOURNEY, journey, on_circle


def test_journey_is_a_row_per_token():
    assert journey().shape == (len(JOURNEY), 3)
    assert torch.equal(journey()[1], torch.tensor([0.55, 0.87, 0.66]))


def test_every_caller_gets_rows_of_its_own():
    changed = journey()
    changed[0, 0] = 9
    assert journey()[0, 0] == torch.tensor(0.43)


def test_words_stand_on_the_unit_circle_at_their_angle():
    places = on_circle(CIRCLE_WORDS)
    assert places["PERRO"] == pytest.approx(
        (math.cos(2 * math.pi / 11), math.sin(2 * math.pi / 11)), abs=1e-15
    )
    for x, y in places.values():
        assert math.hypot(x, y) == pytest.approx(1)


def test_a_word_that_occurs_twice_keeps_its_later_place():
    places = on_circle(CIRCLE_WORDS)
    assert len(CIRCLE_WORDS) == 11
    assert len(places) == 10
    assert places["EL"] == pytest.approx(
        (math.cos(6 * math.pi / 11), math.sin(6 * math.pi / 11)), abs=1e-15
    )
