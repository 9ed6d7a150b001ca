"""The small grammar: its words, its sentences, and what it refuses."""

import pytest
import torch

from selfattention.grammar import (
    KINDS,
    PATTERNS,
    VOCABULARY,
    kinds_of,
    pronoun_twins,
    repetition_twins,
    sentences,
)

DRAWING = [sentences, pronoun_twins, repetition_twins]
FIRST_THREE = [
    "the teacher eats the stale cheese",
    "the doctor bakes the sweet soup",
    "the shy dog swallows the apple",
]


@pytest.mark.parametrize("draw", DRAWING)
def test_the_same_seed_gives_the_same_sentences(draw):
    assert draw(50, seed=3) == draw(50, seed=3)
    assert draw(50, seed=3) != draw(50, seed=4)


@pytest.mark.parametrize("draw", DRAWING)
def test_more_sentences_begin_with_the_fewer(draw):
    assert draw(20)[:5] == draw(5)


@pytest.mark.parametrize("draw", DRAWING)
def test_it_neither_reads_nor_moves_the_global_generator(draw):
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    first = draw(10)
    assert torch.equal(torch.rand(1), expected)
    assert draw(10) == first


def test_what_embeddings_trains_on_is_what_it_was():
    assert [" ".join(words) for words in sentences(3)] == FIRST_THREE


def test_the_last_word_decides_what_the_pronoun_stands_for():
    for first, second in pronoun_twins(100):
        assert first.words[:-1] == second.words[:-1]
        assert first.words[first.query] == second.words[second.query] == "it"
        assert "animal" in kinds_of(first.words[first.key])
        assert "temper" in kinds_of(first.words[-1])
        assert "food" in kinds_of(second.words[second.key])
        assert "taste" in kinds_of(second.words[-1])


def test_one_twin_says_a_word_twice_and_the_other_does_not():
    for same, different in repetition_twins(100):
        assert same.words[same.query] == same.words[same.key]
        assert (same.query, same.key) == (different.query, different.key)
        differ = [a != b for a, b in zip(same.words, different.words, strict=True)]
        assert [i for i, differs in enumerate(differ) if differs] == [same.key]
        repeated = {w for w in different.words if different.words.count(w) > 1}
        assert repeated <= {"the", *KINDS["driving"]}
        assert "vehicle" in kinds_of(different.words[different.key])


def test_every_word_is_in_the_vocabulary_and_every_word_occurs():
    words = {word for sentence in sentences(1000) for word in sentence}
    assert words == set(VOCABULARY)
    assert len(VOCABULARY) == len(set(VOCABULARY)) == 59


def test_every_sentence_follows_a_pattern_and_every_pattern_occurs():
    followed = set()
    for sentence in sentences(300):
        fitting = {
            pattern
            for pattern in PATTERNS
            if len(pattern.split()) == len(sentence)
            and all(
                kind in kinds_of(word)
                for kind, word in zip(pattern.split(), sentence, strict=True)
            )
        }
        assert fitting, sentence
        followed |= fitting
    assert followed == set(PATTERNS)


def test_only_beetle_has_two_kinds():
    assert kinds_of("beetle") == ("animal", "vehicle")
    assert kinds_of("dog") == ("animal",)
    assert [word for word in VOCABULARY if len(kinds_of(word)) > 1] == ["beetle"]
    assert {kind for word in VOCABULARY for kind in kinds_of(word)} == set(KINDS)


@pytest.mark.parametrize("count", [0, -1, 2.0, "3", True, None])
@pytest.mark.parametrize("draw", DRAWING)
def test_a_count_that_is_no_positive_whole_number_is_refused(draw, count):
    with pytest.raises(ValueError, match="positive whole number"):
        draw(count)


@pytest.mark.parametrize("seed", [1.5, "1", None, True])
@pytest.mark.parametrize("draw", DRAWING)
def test_a_seed_that_is_no_whole_number_is_refused(draw, seed):
    with pytest.raises(ValueError, match="whole number"):
        draw(3, seed=seed)


@pytest.mark.parametrize("word", ["unicorn", "Dog", ""])
def test_an_unknown_word_is_refused(word):
    with pytest.raises(ValueError, match="not a word of the grammar"):
        kinds_of(word)
