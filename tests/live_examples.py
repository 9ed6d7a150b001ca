"""One live figure of each kind, for the tests in every folder."""

import math

import torch

from selfattention.live import ByHand, Circle, Heads, Mask, Saturation, Training
from selfattention.toys import CIRCLE_WORDS, JOURNEY, journey, on_circle

KEYS, VALUES = ["PERRO", "TIENE", "PELO"], ["DOG", "HAS", "HAIR"]


def circle(**settings):
    """The toy of the chapter on the circle."""
    return Circle(on_circle(CIRCLE_WORDS), "PERRO", KEYS, VALUES, **settings)


def by_hand(**settings):
    """The six tokens."""
    return ByHand(JOURNEY, journey(), **settings)


def mask(**settings):
    """The scores of the six tokens."""
    X = journey()
    return Mask(X @ X.T, JOURNEY, **settings)


def snapshots(S=5, T=4):
    """The arguments of a ``Training`` whose points and weights grow."""
    generator = torch.Generator().manual_seed(0)
    ends = torch.randn(2, T, 2, generator=generator, dtype=torch.float64)
    growth = torch.linspace(0.1, 2, S, dtype=torch.float64)[:, None, None]
    queries, keys = ends[0] * growth, ends[1] * growth
    return {
        "steps": [20 * s for s in range(S)],
        "queries": queries,
        "keys": keys,
        "weights": torch.softmax(queries @ keys.mT / math.sqrt(2), dim=-1),
        "tokens": list("abcdefgh")[:T],
        "kinds": ["vowel", "consonant"] * (T // 2) + ["vowel"] * (T % 2),
        "right": torch.eye(T).flip(0),
        "accuracies": torch.linspace(0.25, 1, S, dtype=torch.float64),
    }


def training(**settings):
    """A head in training."""
    return Training(**snapshots(), **settings)


def sentence(tokens, seed, layers=2, heads=3):
    """Tokens with the weights of made-up heads."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(layers, heads, len(tokens), len(tokens), generator=generator)
    return tokens, torch.softmax(2 * scores, dim=-1)


def heads(**settings):
    """Two layers of three heads on two sentences."""
    words = ["[CLS]", "time", "flies", "[SEP]"], ["[CLS]", "a", "fly", "flies", "[SEP]"]
    return Heads([sentence(one, seed) for seed, one in enumerate(words)], **settings)


EXAMPLES = {
    "byhand": by_hand,
    "circle": circle,
    "heads": heads,
    "mask": mask,
    "saturation": Saturation,
    "training": training,
}
