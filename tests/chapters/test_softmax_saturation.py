"""What *Softmax saturation* measures: overflow, variance, and a model trained twice."""

import math
import re

import pytest
from reading import glued, outputs, soup, text

NAME = "softmax_saturation"


def said():
    return outputs(NAME)


def value(name):
    """A number that the chapter puts into its sentences."""
    return float(glued(NAME)[name])


def shares(string):
    """Read ``91.7%, 94.7%`` as 0.917 and 0.947."""
    return [float(share) / 100 for share in re.findall(r"([\d.]+)%", string)]


def test_eight_scores_and_a_hundred_times_as_much():
    assert value("first-weight") == pytest.approx(0.3995, abs=1e-3)
    runner_up, by_hand = re.search(
        r"runner-up's weight: (\S+) e\^\(-100 × gap\): (\S+)", said()
    ).groups()
    assert float(runner_up) == pytest.approx(float(by_hand), rel=1e-3)
    assert float(runner_up) == pytest.approx(2.954e-31, rel=1e-2)


def test_entropy_as_it_stands_is_not_a_number():
    assert "as it stands: nan" in said()
    entropy = re.search(r"with entr: (\S+)", said())
    assert 0 < float(entropy[1]) < 1e-25


def test_where_the_exponential_overflows():
    owed = {
        "float16": (math.log(65504), -17.33),
        "bfloat16": (88.72, -92.5),
        "float32": (88.72, -103.97),
        "float64": (709.78, -745.13),
    }
    for kind, (large, small) in owed.items():
        found = re.search(rf"\b{kind}: ∞ from ([\d.]+), 0 from (-[\d.]+)", said())
        coarse = 0.5 if kind == "bfloat16" else 0.02
        assert float(found[1]) == pytest.approx(large, abs=coarse)
        assert float(found[2]) == pytest.approx(small, abs=coarse)


def test_overflow_without_an_alarm():
    assert "tensor([nan, nan, nan])" in said()
    assert "two equal scores: tensor([0., 0.], dtype=torch.float16)" in said()
    assert "very low scores: tensor([0.6585, 0.2439, 0.0976])" in said()
    assert "tensor([0.5000, 0.5000], dtype=torch.float16)" in said()


def test_jacobian_by_hand_and_its_bound():
    weight_1, formula_1 = re.search(
        r"weight 1: \+(\S+), a1 \(1 − a1\) = \+(\S+)", said()
    ).groups()
    assert float(weight_1) == pytest.approx(float(formula_1), abs=2e-4)
    assert all(value(f"largest-{c}") <= 0.25 for c in (1, 10, 100))
    assert value("largest-1") == pytest.approx(0.229, abs=1e-3)
    assert value("largest-10") == pytest.approx(4.5e-5, rel=0.02)
    assert value("largest-100") == pytest.approx(3.7e-44, rel=0.02)
    assert 740 <= int(glued(NAME)["vanished"]) <= 750


def test_variance_up_to_4096_with_its_spread():
    rows = re.findall(
        r"d_k = (\d+): Var\(q·k\) = ([\d.]+) ± ([\d.]+), "
        r"Var\(q·k / √d_k\) = ([\d.]+) ± ([\d.]+)",
        said(),
    )
    widths = [int(row[0]) for row in rows]
    assert widths[0] == 1
    assert widths[-1] == 4096
    for width, mean, _, scaled, spread in rows:
        assert float(mean) == pytest.approx(int(width), rel=0.06)
        assert float(scaled) == pytest.approx(1, abs=0.06)
        assert 0.005 < float(spread) < 0.12
    assert value("predicted") == pytest.approx(math.sqrt(2 / 2000), rel=0.01)
    assert value("spread") == pytest.approx(value("predicted"), rel=0.3)
    assert value("worst-ratio") < 0.05


def test_scale_keeps_the_favourite_down():
    assert value("plain-1024") > 0.9
    assert value("scaled-1024") == pytest.approx(0.36, abs=0.03)


def test_a_token_with_itself_scores_the_root_of_the_width():
    rows = re.findall(r"d_k = (\d+): mean scaled score ([\d.]+), weight (\S+)", said())
    assert [int(row[0]) for row in rows] == [16, 64, 256]
    for width, own, _ in rows:
        assert float(own) == pytest.approx(math.sqrt(int(width)), rel=0.02)
    assert float(rows[-1][2]) > 0.999


