"""What *A toy embedding on a circle* says: its geometry, its faults, their mends."""

import re

import pytest
from reading import glued, outputs, soup, text


def said():
    return outputs("circle")


def test_the_words_and_the_place_of_one():
    words = "EL PERRO TIENE EL PELO SUELTO THE DOG HAS LOOSE HAIR"
    assert f"{words} PERRO: (0.8413, 0.5406)" in said()


def test_naive_weights():
    naive = "DOG 0.37996893436819246 HAS 0.3603853979421595 HAIR 0.2596456676896481"
    found = re.search(r"DOG (0\.\d{15,}) HAS (0\.\d{15,}) HAIR (0\.\d{15,})", said())
    owed = [float(number) for number in naive.split()[1::2]]
    assert [float(n) for n in found.groups()] == pytest.approx(owed, rel=0, abs=1e-15)


def test_output_stays_in_the_polygon():
    assert "the output: True DOG itself: True the origin: False" in said()
    assert "softmax: sums to 1: True, 10000 of 10000 inside" in said()
    escaped = re.search(r"divided by sum: sums to 1: True, (\d+) of 10000", said())
    assert 3000 < int(escaped[1]) < 6000
    assert "0 of 500000 times farther than the farthest value" in said()


def test_temperature_leads_from_a_corner_to_the_centroid():
    found = re.findall(r"÷ ([\d.]+) (\S+) from DOG, (\S+) from centre", said())
    assert [float(row[0]) for row in found] == [0.01, 0.1, 1, 3, 100]
    to_dog = [float(row[1]) for row in found]
    to_centroid = [float(row[2]) for row in found]
    assert to_dog[0] == 0
    assert to_dog == sorted(to_dog)
    assert to_centroid[-1] < 0.01
    assert to_centroid == sorted(to_centroid, reverse=True)


def test_each_fault_fails_before_it_is_mended():
    assert re.findall(r"holds: (\w+)", said()) == ["False", "True"] * 3


def test_first_fault_is_the_divisor():
    assert "PERRO : PELO = 1.4634, with one more key 1.3305 holds: False" in said()
    assert "PERRO : PELO = 2.2428, with one more key 2.2428 holds: True" in said()
    assert "300 keys: [0.3338 0.3336 0.3325]" in said()
    assert said().count("keys: [0.4274 0.382 0.1906]") == 3


def test_second_fault_is_a_lost_word():
    assert "misplaced: [(0, 'EL')] holds: False" in said()
    assert "11 words, 10 vectors {'EL'}" in said()
    assert "10 words, 10 vectors misplaced: [] holds: True" in said()


def test_corrected_numbers():
    assert "DOG: 0.3800 0.4274 0.4021" in said()
    assert "HAS: 0.3604 0.3820 0.3513" in said()
    assert "HAIR: 0.2596 0.1906 0.2467" in said()


def test_third_fault_is_that_places_mean_nothing():
    assert "DOG: 0.2649 0.3032 0.4318" in said()  # dog asks, and finds hair
    assert "HAIR 0.4021 HAS 0.3513 DOG 0.2467" in said()  # paired by hand otherwise
    assert "right: 0 of 10 holds: False" in said()
    assert "PERRO · DOG = -1.000" in said()
    assert "dog first, paired by hand: 1000 of 1000 shuffles" in said()
    assert float(glued("circle")["found"]) == pytest.approx(2, abs=0.2)
    assert float(glued("circle")["has-low"]) == pytest.approx(0.115, abs=1e-3)
    assert float(glued("circle")["has-high"]) == pytest.approx(0.413, abs=1e-3)


def test_meaning_mends_it_in_every_shuffle():
    assert "right: 10 of 10 holds: True" in said()
    assert "fewest hits in 1000 shuffles: 10 of 10" in said()
    assert float(glued("circle")["shared-dog"]) == pytest.approx(0.3593, abs=1e-4)


def test_each_question_comes_before_its_answer():
    assert text("circle").count("Before you read on") == 3
    assert "√d_k" in said()
    for name in ("fig-circle", "fig-polygon", "fig-loops"):
        assert soup("circle").find("figure", id=name).img["alt"]


def test_there_are_five_exercises():
    assert len(soup("circle").select("div.exercise")) == 5
