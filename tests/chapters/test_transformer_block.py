"""What *A Transformer block* measures: its parts, their loss, heads that copy."""

import ast
import re

import pytest
from reading import cells, glued, outputs, soup, text

SAID = "transformer_block"


def number(name):
    return float(glued(SAID)[name].strip("'"))


def measured(pattern):
    """The numbers of the one place in the outputs that fits the pattern."""
    found = re.findall(pattern, outputs(SAID))
    assert len(found) == 1, found
    groups = found[0] if isinstance(found[0], tuple) else (found[0],)
    return [float(value) for group in groups for value in group.split()]


def row(name, count):
    """What the ablation printed for a variant, each time that it was trained."""
    values = r"((?: +\d+\.\d+)+) grammatical (\d+)%"
    found = re.findall(rf"(?<!\w){name}:{values}", outputs(SAID))
    runs = [[float(v) for v in numbers.split()] for numbers, _ in found]
    return [run for run in runs if len(run) == count]


def test_block_and_model_take_less_than_a_hundred_lines():
    wanted = {"Block", "LanguageModel", "train", "write", "layer_norm"}
    lengths = {
        node.name: node.end_lineno - node.lineno + 1
        for cell in cells(SAID)
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert wanted <= set(lengths)
    assert sum(lengths[name] for name in wanted) < 100


def test_layernorm_by_hand_and_by_torch():
    said = outputs(SAID)
    assert "mean 5.0 – squares [9.0, 1.0, 1.0, 25.0] – variance 9.0" in said
    assert "-1.0000, -0.3333, -0.3333, 1.6667" in said
    assert said.count("tensor([-1.0000, -0.3333, -0.3333, 1.6667])") == 2


def test_shapes_sizes_and_who_hears_whom():
    said = outputs(SAID)
    assert "in (2, 7, 32) out (2, 7, 32)" in said
    assert "attention: 4224 feed_forward: 8352" in said
    assert "output 2 answers to tokens: [[2]]" in said
    assert "moved: [False, False, False, False, True, True, True]" in said


def test_entropy_of_the_language_and_its_floors():
    said = outputs(SAID)
    assert "8.2364 nats per sentence of 6.43 tokens" in said
    assert "1.2812 nats per token" in said
    assert "4800 sentences, entropy 8.2364" in said
    assert (
        "21.0083 nothing 10.2013 the last word 8.5702 the last word and its place "
        "8.2364 the last word, the rest unordered 8.2364 everything"
    ) in said


def test_trained_model_is_close_to_the_entropy_and_writes():
    assert number("before") > 10
    assert 0 < number("after") < 0.15
    assert number("good") > 0.93
    assert 0.3 < number("new") < 0.5
    assert number("good-new") > 0.85
    assert "untrained 0.0%" in outputs(SAID)


def test_at_two_blocks_attention_and_the_path_are_vital():
    (everything,) = row("everything", 3)
    assert max(everything) < 0.25
    for name in ("no positions", "no LayerNorm", "no feed-forward"):
        (found,) = row(name, 3)
        assert max(found) < 0.3, name
    (attention,) = row("no attention", 3)
    assert 0.33 < min(attention) <= max(attention) < 0.7
    (residual,) = row("no residual", 3)
    assert min(residual) > max(attention)


def test_six_blocks_without_a_path_learn_word_frequencies_only():
    (residual,) = row("no residual", 2)
    nothing = number("floor-nothing")
    assert nothing == pytest.approx(21.0083 - 8.2364, abs=1e-3)
    assert residual == pytest.approx([nothing, nothing], abs=0.15)
    everything, _ = row("everything", 2)
    (norm,) = row("no LayerNorm", 2)
    assert max(everything + norm) < 0.4


def test_the_gradient_vanishes_only_without_path_and_norm():
    assert number("grad-neither") < 1e-14
    assert 0.2 < number("grad-all") < 3
    assert number("grad-residual-8") > number("grad-all")
    assert number("grad-norm") > 3 * number("grad-all")
    assert number("alike-residual") > 0.99
    assert number("alike-all") < 0.6


def test_post_norm_trains_two_blocks_and_needs_care_with_six():
    (two,) = row("post-norm", 3)
    assert max(two) < 0.25
    fast, slow = row("post-norm", 2)
    assert max(fast) > 2  # one seed does not get off the ground
    assert max(slow) < 0.5
    everything, slow_pre = row("everything", 2)  # at both rates
    assert slow_pre == pytest.approx(slow, abs=0.05)
    assert max(everything) < min(slow + slow_pre)


def test_two_layers_copy_and_one_does_not():
    two = re.search(r"two layers: ((?:[\d.]+% ?)+)", outputs(SAID))[1]
    one = re.search(r"one layer: ((?:[\d.]+% ?)+)", outputs(SAID))[1]
    assert min(float(v.strip("%")) for v in two.split()) > 97
    assert max(float(v.strip("%")) for v in one.split()) < 45
    assert number("by-place") == pytest.approx(0.25, abs=0.02)
    assert number("by-votes") > 0.9  # and yet one layer could


def test_roles_of_the_heads():
    found = re.findall(
        r"layer (\d) head (\d): first B to first A ([\d.]+), "
        r"second A to first B ([\d.]+)",
        outputs(SAID),
    )
    assert len(found) == 8  # with positions, then without
    for layer, _, previous, induction in found[:4]:
        if layer == "0":
            assert float(previous) > 0.45
            assert float(induction) < 0.2
        else:
            assert float(induction) > 0.85
            assert float(previous) < 0.4
    assert number("others-previous") > 0.45
    assert number("others-induction") > 0.85
    assert number("blind") > number("copy-one") + 0.15


def test_cutting_both_previous_token_heads_kills_the_copy():
    cut = r"layer 0 without \({}\): ([\d.]+ [\d.]+ [\d.]+)"
    assert max(measured(cut.format("0, 1"))) < 0.4
    for head in "01":
        assert min(measured(cut.format(f"{head},"))) > 0.6


def test_the_token_before_is_what_layer_0_has_to_look_at():
    weights = r"{}: ([\d.]+ [\d.]+ [\d.]+)"
    assert min(measured(weights.format("the token before"))) > 0.9
    assert max(measured(weights.format("the token itself"))) < 0.1
    assert max(measured(weights.format("two tokens before"))) < 0.1
    assert 0.3 < min(measured(weights.format("all, alike"))) < 0.85


def test_a_norm_over_the_tokens_beats_the_entropy_and_cannot_write():
    loss, share = measured(r"loss ([\d.]+), entropy 8.24, grammatical (\d+)%")
    assert loss < 1
    assert share < 30


def test_pieces_are_linked_and_pictures_described():
    for name in (
        "fig-block",
        "fig-surprise",
        "fig-ablation",
        "fig-first-gradient",
        "fig-induction",
    ):
        assert soup(SAID).find("figure", id=name).img["alt"]
    links = {a["href"].split("#")[0] for a in soup(SAID).select("#tab-pieces a[href]")}
    for page in (
        "embeddings",
        "masking",
        "multi_head",
        "queries_keys_values",
        "softmax_saturation",
        "without_parameters",
    ):
        assert f"{page}.html" in links
    assert "pre-norm" in text(SAID)
    assert "post-norm" in text(SAID)
    assert len(soup(SAID).select("div.exercise")) == 6
