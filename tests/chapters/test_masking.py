"""What *Masking* measures: the cheat, leaks, empty rows, half precision, dropout."""

import math
import re

import pytest
from reading import glued, outputs, soup, text

from selfattention.grammar import KINDS

NAME = "masking"


def said():
    return outputs(NAME)


def number(name):
    return float(glued(NAME)[name])


def after(words):
    """The number that is printed after these words."""
    found = re.search(re.escape(words) + r" *(-?[\d.]+(?:e-?\d+)?)", said())
    assert found, words
    return float(found[1])


# G1: why a model must not see its future


def test_entropy_of_the_language():
    assert "5 patterns, 4500 sentences" in said()
    assert number("floor") == pytest.approx(math.log(4500) / 6)
    entropies = re.search(r"\['(2\.706)', '2\.305', '0\.322', '1\.288'", said())
    assert entropies


def test_model_without_a_mask_cheats_and_cannot_write():
    assert after("step 699: loss") < 0.01
    assert number("cheat-loss") < 0.02  # on sentences it has not seen
    assert number("cheat-correct") < 0.1
    assert number("to-next") > 0.7


def test_causal_model_reaches_the_entropy_and_writes():
    assert 0.98 * number("floor") < number("honest-loss") < 1.03 * number("floor")
    assert number("honest-correct") > 0.93


def test_model_that_sees_only_itself_pays_for_it():
    assert number("surplus-paper") == pytest.approx(0.45, abs=1e-3)
    assert number("surplus") == pytest.approx(0.45, abs=0.12)
    assert 0.55 < number("lonely-correct") < 0.8
    assert number("lonely-correct") < number("honest-correct")
    faulty = re.search(r"on paper\) the \w+ (\w+) the (\w+) (\w+) \.", said())
    verb, adjective, _ = faulty.groups()
    assert (verb in KINDS["driving"]) != (adjective in KINDS["make"])


def test_mask_after_training_does_not_save_the_cheat():
    late = re.search(r"loss ([\d.]+), correct ([\d.]+)% guessing", said())
    assert float(late[1]) > math.log(55)
    assert float(late[2]) < 10


def test_minus_infinity_before_the_softmax():
    assert "[0.3680, 0.6320, 0.0000, 0.0000, 0.0000, 0.0000]" in said()
    assert "[0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896]" in said()


def test_mask_after_the_softmax():
    assert "row sums: tensor([0.2098, 0.3764, 0.6085, 0.7017, 0.8705, 1.0000])" in (
        said()
    )
    assert "renormalised: the same as masking before" in said()
    assert "first row before: tensor([0.2098, 0.0000, 0.0000])" in said()
    assert "first row after: tensor([0.1534, 0.0000, 0.0000])" in said()  # a leak
    assert "after: tensor([nan, nan, nan]) before: tensor([0.2689, 0.7311" in said()


# G6: leak tests


def test_leak_tests_find_exactly_nothing_with_the_mask():
    assert after("with the mask, the past moves by") == 0
    assert after("with the mask:") == 0
    assert after("without a mask, the past moves by") > 1
    assert after("without a mask:") > 0.1


def test_shifted_masks():
    assert after("shifted ahead: the past moves by") > 1
    assert after("shifted behind: the past moves by") == 0
    assert "first output, shifted behind: [0.0, 0.0]" in said()


# G3: padding


def test_results_do_not_depend_on_the_padding():
    assert "zeros or thousands: True 6 or 40 wide: True batch or alone: True" in said()
    assert "without a mask: False" in said()
    assert "real rows that are nan: 6" in said()


def test_causal_mask_protects_from_padding_on_the_right_only():
    assert "with and without the padding mask: True" in said()
    moved = re.search(r"moved without the padding mask: tensor\(\[(.*?)\]", said())
    first, second, third = map(float, moved[1].split(","))
    assert first == 0
    assert min(second, third) > 1


# G4: a row that may attend to nothing


def test_three_answers_to_an_empty_row():
    assert "torch.softmax: tensor([nan, nan, nan])" in said()
    assert "the book's: tensor([0., 0., 0.])" in said()
    assert "torch.softmax, −1e9: tensor([0.3333, 0.3333, 0.3333])" in said()
    assert "first row, −1e9: tensor([0.1667, 0.1667" in said()
    assert "first row, −∞, the book's: tensor([0., 0., 0., 0., 0., 0.])" in said()


