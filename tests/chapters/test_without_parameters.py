"""What *Attention without parameters* measures: wins, context, and a search."""

import re

import pytest
from reading import glued, outputs, soup, text

NAME = "without_parameters"


def said():
    return outputs(NAME)


def test_score_by_hand():
    assert "0.2365 + 0.1305 + 0.5874 = 0.9544" in said()


def test_softmax_keeps_weights_positive_and_can_focus():
    assert "0.1638, -0.1373, 0.2111" in said()  # divided by the sum, one row turned
    assert "0.1350, 0.0287, 0.1722" in said()
    unmoved = "by the sum: tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])"
    assert said().count(unmoved) == 2  # as large as they are, and nine times
    assert "0.0041, 0.5333, 0.4471, 0.0015, 0.0004, 0.0135" in said()


def test_context_product_by_product():
    for product in (
        "0.1385 × your tensor([0.0596, 0.0208, 0.1233])",
        "0.2379 × journey tensor([0.1308, 0.2070, 0.1570])",
        "0.2333 × starts tensor([0.1330, 0.1983, 0.1493])",
        "0.1240 × with tensor([0.0273, 0.0719, 0.0409])",
        "0.1082 × one tensor([0.0833, 0.0270, 0.0108])",
        "0.1581 × step tensor([0.0079, 0.1265, 0.0870])",
        "sum tensor([0.4419, 0.6515, 0.5683])",
    ):
        assert product in said()


def test_wrong_axis_has_wrong_row_sums():
    assert float(glued(NAME)["wrong-low"]) == pytest.approx(0.754, abs=1e-3)
    assert float(glued(NAME)["wrong-high"]) == pytest.approx(1.297, abs=1e-3)


def test_most_of_the_six_tokens_do_not_fit_themselves_best():
    assert "with: itself 0.4937, best 0.8434 with journey" in said()
    assert "step: itself 0.9450, best 1.0865 with journey" in said()
    assert "2 of 6 fit themselves best 6 of 6" in said()  # as they are, and normalised


def test_width_makes_the_diagonal_win():
    assert float(glued(NAME)["normal-4"]) == pytest.approx(0.77, abs=0.03)
    assert float(glued(NAME)["between-4"]) == pytest.approx(0.39, abs=0.03)
    won = re.search(r"width 384 – (\d+) of 3000 win", said())
    assert 2980 < int(won[1]) < 3000
    assert re.search(r"threads: itself 1\.363, thread 1\.377", said())


def test_monitor_gets_two_contexts_that_lean_too_little():
    assert float(glued(NAME)["context-cosine"]) == pytest.approx(0.916, abs=2e-3)
    assert "times √d: cosine 1.000, weight on itself 1.000" in said()
    assert "divided by √d: cosine 0.716, weight on itself 0.133" in said()
    owed = {"bare row": (8, 0, 32), "context": (8, 0, 55), "trained": (8, 8, 64)}
    for name, (things, activities, pairs) in owed.items():
        assert (
            f"{name}: thing {things} of 8, activity {activities} of 8, "
            f"pairs in order {pairs} of 64"
        ) in said()


def test_plain_mean_orders_as_many_pairs_as_the_weights_do():
    plain, context = (float(glued(NAME)[f"{way}-order"]) for way in ("mean", "context"))
    assert plain >= context
    assert [plain, context] == pytest.approx([56, 55], abs=2)


def test_look_up_and_ranked_results():
    assert "18.0 = 18.0 False" in said()
    assert re.search(r"puppy: 0\.83 train your dog", said())
    assert "0.01: 12.00 minutes" in said()
    assert "plain mean: 37.88 minutes" in said()


def test_where_the_search_fails():
    assert "anything but dogs: train your dog 0.78" in said()
    assert "astronomy: watch the stars" in said()
    assert "astronomy for beginners: play the guitar" in said()


def test_there_are_five_exercises_and_all_figures():
    assert len(soup(NAME).select("div.exercise")) == 5
    for name in ("journey", "reach", "diagonal", "lean", "search"):
        assert soup(NAME).find("figure", id=f"fig-{name}").img["alt"]
    assert "contextualised embedding" in text(NAME)
