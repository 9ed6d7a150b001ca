"""What *Queries, keys, values* shows: one head by hand, trained, and taken apart."""

import re

import pytest
from reading import glued, outputs, soup, text

NAME = "queries_keys_values"
NUMBER = r"([+-]?\d+\.?\d*)"


def said():
    return outputs(NAME)


def number(name):
    return float(glued(NAME)[name])


def numbers_after(label):
    """The numbers that follow the one place in the outputs with this label."""
    found = re.findall(rf"{label}((?:\s+[+-]?\d+\.?\d*%?(?![\w.]))+)", said())
    assert len(found) == 1, (label, found)
    return [float(n.rstrip("%")) for n in found[0].split()]


def test_three_vectors_and_six_steps_by_hand():
    assert "query: tensor([0.4306, 1.4551])" in said()
    assert "key: tensor([0.4433, 1.1419])" in said()
    assert "value: tensor([0.3951, 1.0037])" in said()
    assert "0.430637 × 0.443316 + 1.455058 × 1.141863 = 1.8524" in said()
    assert "[1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440]" in said()
    assert "[0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820]" in said()
    assert "sum tensor([0.3061, 0.8210])" in said()


def test_loop_and_module_give_all_six_rows():
    rows = (
        "[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203], "
        "[0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]]"
    )
    assert said().count(rows) == 2


def test_score_is_a_bilinear_form_that_need_not_be_symmetric():
    assert "bilinear form" in text(NAME)
    assert "without parameters, symmetric: True" in said()
    assert "with W_Q and W_K, symmetric: False" in said()


def test_scores_have_rank_d_k_and_weights_do_not():
    assert "X Xᵀ: rank 64 scores: rank 8 weights: rank" in said()
    assert number("rank-weights") > 30


def test_narrow_keys_leave_keys_that_nobody_can_ask_for():
    found = re.findall(r"d_k = +(\d+): +(\d+) of 100 keys are ever the best", said())
    assert [int(width) for width, _ in found] == [1, 2, 4, 8, 16]
    counts = [int(count) for _, count in found]
    assert counts[0] == 2
    assert counts == sorted(counts)
    assert counts[1] < 20
    assert counts[-1] > 90


def test_batched_function_equals_torch_and_refuses_what_does_not_fit():
    assert "equal to PyTorch's: True" in said()
    assert "scores need equal key widths: query (2, 5, 4) and key (2, 7, 3)" in said()
    assert "each key needs one value: key (2, 7, 4) and value (2, 5, 9)" in said()


def test_head_learns_the_task():
    found = re.findall(rf"step +(\d+): squared error {NUMBER}, right {NUMBER}%", said())
    shares = [float(share) for _, _, share in found]
    assert shares[0] < 2
    assert shares[-1] > 99
    assert number("accuracy") > 0.99
    assert number("accuracy-before") < 0.02
    assert number("leftover") < 0.12


def test_queries_turn_to_the_keys_that_answer_them():
    found = re.findall(
        rf"step +(\d+): keys that answer {NUMBER}, own kind {NUMBER}", said()
    )
    assert len(found) == 4
    answer, own = (float(cosine) for cosine in found[-1][1:])
    assert float(found[0][1]) < 0.7
    assert answer > 0.98
    assert own < -0.98
    assert number("length-query") == pytest.approx(number("length-key"), rel=0.1)


def test_shared_matrix_fails_and_cannot_do_otherwise():
    assert number("full-worst") > 0.98
    assert number("shared-best") < 0.5
    pairs = re.findall(r"prefer each other to themselves: (\d+)", said())
    assert pairs == ["0"] * 4


def test_values_can_be_left_out_only_if_a_matrix_follows():
    right = numbers_after("no W_V: right")
    assert len(right) == 4
    assert max(right) < 5
    assert "the same: True" in said()


def test_one_number_is_enough_for_two_kinds_not_for_three():
    assert number("narrow-good") >= 2
    assert number("three-narrow") < 0.7
    assert number("three-wide") > 0.95
    assert number("three-found") >= 1


def test_clever_values_make_right_answers_of_a_wrong_map():
    """What a narrow or shared matrix forbids are weights, so no sentence says more."""
    found = re.findall(rf"right {NUMBER}%, on the right keys {NUMBER}", said())
    (crafty, crafty_map), (shared, shared_map) = [map(float, pair) for pair in found]
    assert crafty > 97
    assert crafty_map < 0.8  # a third of the rows is level: a third on the right keys
    assert shared > 2 * 100 * number("shared-best")
    assert shared_map < 0.35
    for claim in ("task impossible", "two thirds of the answers", "whole kind must"):
        assert claim not in text(NAME), claim


def probed(name):
    found = re.findall(rf"{name}: kind +{NUMBER}%, letter +{NUMBER}%", said())
    assert len(found) == 1
    return [float(n) for n in found[0]]


def test_keys_tell_the_kind_and_values_the_letter():
    kind, letter = probed("% keys")
    assert kind > 97
    assert letter < 35  # 20 is what knowing the kind is worth
    assert probed("% values") == pytest.approx([100, 100], abs=2)
    assert probed("tokens") == pytest.approx([100, 100], abs=2)


def test_a_probe_finds_what_is_not_used():
    assert number("probe-before") > 0.7
    assert number("probe-free") > number("probe-key") + 0.15
    assert number("accuracy-free") > 0.99
    spreads = re.findall(rf"spread along {NUMBER}, across {NUMBER}", said())
    assert len(spreads) == 2
    assert all(float(across) > 3 * float(along) for along, across in spreads)


def test_forged_key_and_forged_value():
    found = {
        name: re.search(
            rf"\b{name}: weight of s on t {NUMBER}, of i on t {NUMBER}; "
            r"s names (\w+), i names (\w+)",
            said(),
        ).groups()
        for name in ("as it is", "key of e", "value of e")
    }
    assert found["as it is"][2:] == ("ei", "lnst")
    assert found["key of e"][2:] == ("eit", "lns")
    assert found["value of e"][2:] == ("ei", "elns")
    assert found["value of e"][:2] == found["as it is"][:2]
    assert float(found["key of e"][0]) > 0.25


def test_figures_and_exercises():
    for name in ("geometry", "right-map", "four-moments", "progress"):
        assert soup(NAME).find("figure", id=f"fig-{name}").img["alt"]
    head = soup(NAME).find("figure", id="fig-single-head").img
    assert "single_head" in head["src"]
    assert len(soup(NAME).select("div.exercise")) == 5
    said_once = "have to wait for Masking"
    assert said_once in text(NAME)
