"""The numbers that the book owes its readers stand on its pages, computed there."""

import re

import pytest
from reading import glued, outputs, soup, text


def numbers(string):
    """Write numbers as a tensor prints them: ``.5 1.25`` becomes ``0.5, 1.25``."""
    return ", ".join(f"{float(n):.4f}" for n in string.split())


ROWS = {
    "without_parameters": [
        ".9544 1.4950 1.4754 .8434 .7070 1.0865",
        ".1455 .2278 .2249 .1285 .1077 .1656",
        ".1385 .2379 .2333 .1240 .1082 .1581",
        ".4419 .6515 .5683",
        ".9995 .9544 .9422 .4753 .4576 .6310",
        ".4421 .5931 .5790",
        ".4431 .6496 .5671",
        ".4304 .6298 .5510",
        ".4671 .5910 .5266",
        ".4177 .6503 .5645",
    ],
    "queries_keys_values": [
        ".4306 1.4551",
        ".4433 1.1419",
        ".3951 1.0037",
        "1.2705 1.8524 1.8111 1.0795 .5577 1.5440",
        ".1500 .2264 .2199 .1311 .0906 .1820",
        ".3061 .8210",
        ".2996 .8053",
        ".3058 .8203",
        ".2948 .7939",
        ".2927 .7891",
        ".2990 .8040",
    ],
}


@pytest.mark.parametrize(
    ("chapter", "row"), [(name, row) for name, rows in ROWS.items() for row in rows]
)
def test_rows_of_numbers(chapter, row):
    assert numbers(row) in outputs(chapter)


def test_score_22_is_worked_out():
    assert "= 1.8524" in outputs("queries_keys_values")


def test_naive_circle_to_fifteen_digits():
    printed = re.findall(r"(DOG|HAS|HAIR) (0\.\d{15,})", outputs("circle"))
    assert [name for name, _ in printed] == ["DOG", "HAS", "HAIR"]
    owed = [0.37996893436819246, 0.3603853979421595, 0.2596456676896481]
    assert [float(n) for _, n in printed] == pytest.approx(owed, rel=0, abs=1e-15)


def test_circle_loses_a_word():
    assert "11 words, 10 vectors" in outputs("circle")


def test_jacobian_collapses():
    said = outputs("softmax_saturation")
    assert "c = 1: largest |∂a/∂s| = 0.229" in said
    assert "c = 10: largest |∂a/∂s| = 4.54e-05" in said
    assert "c = 100: largest |∂a/∂s| = 3.72e-44" in said
    assert float(glued("softmax_saturation")["largest-100"]) == pytest.approx(
        3.7e-44, 0.1
    )


def test_variance_is_the_width():
    measured = re.findall(
        r"d_k = (\d+): Var\(q·k\) = ([\d.]+)", outputs("softmax_saturation")
    )
    assert len(measured) >= 5
    for width, variance in measured:
        assert float(variance) == pytest.approx(int(width), rel=0.05)


def test_times_hundred_is_one_hot():
    alt = soup("softmax_saturation").find("figure", id="fig-times-hundred").img["alt"]
    assert "0.40" in alt
    assert float(glued("softmax_saturation")["first-weight"]) == pytest.approx(
        0.40, abs=5e-3
    )


def test_embedding_table():
    said = outputs("embeddings")
    assert "(30522, 384)" in said
    assert "dog → dogs canine puppy pets" in said
    ranked = re.findall(r"(king|queen) (0\.\d+)", said)
    assert [name for name, _ in ranked] == ["king", "queen"]
    assert "token', '##ization'" in said
    assert "monitor: the same row in both sentences: True" in said
    assert "flies: the same row in both sentences: True" in said


def test_heads_of_bert():
    said = outputs("bert_heads")
    assert "cosine of the two: 0.63" in said
    assert "insect: time flies 0.27, fruit flies 0.54" in said
    assert "soars: time flies 0.10, fruit flies 0.07" in said
    assert "layer 3, head 1: tired 0.64, wide 0.27" in said
    assert "layer 0, head 2: 0.98 on the previous token" in said


def test_equal_to_torch_and_to_bert():
    said = outputs("multi_head")
    layers = re.findall(r"layer (\d): largest difference (\S+)", said)
    assert [int(layer) for layer, _ in layers] == list(range(6))
    assert all(float(difference) < 1e-5 for _, difference in layers)


def test_no_leak_through_the_mask():
    said = outputs("masking")
    assert "with the mask, the past moves by 0.0" in said
    assert "with the mask: 0.0" in said
    assert not re.search(r"without a mask: 0\.0\b", said)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("notation", "tokens are rows"),
        ("softmax_saturation", "Where the argument fails"),
        ("circle", "Three things that are wrong"),
        ("bibliography", "Attention Is All You Need"),
    ],
)
def test_ideas_that_are_words(page, words):
    assert words.lower() in text(page).lower()
