"""Live figures: one Python call that moves in Jupyter and on the book's pages."""

from selfattention.live.byhand import ByHand
from selfattention.live.circle import Circle
from selfattention.live.figure import script, stylesheet
from selfattention.live.heads import Heads
from selfattention.live.mask import Mask
from selfattention.live.saturation import Saturation
from selfattention.live.training import Training

FIGURES = (ByHand, Circle, Heads, Mask, Saturation, Training)

__all__ = [
    "FIGURES",
    "ByHand",
    "Circle",
    "Mask",
    "Saturation",
    "Training",
    "bundle",
    "stylesheet",
]


def bundle():
    """The classic script that brings every live figure on a page to life."""
    return script(figure.kind for figure in FIGURES)
