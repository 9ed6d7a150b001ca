"""The small grammar: its words, its sentences, and what it refuses."""

import pytest
import torch

from selfattention.grammar import KINDS, PATTERNS, VOCABULARY, kinds_of, sentences


def test_the_same_seed_gives_the_same_sentences():
    assert sentences(50, seed=3) == sentences(50, seed=3)
    assert sentences(50, seed=3) != sentences(50, seed=4)


def test_more_sentences_begin_with_the_fewer():
    assert sentences(20)[:5] == sentences(5)


def test_it_neither_reads_nor_moves_the_global_generator():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    first = sentences(10)
    assert torch.equal(torch.rand(1), expected)
    assert sentences(10) == first


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
def test_a_count_that_is_no_positive_whole_number_is_refused(count):
    with pytest.raises(ValueError, match="positive whole number"):
        sentences(count)


@pytest.mark.parametrize("seed", [1.5, "1", None, True])
def test_a_seed_that_is_no_whole_number_is_refused(seed):
    with pytest.raises(ValueError, match="whole number"):
        sentences(3, seed=seed)


@pytest.mark.parametrize("word", ["unicorn", "Dog", ""])
def test_an_unknown_word_is_refused(word):
    with pytest.raises(ValueError, match="not a word of the grammar"):
        kinds_of(word)