def test_temperature_is_the_factor_from_the_other_side():
    rows = re.findall(r"τ = ([\d.]+): largest weight \S+, H = ([\d.]+)", said())
    assert [float(row[0]) for row in rows] == [0.01, 0.1, 1, 10, 100]
    entropies = [float(row[1]) for row in rows]
    assert entropies == sorted(entropies)
    assert entropies[-1] == pytest.approx(math.log(8), abs=1e-3)
    assert "a tie, cold: tensor([0.5000, 0.5000, 0.0000])" in said()


def test_width_is_that_of_a_head():
    rows = dict(re.findall(r"divided by (\S+): std ([\d.]+)", said()))
    owed = {"1": 8, "√64": 1, "√512": 1 / math.sqrt(8), "64": 1 / 8}
    assert rows.keys() == owed.keys()
    for divisor, spread in owed.items():
        assert float(rows[divisor]) == pytest.approx(spread, rel=0.04)
    assert value("head-width-keys") < value("model-width-keys") < 8


def test_trained_twice_the_plain_model_gets_stuck():
    runs = re.findall(
        r"(scaled|plain), seed (\d): loss ([\d.]+), "
        r"gradient at step 1 ([\d.]+), at the end (\S+)",
        said(),
    )
    assert len(runs) == 6
    scaled, plain = ([r for r in runs if r[0] == kind] for kind in ("scaled", "plain"))
    floor = math.log1p(7 * math.exp(-5))
    for run in scaled:
        assert floor <= float(run[2]) + 5e-4 < floor + 0.02
    for run in plain:
        assert float(run[2]) > floor + 0.04
        assert float(run[4]) < 1e-2


def test_gradient_is_not_small_at_the_first_step():
    assert value("first-plain") > 4 * value("first-scaled")
    assert value("first-fair") < value("first-scaled")


def test_wrong_answers_are_silent():
    lines = dict(
        re.findall(
            r"((?:scaled|plain), (?:before|after)): wrong ([^;]+); median", said()
        )
    )
    assert max(shares(lines["scaled, after"])) < 0.005
    assert min(shares(lines["plain, after"])) > 0.005
    median = re.search(r"plain, after: wrong [^;]+; median: (\S+)", said())
    assert float(median[1]) < 1e-8
    before = re.search(r"plain, before: wrong [^;]+; median: (\S+)", said())
    assert float(before[1]) < 1e-2
    voice = re.search(r"scaled, before: wrong [^;]+; median: (\S+)", said())
    assert float(voice[1]) > 0.3


def test_a_division_mends_what_time_does_not():
    more = re.search(r"600 more steps, plain: wrong ((?:[\d.]+%(?:, )?)+)", said())
    mended = re.search(r"600 more steps, scaled: wrong ((?:[\d.]+%(?:, )?)+)", said())
    assert min(shares(more[1])) > 0.005
    assert max(shares(mended[1])) < 0.01


def test_rates_optimisers_and_starts():
    found = re.findall(
        r"(scaled|plain), rate ([\d.]+): ([\d.]+%, [\d.]+%, [\d.]+%)", said()
    )
    assert len(found) == 20
    scaled, plain = (
        [shares(f[2]) for f in found if f[0] == kind] for kind in ("scaled", "plain")
    )
    assert min(map(min, scaled)) > 0.98
    # SGD: no rate lets all three plain seeds through.
    assert all(min(row) < 0.98 for row in plain[:4])
    # Adam with PyTorch's start: no difference at two rates, a large one at the third.
    assert all(min(row) > 0.98 for row in plain[7:9])
    assert max(plain[9]) < 0.95


def test_division_is_a_smaller_start_and_a_smaller_rate():
    difference = re.search(r"largest difference in loss: (\S+)", said())
    assert float(difference[1]) < 1e-4
    one, other = re.search(
        r"gradients at step 1: ([\d.]+) and ([\d.]+)", said()
    ).groups()
    assert float(other) / float(one) == pytest.approx(512**0.25, rel=1e-2)


def test_wrong_width_costs_steps():
    assert value("patience-8") < value("patience-512") < value("patience-64")
    assert value("patience-512") >= 2 * value("patience-8")


def test_there_are_five_exercises_and_all_figures():
    assert len(soup(NAME).select("div.exercise")) == 5
    for name in (
        "times-hundred",
        "jacobian",
        "variance",
        "scaled",
        "training",
        "rates",
    ):
        assert soup(NAME).find("figure", id=f"fig-{name}").img["alt"]
    assert "Where the argument fails" in text(NAME)