def test_nan_spreads_to_the_sentence_and_to_every_gradient():
    spread = "nan in 2 rows after one layer, 6 after two, in 6 of 6 gradients"
    clean = "nan in 0 rows after one layer, 0 after two, in 0 of 6 gradients"
    assert f"−∞, torch.softmax: {spread}" in said()
    assert f"−1e9, torch.softmax: {clean}" in said()
    assert f"−∞, the book's: {clean}" in said()
    assert re.search(r"loss [\d.]+ \[False, False, True\]", said())


def test_torch_answers_the_empty_row_in_two_ways():
    assert "functional: [0.0, 0.0, 0.0] module: [nan, nan, nan]" in said()


def test_half_precision():
    assert "without overflow added: tensor([1., 2., -inf], dtype=torch.float16)" in (
        said()
    )
    for line in (
        "torch.float16: lowest -65504; a row all forbidden once 0.333, twice nan",
        "torch.bfloat16: lowest -3.3895e+38; a row all forbidden once 0.333, twice nan",
        "torch.float32: lowest -3.4028e+38; a row all forbidden once 0.333, twice nan",
        "score -15.0 + -65504.0 = -65504.0 score -17.0 + -65504.0 = -inf",
        "forbidden once: ['nan', '0.333', '0.333']",
        "-998244352.], dtype=torch.bfloat16)",
        "torch.float16 nan: False row sums: tensor([0.0000, 0.0000, 1.0000",
        "torch.bfloat16 nan: False row sums: tensor([0.0000, 0.0000, 1.0000",
    ):
        assert line in said(), line


# G5: polarity, by what leaks


def test_polarity_of_the_three_libraries():
    assert after("ours:") == 0
    assert after("functional, True = may ") == 0
    assert after("functional, True = may not") > 0.1
    for name in ("attn_mask", "key_padding_mask"):
        leaks = re.search(rf"{name} True = may not: (\S+) True = may: (\S+)", said())
        assert float(leaks[1]) == 0, name
        assert float(leaks[2]) > 0.1, name
    assert after("1 = may:") == 0
    assert after("1 = may not:") > 0.1
    assert "its weights: 0.1111 to 0.1111" in said()


def test_mask_with_four_axes_is_added():
    assert after("four axes, boolean:") > 0.1
    assert after("four axes, 0 and −∞:") == 0
    assert "True is 1.0: True" in said()


# G2: dropout


def test_dropout_scales_survivors_and_keeps_the_expectation():
    assert "factors that occur: [0.0, 2.0]" in said()
    assert after("share of zeros:") == pytest.approx(0.5, abs=0.02)
    assert after("largest distance:") < 5
    assert after("first token left with nothing:") == pytest.approx(0.5, abs=0.02)
    spreads = re.search(
        r"spread of the row sums: tensor\(\[(.*?)\]\) on paper: tensor\(\[(.*?)\]",
        said(),
    )
    measured, paper = ([float(n) for n in spreads[i].split(",")] for i in (1, 2))
    assert measured == pytest.approx(paper, rel=0.05)
    assert paper[0] == 1


def test_module_drops_in_training_only():
    assert "eval, as without dropout: True eval, twice the same: True" in said()
    assert "train, twice the same: False" in said()
    assert after("train, mean of 20 000 off by") < 0.05


# The clinic


def test_every_patient_but_one_fails_and_no_check_finds_all():
    rows = re.findall(r"\b([A-I]) (ok|FAILS) (ok|FAILS) (ok|FAILS) (ok|FAILS)", said())
    checks = {row[0]: row[1:] for row in rows}
    assert "".join(checks) == "ABCDEFGHI"
    assert [name for name, c in checks.items() if "FAILS" not in c] == ["A"]
    for column in range(4):
        assert any(c[column] == "ok" for name, c in checks.items() if name != "A")
    assert "pass everything when padded on the right: ['A', 'E']" in said()


def test_there_are_six_exercises_and_all_figures():
    assert len(soup(NAME).select("div.exercise")) == 6
    for name in ("cheat", "least", "causal", "padding", "dropout"):
        assert soup(NAME).find("figure", id=f"fig-{name}").img["alt"]
    assert "True means may attend" in text(NAME)
