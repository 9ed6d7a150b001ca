"""*Multi-head attention*: what one head cannot do, and what the module is equal to."""

import re
from xml.etree import ElementTree

import pytest
from build import ROOT
from reading import cells, glued, outputs, soup, text

PAGE = "multi_head"
SVG = "{http://www.w3.org/2000/svg}"


def number(name):
    return float(glued(PAGE)[name])


# H1: why several heads


def test_best_read_out_of_one_head_loses_half_for_every_split():
    found = re.findall(
        r"(0\.\d|1\.0) (\d\.\d{3}) (\d\.\d{3}) (\d\.\d{3})", outputs(PAGE)
    )
    assert [row[0] for row in found] == ["0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]
    for w, left, right, total in (map(float, row) for row in found):
        both = w**2 + (1 - w) ** 2
        assert left == pytest.approx(1 - w**2 / both, abs=0.02)
        assert right == pytest.approx(1 - (1 - w) ** 2 / both, abs=0.02)
        assert total == pytest.approx(1, abs=0.02)


def test_crossed_arms_do_not_move_the_average():
    said = outputs(PAGE)
    before = re.search(r"Ada gets: (tensor\(\[.*?\]\))", said)[1]
    assert re.search(r"with arms crossed: (tensor\(\[.*?\]\))", said)[1] == before
    assert "right answers differ: True" in said


def trained():
    """Number of heads → parameters and the pairs of errors, one per seed."""
    found = re.findall(
        r"h = (\d), (\d+) parameters: left, right: "
        r"((?:\d\.\d\d \d\.\d\d(?:, )?)+)",
        outputs(PAGE),
    )
    return {
        int(heads): (
            int(parameters),
            [tuple(map(float, pair.split())) for pair in pairs.split(", ")],
        )
        for heads, parameters, pairs in found
    }


def test_one_head_fails_with_every_seed():
    _, pairs = trained()[1]
    assert len(pairs) == 4
    for pair in pairs:
        assert 0.93 < sum(pair) < 1.1
        assert max(pair) > 0.45
    assert 0.93 < number("one-low") <= number("one-high") < 1.1


@pytest.mark.parametrize("heads", [2, 3, 4])
def test_two_and_more_heads_succeed_with_every_seed(heads):
    _, pairs = trained()[heads]
    assert len(pairs) == 4
    assert max(map(max, pairs)) < 0.05
    assert number("more-worst") < 0.05


def test_every_number_of_heads_has_the_same_parameters():
    assert {parameters for parameters, _ in trained().values()} == {2400}
    assert 4 * 24**2 + 4 * 24 == 2400


def test_two_heads_divide_the_work():
    found = re.findall(
        r"h = 2, seed \d: left, right: ([\d. ]+?) (?=h =)", outputs(PAGE)
    )
    assert len(found) == 2
    for shares in found:
        a, b, c, d = map(float, shares.split())
        assert min(max(a, b), max(c, d)) > 0.8
        assert (a > b) != (c > d)
    assert number("specialised") > 0.8


def test_more_time_does_not_help_one_head():
    found = re.search(r"left (\S+), right (\S+), sum (\S+)", outputs(PAGE))
    assert 0.93 < float(found[3]) < 1.1


def test_a_hidden_layer_is_a_way_round_and_a_linear_one_is_not():
    assert number("kinds-linear") < 0.4
    assert number("kinds-hidden") > 0.9
    assert "too strong a sentence" in text(PAGE)


# H2 and H3: the modules, the widths, the traps


def test_widths_of_heads():
    for words in ("512 = 8 × 64", "the width of one head"):
        assert words in text(PAGE)
    assert "one head: (5, 3) concatenated: (5, 6) output: (5, 7)" in outputs(PAGE)


def test_list_of_heads_is_the_one_projection():
    assert "equal to the list: True" in outputs(PAGE)


def test_the_wrong_view_has_the_right_shape():
    said = outputs(PAGE)
    assert "right: (2, 3, 5, 4) wrong: (2, 3, 5, 4) same numbers: False" in said
    assert "right, head 0: [0, 1, 2, 3, 4] wrong, head 0: [0, 0, 0, 1, 1]" in said
    assert "right: True wrong: False" in said


def test_mask_of_a_sentence_taken_for_that_of_a_head_leaks():
    found = re.findall(r"length (\d): padding gets (\S+), and (\S+)", outputs(PAGE))
    assert [int(length) for length, *_ in found] == [5, 4, 2]
    assert float(found[2][1]) > 0.1
    assert all(float(right) == 0 for *_, right in found)


def test_dropout_of_heads():
    said = outputs(PAGE)
    assert "all 0 or 4/3: True heads alike: False same on average: True" in said


def test_heads_are_added_through_their_blocks():
    said = outputs(PAGE)
    assert "sum of the heads = output: True" in said
    found = re.findall(r"without head (\d): left (\S+), right (\d\.\d\d)", said)
    assert [int(head) for head, *_ in found] == [0, 1]
    first, second = (tuple(map(float, pair)) for _, *pair in found)
    for pair in (first, second):
        assert max(pair) > 0.9
        assert min(pair) < 0.05
    assert (first[0] > first[1]) != (second[0] > second[1])


def test_parameters_do_not_grow_with_the_heads_and_weights_do():
    found = re.findall(
        r"(\d+) heads of +(\d+): ([\d,]+) parameters, ([\d,]+) with bias, +([\d,]+)",
        outputs(PAGE),
    )
    assert [int(row[0]) for row in found] == [1, 2, 8, 64, 512]
    for heads, width, *counts in found:
        plain, biased, weights = (int(count.replace(",", "")) for count in counts)
        assert int(heads) * int(width) == 512
        assert (plain, biased) == (4 * 512**2, 4 * 512**2 + 4 * 512)
        assert weights == int(heads) * 100**2


# H4: equal to PyTorch's and to BERT's


def test_equal_to_torch():
    assert "largest difference below 1e-6: True" in outputs(PAGE)
    assert "ours (3, 8, 10, 10) theirs (3, 10, 10)" in outputs(PAGE)


def test_equal_to_every_layer_of_bert():
    found = re.findall(r"layer (\d): largest difference (\S+)", outputs(PAGE))
    assert [int(layer) for layer, _ in found] == list(range(6))
    assert all(0 <= float(difference) < 1e-5 for _, difference in found)


# H5: order


def test_order_means_nothing_until_positions_are_added():
    found = dict(
        re.findall(
            r"(no positions|BERT's own|sines and cosines): "
            r"'bites' is the same in both: (\w+)",
            outputs(PAGE),
        )
    )
    assert found == {
        "no positions": "True",
        "BERT's own": "False",
        "sines and cosines": "False",
    }


def test_positions_by_hand():
    said = outputs(PAGE)
    assert "[0.1411, -0.99, 0.03, 0.9996]" in said
    assert "tensor([ 0.1411, -0.9900, 0.0300, 0.9996])" in said


def test_dot_products_depend_on_the_distance():
    found = re.findall(r"distance +(\d+): from (\S+) to (\S+)", outputs(PAGE))
    assert [int(row[0]) for row in found] == [0, 1, 5, 20]
    for _, low, high in found:
        assert float(high) - float(low) < 2e-3
    assert float(found[0][1]) == pytest.approx(32, abs=2e-3)


def test_dot_products_do_not_simply_fall():
    assert 30 < number("rises") < 50
    assert number("first-rise") == 6
    assert number("spread") > 0.3


def test_a_shift_is_a_rotation():
    said = outputs(PAGE)
    assert "shift by 7: True lengths stay: True" in said
    assert float(re.search(r"previous token: (\S+) or more", said)[1]) > 0.9
    turned = re.findall(r"places \d+ and \d+: (\S+)", said)
    assert len(turned) == 3
    assert max(map(float, turned)) - min(map(float, turned)) < 2e-3


# Cross-attention, cost, cache


def test_cross_attention_is_the_same_function():
    said = outputs(PAGE)
    assert "query (2, 4, 12) key (2, 7, 12)" in said
    assert "output (2, 4, 12) weights (2, 3, 4, 7)" in said
    assert "memory in another order, same output: True" in said
    assert "each query for itself: True" in said


def test_multiplications_are_counted():
    found = re.findall(r"h = (\d), T = +(\d+): +([\d,]+)", outputs(PAGE))
    assert [(h, T) for h, T, _ in found] == [
        (h, T) for h in ("1", "8") for T in ("32", "128", "512")
    ]
    for _, length, count in found:
        T = int(length)
        assert int(count.replace(",", "")) == 4 * T * 64**2 + 2 * T**2 * 64


def test_memory_of_the_weights():
    found = re.findall(r"8 heads, T = +(\d+): +(\S+) MiB", outputs(PAGE))
    assert [(int(T), float(size)) for T, size in found] == [
        (128, 0.5),
        (512, 8.0),
        (1024, 32.0),
    ]
    assert "BERT, 512 tokens, all layers: 72.0 MiB" in outputs(PAGE)


def test_ours_keeps_the_weights_and_torch_does_not():
    found = re.findall(r"T = +(\d+): ours (\S+), theirs (\S+)", outputs(PAGE))
    assert [int(T) for T, *_ in found] == [64, 256, 512]
    ours, theirs = ([float(row[i]) for row in found] for i in (1, 2))
    assert ours[0] * 3 < ours[1] < ours[2]
    assert max(theirs) < ours[0]
    assert max(theirs) - min(theirs) < 0.5


def test_cache_gives_the_same_and_saves():
    said = outputs(PAGE)
    assert "steps equal the full pass: True" in said
    n, d = 256, 64
    again = sum(4 * t * d**2 + 2 * t**2 * d for t in range(1, n + 1))
    cached = 4 * n * d**2 + n * (n + 1) * d
    once = 4 * n * d**2 + 2 * n**2 * d
    for name, count in (
        ("everything again at each step", again),
        ("with the cache", cached),
        ("one full pass, causal mask", once),
    ):
        assert f"{name}: {count:,}" in said
    assert f"the cache saves a factor of {again / cached:.0f}" in said
    assert number("cache-once") < 1


def test_cache_is_ten_lines():
    [cell] = [c for c in cells(PAGE) if c.source.startswith("def attend_next(")]
    assert len(cell.source.splitlines()) <= 10


# H6: the drawings


def drawn(name):
    drawing = ElementTree.parse(ROOT / "images" / f"{name}.svg").getroot()
    assert drawing.find(f"{SVG}title").text
    assert len(drawing.find(f"{SVG}desc").text) > 200
    sizes = [float(node.get("font-size", 14)) for node in drawing.iter()]
    assert min(sizes) >= 13
    return ["".join(node.itertext()).strip() for node in drawing.iter(f"{SVG}text")]


def test_drawing_of_the_heads():
    said = drawn("multi_head")
    for words in ("X: T × d", "attention", "weights T × T", "output: T × d"):
        assert words in said
    assert said.count("Q") == said.count("K") == said.count("V") == 3
    assert soup(PAGE).find("figure", id="fig-multi-head").img["alt"]


def test_recap_names_every_stage_and_its_chapter():
    said = " | ".join(drawn("recap"))
    stages = (
        "tokens",
        "embeddings",
        "+ positions",
        "Q | K | V",
        "scores",
        "÷ √d",
        "mask",
        "softmax",
        "weights",
        "weighted sum",
        "heads side by side",
        "times WO",
        "output",
    )
    places = [said.find(stage) for stage in stages]
    assert -1 not in places
    assert places == sorted(places)
    for chapter in (
        "Embeddings",
        "Queries, keys, values",
        "Attention without | parameters",
        "Softmax saturation",
        "Masking",
        "Multi-head attention",
        "BERT head views",
    ):
        assert chapter in said
    assert soup(PAGE).find("figure", id="fig-recap").img["alt"]
