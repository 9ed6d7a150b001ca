"""*From recurrence to attention*: what the chapter owes, and what it measured."""

import re
from xml.etree import ElementTree

import pytest
from build import ROOT
from reading import cells, glued, outputs, soup, text

PAGE = "from_recurrence"
# A number as a cell prints it, with thousands separators or with an exponent.
NUMBER = r"([\d.]+(?:e[-+]\d+)?)"


def number(name):
    return float(glued(PAGE)[name])


def test_rnn_by_hand_is_the_first_state_of_the_loop():
    by_hand = re.search(r"= tanh\(-0\.1934\) = (-0\.1910)", outputs(PAGE)).group(1)
    assert f"tensor([[{by_hand}," in outputs(PAGE)


def test_lstm_by_hand_is_the_step_and_the_loop_is_torch():
    said = outputs(PAGE)
    by_hand = [float(h) for h in re.findall(r"h: \S+ × tanh\(\S+\) = (\S+)", said)]
    step = re.search(r"(0\.62769\d+) (-0\.42754\d+)", said).groups()
    assert by_hand == pytest.approx([float(h) for h in step], abs=1e-4)
    assert "largest difference below 1e-6: True" in said


def test_lstm_shows_every_gate():
    for name in ("input gate", "forget gate", "output gate", "cell state"):
        assert name in soup(PAGE).find("article").decode(), name


def norms(layer):
    found = re.search(
        rf"{re.escape(layer)} {NUMBER} {NUMBER} {NUMBER} {NUMBER} × {NUMBER} per step",
        outputs(PAGE),
    )
    return [float(norm) for norm in found.groups()]


@pytest.mark.parametrize(
    ("layer", "at_100", "rate"),
    [
        ("plain RNN", 2.0e-30, 0.51),
        ("LSTM", 1.3e-21, 0.63),
        ("LSTM, forget bias + 1", 1.9e-9, 0.83),
        ("LSTM, forget bias + 3", 0.25, 1.00),
        ("attention", 0.031, 1.00),
    ],
)
def test_gradient_norms_over_distance(layer, at_100, rate):
    *_, last, measured = norms(layer)
    assert last == pytest.approx(at_100, rel=0.05)
    assert measured == pytest.approx(rate, abs=0.011)


def test_gradient_of_attention_falls_with_the_number_of_tokens():
    found = re.findall(rf"n = (\d+): mean norm {NUMBER}, times n", outputs(PAGE))
    assert [int(n) for n, _ in found] == [25, 50, 100, 200]
    products = [int(n) * float(norm) for n, norm in found]
    assert products == pytest.approx([3.45] * 4, rel=0.03)


def test_additive_attention_by_hand_and_as_module():
    assert "weights: [0.3357, 0.2115, 0.4529]" in outputs(PAGE)
    assert "weights: tensor([0.3357, 0.2115, 0.4529])" in outputs(PAGE)


def test_network_with_attention_reverses_words_it_has_not_seen():
    assert number("letters-8") > 0.96
    assert number("words-8") > 0.9
    assert number("words-8") > number("bottleneck-words-8") + 0.1
    assert number("words-12") > number("bottleneck-words-12") + 0.3
    assert "stressed → desserts |" in outputs(PAGE)
    assert any("not in seen" in cell.source for cell in cells(PAGE))


def test_alignment_is_one_place_off_until_the_values_forget():
    assert number("share-late") > 0.75
    assert number("share-right") < 0.2
    assert number("share-first") > 0.85
    assert number("share-rest") < 0.05
    assert number("plain-right") > 0.95
    assert number("plain-letters") > 0.97


def test_self_attention_takes_all_three_from_one_sequence():
    assert "decoder state asks: (1, 3)" in outputs(PAGE)
    assert "all tokens ask at once: (3, 3)" in outputs(PAGE)
    assert "decoder state is the query" in text(PAGE)


def test_table_of_costs():
    figure = soup(PAGE).find(id="tab-costs")
    rows = [
        [
            "".join(
                cell.find("annotation").get_text().replace("\\,", "").split()
                if cell.find("annotation")
                else cell.get_text().strip()
            )
            for cell in row.find_all("td")
        ]
        for row in figure.select("tbody tr")
    ]
    assert rows == [
        ["CNN", "O(knd^2)", "O(1)", "O(n/k)"],
        ["RNN", "O(nd^2)", "O(n)", "O(n)"],
        ["Self-attention", "O(n^2d)", "O(1)", "O(1)"],
    ]


def test_path_of_a_convolution_is_n_over_k():
    assert "k = 3: [(65, 64), (129, 128), (257, 256)]" in outputs(PAGE)
    assert "k = 9: [(65, 16), (129, 32), (257, 64)]" in outputs(PAGE)


def test_multiply_adds_are_counted_exactly():
    found = re.findall(r"n = +(\d+) ([\d,]+(?: [\d,]+){4})(?= )", outputs(PAGE))
    assert [int(n) for n, _ in found] == [32, 64, 128, 160]
    d = 64
    for length, counts in found:
        n = int(length)
        square = n * d**2
        assert [int(count.replace(",", "")) for count in counts.split()] == [
            3 * square,
            2 * square,
            8 * square,
            2 * n**2 * d,
            3 * square + 2 * n**2 * d,
        ]
    assert "mixing = RNN at n = [64]" in outputs(PAGE)
    assert "attention = LSTM at n = [160]" in outputs(PAGE)


def test_memory_is_counted():
    found = re.findall(r"n = +(\d+): RNN ([\d,]+) mixing ([\d,]+)", outputs(PAGE))
    assert [int(n) for n, *_ in found] == [64, 256, 1024]
    d = 64
    for length, *counts in found:
        n = int(length)
        kept = [int(count.replace(",", "")) for count in counts]
        assert kept == [2 * n * d + d, n**2 + n * d]


def test_time_is_measured_over_length_and_width():
    found = re.findall(r"(\w+) time grows like n\^\S+ and like d\^\S+", outputs(PAGE))
    assert found == ["RNN", "mixing", "attention"]


def test_diagram_of_the_transformer_names_every_block():
    drawing = ElementTree.parse(ROOT / "images" / "transformer.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    said = " ".join(
        "".join(node.itertext()).strip() for node in drawing.iter(f"{svg}text")
    )
    for name in (
        "1 self-attention",
        "2 masked self-attention",
        "3 cross-attention",
        "keys and values",
        "queries",
    ):
        assert name in said, name
    assert said.count("add & norm") == 5
    assert said.count("feed-forward") == 2
    assert drawing.find(f"{svg}title").text
    assert len(drawing.find(f"{svg}desc").text) > 100
    image = soup(PAGE).find("figure", id="fig-transformer").img
    assert "cross-attention" in image["alt"]


@pytest.mark.parametrize(
    "use", ["translation", "questions about a text", "headlines", "speech", "videos"]
)
def test_what_attention_is_used_for(use):
    assert use in text(PAGE)


@pytest.mark.parametrize(
    "work",
    [
        "Bahdanau et al. , 2015",
        "Luong et al. , 2015",
        "Hermann et al. , 2015",
        "Rush et al. , 2015",
        "Chorowski et al. , 2015",
        "Xu et al. , 2015",
        "Fajtl et al. , 2018",
    ],
)
def test_works_that_the_uses_refer_to_are_cited(work):
    assert work in text(PAGE)
