"""Sentences from a small grammar, for chapters that train on text they can explain.

Words of one *kind* can stand in the same places, so whoever learns which words stand
together can find the kinds, and can be marked, because the grammar knows them. One
word has two kinds: a *beetle* crawls, and it can be driven.
"""

from typing import NamedTuple

import torch

# Each kind and its words; an article is a kind with a single word.
KINDS = {
    "article": ("the",),
    "animal": ("dog", "cat", "horse", "rabbit", "mouse", "beetle"),
    "vehicle": ("car", "bus", "truck", "taxi", "tractor", "beetle"),
    "food": ("bread", "cheese", "apple", "soup", "cake", "carrot"),
    "person": ("girl", "boy", "farmer", "doctor", "baker", "teacher"),
    "eating": ("eats", "chews", "nibbles", "tastes", "swallows"),
    "moving": ("runs", "sleeps", "hides", "jumps", "crawls"),
    "driving": ("drives", "parks", "repairs", "washes", "sells"),
    "cooking": ("cooks", "bakes", "slices", "serves", "heats"),
    "temper": ("tame", "shy", "furry", "hungry", "wild"),
    "make": ("rusty", "electric", "noisy", "rented", "broken"),
    "taste": ("fresh", "sweet", "salty", "warm", "stale"),
}

# What a sentence can be: kinds in the order in which their words follow.
PATTERNS = (
    "article temper animal moving",
    "article animal eating article taste food",
    "article temper animal eating article food",
    "article person cooking article taste food",
    "article person eating article taste food",
    "article person driving article make vehicle",
    "article make vehicle moving",
)

# Every word once, in the order of KINDS: a word's place is its number.
VOCABULARY = tuple(dict.fromkeys(word for words in KINDS.values() for word in words))


def kinds_of(word):
    """Return the kinds that a word has, a tuple of one name or, for *beetle*, of two.

    Raises:
        ValueError: the grammar does not know the word.
    """
    found = tuple(kind for kind, words in KINDS.items() if word in words)
    if not found:
        raise ValueError(f"not a word of the grammar: {word!r}")
    return found


def sentences(count, seed=0):
    """Draw sentences: a pattern for each, then a word for each kind, all alike likely.

    Args:
        count: how many.
        seed: the same seed gives the same sentences, whatever was drawn elsewhere.

    Returns:
        A list of ``count`` lists of words.

    Raises:
        ValueError: ``count`` is no positive whole number or ``seed`` no whole number.
    """
    pick = picker(count, seed)
    return [
        [pick(KINDS[kind]) for kind in pick(PATTERNS).split()] for _ in range(count)
    ]


class Linked(NamedTuple):
    """A sentence and two of its words, numbered from 0, that belong together."""

    words: list[str]
    query: int
    key: int


def pronoun_twins(count, seed=0):
    """Draw pairs of sentences whose last word decides what *it* stands for.

    *the rabbit eats the carrot because it is hungry* has *it* stand for the first noun,
    its twin, with *stale* for *hungry*, for the second. Nothing else differs, so a
    habit of looking at the first noun is right in one twin and wrong in the other.

    Args:
        count: how many pairs.
        seed: the same seed gives the same pairs.

    Returns:
        A list of ``count`` pairs of :class:`Linked`; the query is *it*, the key is the
        noun that it stands for. The twin's key is the noun it does not stand for.

    Raises:
        ValueError: as for :func:`sentences`.
    """
    pick = picker(count, seed)
    pairs = []
    for _ in range(count):
        animal, eating, food = (pick(KINDS[k]) for k in ("animal", "eating", "food"))
        start = ["the", animal, eating, "the", food, "because", "it", "is"]
        first = Linked([*start, pick(KINDS["temper"])], query=6, key=1)
        second = Linked([*start, pick(KINDS["taste"])], query=6, key=4)
        pairs.append((first, second))
    return pairs


def repetition_twins(count, seed=0):
    """Draw pairs of sentences, one with the same noun twice and one without.

    *the girl washes the bus and the baker sells the bus* says *bus* twice; its twin has
    another vehicle in the first place, so what is left there is the place.

    Args:
        count: how many pairs.
        seed: the same seed gives the same pairs.

    Returns:
        A list of ``count`` pairs of :class:`Linked`; the query is the last word, the
        key is the first vehicle: the same word, and in the twin a different one.

    Raises:
        ValueError: as for :func:`sentences`.
    """
    pick = picker(count, seed)
    pairs = []
    for _ in range(count):
        person, vehicle = pick(KINDS["person"]), pick(KINDS["vehicle"])
        another = pick([word for word in KINDS["person"] if word != person])
        other = pick([word for word in KINDS["vehicle"] if word != vehicle])
        doing, then = pick(KINDS["driving"]), pick(KINDS["driving"])
        end = ["and", "the", another, then, "the", vehicle]
        same, different = (
            Linked(["the", person, doing, "the", noun, *end], query=10, key=4)
            for noun in (vehicle, other)
        )
        pairs.append((same, different))
    return pairs


def picker(count, seed):
    """Check the arguments of a drawing function; return its ``pick(options)``.

    Raises:
        ValueError: ``count`` is no positive whole number or ``seed`` no whole number.
    """
    if type(count) is not int or count < 1:
        raise ValueError(f"count has to be a positive whole number, not {count!r}")
    if type(seed) is not int:
        raise ValueError(f"seed has to be a whole number, not {seed!r}")
    generator = torch.Generator().manual_seed(seed)

    def pick(options):
        number = torch.randint(len(options), (1,), generator=generator).item()
        return options[number]

    return pick
