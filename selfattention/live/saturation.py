"""The saturation slider: what softmax does to scores times a growing factor."""

import torch

from selfattention.attention import softmax
from selfattention.live.figure import LiveFigure, fixed, module, short
from selfattention.live.traits import Number, Numbers


class Saturation(LiveFigure):
    """Softmax of scores times a factor from 0 to 100, moved by a slider.

    It shows the weights, their entropy and the largest entry of the softmax's Jacobian:
    as the factor grows, one weight goes to 1 and no gradient gets through. A button
    draws as many scores anew from the standard normal distribution; its first draw is
    the same whenever the figure is opened, and so is each that follows.

    Args:
        scores: 2 to 64 finite numbers.
        factor: what the scores are multiplied by, from 0 to 100.

    Raises:
        traitlets.TraitError: a value is not of this kind, here or when it is assigned
            later; the figure then keeps the old one.
    """

    kind = "saturation"
    _esm = module("saturation")

    scores = Numbers((1.0, 2.0, 3.0, 4.0), fewest=2, most=64).tag(sync=True)
    factor = Number(1.0, low=0, high=100).tag(sync=True)

    def __init__(self, scores=(1, 2, 3, 4), factor=1):
        """Make the figure from the scores and the factor to begin with."""
        super().__init__(scores=scores, factor=factor)

    @property
    def weights(self):
        """``softmax(factor * scores)``, a float64 tensor."""
        return softmax(self._shifted())

    @property
    def entropy(self):
        """Entropy of the weights, ``−Σ a ln a``, in nats."""
        # ln a = shifted − ln Σ exp(shifted). Neither sum below subtracts anything, so
        # the entropy keeps its digits even where the largest weight has rounded to 1.
        shifted = self._shifted()
        others = shifted.sort().values[:-1].exp().sum()
        finite = shifted.clamp(min=torch.finfo(shifted.dtype).min)
        return (others.log1p() - (self.weights * finite).sum()).item()

    @property
    def largest_jacobian_entry(self):
        """The largest absolute entry of ``diag(a) − a aᵀ``, how the weights react.

        It lies on the diagonal, where ``a (1 − a)`` is as large as the rest of its row.
        """
        # The rest of the row is summed: 1 − a would be 0 where a has rounded to 1.
        products = torch.outer(self.weights, self.weights).fill_diagonal_(0)
        return products.sum(dim=1).max().item()

    @property
    def rows(self):
        """Three for the slider, one for heading, bars, two numbers and the button."""
        return len(self.scores) + 7

    def picture(self):
        """The bars and the numbers for the present scores and factor, as an SVG."""
        weights = self.weights.tolist()
        numbers = [
            ("Entropy (nats)", self.entropy),
            ("Largest Jacobian entry", self.largest_jacobian_entry),
        ]
        lines = [text_line(0, "Scores multiplied by", f"×{short(self.factor)}")]
        lines.append(text_line(1, "score", "weight"))
        for i, (score, weight) in enumerate(zip(self.scores, weights, strict=True)):
            lines.append(bar(i + 2, weight, f"var(--live-token-{i % 8}, currentColor)"))
            lines.append(text_line(i + 2, f"s{i + 1} = {short(score)}", fixed(weight)))
        for row, (name, number) in enumerate(numbers, start=len(weights) + 2):
            lines.append(text_line(row, name, fixed(number)))
        label = (
            f"Softmax of {len(weights)} scores times {short(self.factor)}. "
            f"Weights: {', '.join(map(fixed, weights))}. "
            + " ".join(f"{name}: {fixed(number)}." for name, number in numbers)
        )
        return (
            f'<svg role="img" aria-label="{label}" width="100%" '
            f'height="{1.75 * (len(weights) + 4)}rem" fill="currentColor">'
            f"{''.join(lines)}</svg>"
        )

    def _shifted(self):
        """The scores times the factor, less the largest of them, so at most 0."""
        scores = torch.tensor(self.scores, dtype=torch.float64)
        # Two finite scores can be infinitely far apart, and 0 times ∞ is not a number.
        lowest = torch.finfo(scores.dtype).min
        return self.factor * (scores - scores.max()).clamp(min=lowest)


def text_line(row, left, right):
    """One row of the picture: a name at its left edge, a number at its right."""
    y = f"{1.75 * row + 1.2:g}rem"
    return (
        f'<text y="{y}">{left}</text>'
        f'<text x="100%" y="{y}" text-anchor="end">{right}</text>'
    )


def bar(row, weight, colour):
    """The bar of one weight, between the name and the number of its row."""
    return (
        f'<rect x="36%" y="{1.75 * row + 0.375:g}rem" width="{42 * weight:.6f}%" '
        f'height="1rem" fill="{colour}"/>'
    )
