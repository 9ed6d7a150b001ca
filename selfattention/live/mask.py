"""A mask that can be clicked together, and the weights and row sums that follow."""

import math

import torch
from traitlets import Enum, validate

from selfattention.attention import softmax
from selfattention.live import still
from selfattention.live.figure import LiveFigure, module
from selfattention.live.traits import Names, Table, Whole, as_bool, fit, lengths


class Mask(LiveFigure):
    """Scores under a mask: who may attend to whom, and what that does to the weights.

    A row that may attend to nothing shows what each way of masking makes of it. The
    traits are ``scores``; ``tokens``; ``mask``, ``(T, T)`` booleans, True = may attend;
    ``length``, how many tokens are real and not padding; and ``softmax``: ``"book"``,
    ``"plain"`` for ``torch.softmax`` of −∞, or ``"large"`` for that of −10⁹.

    Args:
        scores: ``(T, T)`` numbers, T from 2 to 8.
        tokens: T names.
        mask: the mask to begin with; nothing is forbidden unless given.
        length: the number of real tokens; T − 2, but at least 1, unless given.
        softmax: the softmax to begin with.

    Raises:
        traitlets.TraitError: a value is not of its kind or does not fit the others,
            here or when it is assigned later; the figure then keeps the old one.
    """

    kind = "mask"
    _esm = module("mask")

    scores = Table(((0.0, 0.0), (0.0, 0.0)), axes=("T", "T")).tag(sync=True)
    tokens = Names(("one", "two"), fewest=2, most=8).tag(sync=True)
    mask = Table(
        ((True, True), (True, True)), axes=("T", "T"), entry=as_bool, what="booleans"
    ).tag(sync=True)
    length = Whole(1).tag(sync=True)
    softmax = Enum(["book", "plain", "large"], "book").tag(sync=True)

    def __init__(self, scores, tokens, mask=None, length=None, softmax="book"):
        """Lay out the scores under the mask."""
        T = len(tokens)
        super().__init__(
            scores=scores,
            tokens=tokens,
            mask=[[True] * T] * T if mask is None else mask,
            length=max(1, T - 2) if length is None else length,
            softmax=softmax,
        )

    @validate("scores", "tokens", "mask", "length")
    def _check(self, proposal):
        new = {**self.state(), proposal.trait.name: proposal.value}
        T = len(new["tokens"])
        for name in ("scores", "mask"):
            found = lengths(new[name], 2)
            what = f"{name} must be ({T}, {T}) for {T} tokens, not {found}"
            fit(found == (T, T), what)
        what = f"length must be from 1 to {T}, not {new['length']}"
        fit(1 <= new["length"] <= T, what)
        return proposal.value

    @property
    def weights(self):
        """What ``softmax`` makes of the masked scores, a float64 tensor ``(T, T)``."""
        scores = torch.tensor(self.scores, dtype=torch.float64)
        forbidden = ~torch.tensor(self.mask)
        if self.softmax == "book":
            return softmax(scores.masked_fill(forbidden, -math.inf))
        filling = -math.inf if self.softmax == "plain" else -1e9
        return torch.softmax(scores.masked_fill(forbidden, filling), dim=-1)

    @property
    def row_sums(self):
        """What the weights of each row sum to: 1, 0, or NaN."""
        return self.weights.sum(dim=-1)

    def picture(self):
        """The mask and the weights."""
        mask = still.matrix(
            "May attend",
            self.tokens,
            self.tokens,
            [["✓" if allowed else "–" for allowed in row] for row in self.mask],
            self.mask,
        )
        table = torch.column_stack([self.weights, self.row_sums])
        shades = self.weights.nan_to_num().tolist()
        weights = still.matrix(
            "Weights, and their sum",
            self.tokens,
            [*self.tokens, "sum"],
            [[still.decimals(x, 2) for x in row] for row in table.tolist()],
            [[*row, 0] for row in shades],
        )
        return (
            still.columns([still.room(2)], [still.room(2)])
            + still.columns(
                [still.with_class("live-presses", mask)],
                [still.with_class("live-presses", weights)],
            )
            + still.room(3)
        )
