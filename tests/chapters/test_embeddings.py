"""What the chapter on embeddings claims is what its cells printed (ledger A1 to A6)."""

import re

import pytest
from reading import glued, outputs, soup, text

SAID = "embeddings"


def glued_number(name):
    return float(glued(SAID)[name].strip("'").replace(",", ""))


def printed(pattern):
    """The numbers of the one place in the outputs that fits the pattern."""
    found = re.findall(pattern, outputs(SAID))
    assert len(found) == 1, found
    return [float(number) for number in found[0]]


def test_a_projection_chooses_which_similarity_counts():
    said = outputs(SAID)
    assert "[[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]" in said
    assert "cosine of dog and puppy: 0.969" in said
    assert "as it is: puppy–dog 0.00, puppy–kitten 0.00" in said
    assert "species: puppy–dog 0.92, puppy–kitten -0.92" in said
    assert "age: puppy–dog -0.92, puppy–kitten 0.92" in said


@pytest.mark.parametrize(
    "split",
    [
        "unbelievable: unbelievable",
        "unhappiness: un ##ha ##pp ##iness",
        "mikolov: mi ##ko ##lov",
        "einstein: einstein",
        "2019: 2019",
        "2024: 202 ##4",
        "naïve café: naive cafe",
        "Привет: п ##р ##и ##в ##е ##т",
        "日本語: 日 本 語",
        "नमस्ते: न ##म ##स ##त",
        "한국: ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ",
        "ไทย: [UNK]",
        "😀: [UNK]",
        "['[CLS]', 'the', 'dog', 'bark', '##s', '.', '[SEP]']",
    ],
)
def test_tokens_are_not_words(split):
    assert split in outputs(SAID)


def test_unknown_signs_cannot_be_told_apart_and_sep_can_be_typed():
    assert "[101, 1996, 3899, 11286, 2015, 1012, 102]" in outputs(SAID)
    assert "∑: [UNK] True" in outputs(SAID)
    assert "'[CLS]', '[MASK]'] 2" in outputs(SAID)


def test_word2vec_and_glove_are_named_and_cited():
    said = text(SAID)
    for name in ("word2vec", "GloVe", "skip-gram", "negative samples"):
        assert name in said
    names = soup(SAID).get_text()
    for author in ("Mikolov", "Pennington", "Harris", "Linzen"):
        assert author in names


def test_loss_of_one_pair_by_hand():
    assert "0.0789 0.3133 2.1269 sum 2.5191" in outputs(SAID)
    start, end = printed(r"first steps ([\d.]+), last hundred ([\d.]+)")
    assert start < 2.079
    assert end == pytest.approx(1.38, abs=0.03)
    assert "3 ln 2 = 2.079" in outputs(SAID)


def test_skip_gram_finds_the_kinds():
    chance, before, after = printed(r"chance ([\d.]+), before ([\d.]+), after ([\d.]+)")
    assert chance == pytest.approx(0.0756, abs=1e-3)
    assert before < 0.15
    assert after > 0.95
    assert min(printed(r"other draws: ([\d.]+) ([\d.]+) ([\d.]+)")) > 0.95
    assert glued_number("kind-worst") > 0.95


def test_variance_shown_by_the_pictures():
    before = printed(r"before: in 1, 2, 3 dimensions (\d+)% (\d+)% (\d+)%")
    after = printed(r"after: in 1, 2, 3 dimensions (\d+)% (\d+)% (\d+)%")
    assert before == pytest.approx([20, 34, 47], abs=2)
    assert after == pytest.approx([50, 79, 92], abs=4)
    assert glued_number("share-3") == pytest.approx(after[2] / 100, abs=6e-3)
    for name in ("fig-nouns", "fig-nouns-3d", "fig-directions"):
        assert soup(SAID).find("figure", id=name).img["alt"]


