"""Live figures: one Python call that moves in Jupyter and on the book's pages."""

from selfattention.live.figure import script, stylesheet
from selfattention.live.saturation import Saturation

FIGURES = (Saturation,)

__all__ = ["FIGURES", "Saturation", "bundle", "stylesheet"]


def bundle():
    """The classic script that brings every live figure on a page to life."""
    return script(figure.kind for figure in FIGURES)
