"""The small examples that run through the book."""

import math

import torch

JOURNEY = ["your", "journey", "starts", "with", "one", "step"]

CIRCLE_WORDS = [
    "El",
    "perro",
    "tiene",
    "el",
    "pelo",
    "suelto",
    "The",
    "dog",
    "has",
    "loose",
    "hair",
]


def journey():
    """Return the six tokens of ``JOURNEY`` as vectors: X, ``(6, 3)``."""
    return torch.tensor(
        [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
    )


def on_circle(words):
    """Place word number i of n on the unit circle, at the angle 2πi/n.

    Returns:
        A dictionary from upper-cased word to ``(x, y)``. A word that occurs twice keeps
        its later place: that is the fault which the chapter on the circle looks for.
    """
    step = 2 * math.pi / len(words)
    return {
        word.upper(): (math.cos(i * step), math.sin(i * step))
        for i, word in enumerate(words)
    }