def test_without_negative_samples_everything_is_believed():
    loss, cosine = printed(r"without: loss ([\d.]+), mean cosine ([\d.]+)")
    assert loss < 1e-3
    assert cosine > 0.7
    _, cosine = printed(r"with two: loss ([\d.]+), mean cosine ([\d.]+)")
    assert cosine < 0.45
    assert "yes to seen pairs 100%, to unseen ones 100%" in outputs(SAID)
    assert glued_number("unseen-with") < 0.02
    without, with_two = printed(r"dog–car: without ([\d.]+), with two ([\d.]+)")
    assert without > with_two + 0.25


def test_neighbours_survive_only_from_a_small_start():
    (kept,) = re.findall(r"0.5, 0 negative \w+: own kind nearest (\S+)", outputs(SAID))
    assert float(kept) == pytest.approx(0.72, abs=0.08)
    assert glued_number("kept-small") > 0.95
    assert glued_number("kept-long") == pytest.approx(0.72, abs=0.08)
    assert glued_number("kept-long-with") > 0.95


def test_neighbours_in_the_table():
    said = outputs(SAID)
    assert "(30522, 384)" in said
    assert "dog → dogs canine puppy pets" in said
    assert "flies → fly flew flying flown airplanes" in said
    assert "king 0.666 queen 0.511 kings 0.463" in said
    assert glued_number("king") == pytest.approx(0.666, abs=5e-4)
    assert glued_number("queen") == pytest.approx(0.511, abs=5e-4)


# Right answers of 56: b − a + c, b + c, the nearest of c, and with no word left out.
SCORES = {
    "capital": (26, 27, 0, 1),
    "language": (56, 52, 56, 30),
    "plural": (56, 54, 56, 0),
    "past": (32, 28, 7, 1),
    "comparative": (54, 38, 21, 0),
    "ordinal": (53, 39, 0, 32),
    "gender": (42, 26, 7, 0),
    "opposite": (3, 4, 7, 0),
    "workplace": (1, 0, 0, 0),
    "together": (323, 268, 154, 64),
}


@pytest.mark.parametrize("kind", SCORES)
def test_score_of_the_analogies(kind):
    row = " ".join(map(str, SCORES[kind]))
    assert re.search(rf"\b{kind} {row}\b", outputs(SAID))


def test_number_of_analogies_and_where_the_wrong_answers_lie():
    assert "of 504 questions, 56 of each kind" in outputs(SAID)
    assert "174 of 181 wrong answers are among the five nearest" in outputs(SAID)
    assert glued_number("right") == 323
    assert glued_number("asked") == 504
    assert "italy → italian, not rome" in outputs(SAID)


def test_consistency_of_directions():
    for kind, straight, shifted in [
        ("ordinal", 0.484, 0.290),
        ("capital", 0.278, 0.091),
        ("opposite", 0.006, -0.045),
    ]:
        found = printed(rf"\b{kind}: (-?[\d.]+), wrongly paired (-?[\d.]+)")
        assert found == pytest.approx([straight, shifted], abs=2e-3)


def test_one_row_for_two_meanings():
    said = outputs(SAID)
    rows = re.findall(
        r"(\[[^\]]+\]) (The monitor|We monitor|Time flies|Fruit flies)", said
    )
    first, second, third, fourth = (row for row, _ in rows)
    assert first == second != third == fourth
    assert "monitor: the same row in both sentences: True" in said
    assert "flies: the same row in both sentences: True" in said


def test_beetle_stands_between_its_two_kinds():
    pattern = r"{}: animals ([\d.]+), vehicles ([\d.]+)"
    dog = printed(pattern.format("dog"))
    beetle = printed(pattern.format("beetle"))
    car = printed(pattern.format("car"))
    assert dog[0] > beetle[0] > car[0]
    assert car[1] > beetle[1] > dog[1]
    assert min(beetle) > max(dog[1], car[0]) + 0.1
    assert glued_number("beetle-animal") == pytest.approx(beetle[0], abs=6e-3)
