"""Attention without parameters, worked out one cell at a time."""

import torch
from traitlets import validate

from selfattention.attention import softmax
from selfattention.live import still
from selfattention.live.figure import LiveFigure, module
from selfattention.live.traits import Names, Number, Table, Whole, fit

STAGES = {
    "scores": "Scores",
    "scaled": "Scores, scaled",
    "weights": "Weights",
    "contexts": "Context vectors",
}


class ByHand(LiveFigure):
    """Scores, weights and context vectors of a few tokens, cell by cell.

    Each step works out one cell of the chosen token's row: its scores first, then, with
    ``scale``, the scores divided by it, then its weights, then its context vector. When
    a stage is complete for the chosen token, it is filled in for the others. The traits
    are ``tokens``, ``X``, ``scale``, ``row``, the token that asks, and ``step``, how
    many cells have been worked out.

    Args:
        tokens: 2 to 8 names.
        X: ``(T, d)`` numbers, a row per token, d ≤ 4.
        scale: what scores are divided by, from 0.001 to 1000, or ``None``.
        row: the token to begin with.
        step: the step to begin with.

    Raises:
        traitlets.TraitError: a value is not of its kind or does not fit the others,
            here or when it is assigned later; the figure then keeps the old one.
    """

    kind = "byhand"
    _esm = module("byhand")

    tokens = Names(("one", "two"), fewest=2, most=8).tag(sync=True)
    X = Table(((1.0,), (2.0,)), axes=("T", "d")).tag(sync=True)
    scale = Number(None, low=1e-3, high=1e3, optional=True).tag(sync=True)
    row = Whole().tag(sync=True)
    step = Whole().tag(sync=True)

    def __init__(self, tokens, X, scale=None, row=0, step=0):
        """Lay out the tokens; nothing is worked out unless ``step`` says so."""
        super().__init__(tokens=tokens, X=X, scale=scale, row=row, step=step)

    @validate("tokens", "X", "scale", "row", "step")
    def _check(self, proposal):
        new = {**self.state(), proposal.trait.name: proposal.value}
        T, rows, d = len(new["tokens"]), len(new["X"]), len(new["X"][0])
        fit(rows == T, f"X needs a row per token: {rows} rows and {T} tokens")
        fit(d <= 4, f"X may be 4 wide at the most, not {d}")
        fit(new["row"] < T, f"row must be below {T}, not {new['row']}")
        last = d + (2 if new["scale"] is None else 3) * T
        fit(new["step"] <= last, f"step must be {last} at the most, not {new['step']}")
        return proposal.value

    @property
    def scores(self):
        """``X Xᵀ``, a float64 tensor ``(T, T)``."""
        X = torch.tensor(self.X, dtype=torch.float64)
        return X @ X.T

    @property
    def scaled(self):
        """The scores divided by ``scale``, if there is one."""
        return self.scores / (1 if self.scale is None else self.scale)

    @property
    def weights(self):
        """The softmax of each row of (scaled) scores, ``(T, T)``."""
        return softmax(self.scaled)

    @property
    def contexts(self):
        """The context vectors ``(T, d)``."""
        return self.weights @ torch.tensor(self.X, dtype=torch.float64)

    def picture(self):
        """All matrices, with everything worked out, whatever the step."""
        entries = [str(i) for i in range(1, len(self.X[0]) + 1)]
        X = torch.tensor(self.X, dtype=torch.float64)
        parts = [[still.numbers("X, a row per token", self.tokens, entries, X)]]
        for name, caption in STAGES.items():
            if name == "scaled" and self.scale is None:
                continue
            names = entries if name == "contexts" else self.tokens
            values = getattr(self, name)
            top = None if name == "contexts" else values.max().item()
            parts.append([still.numbers(caption, self.tokens, names, values, top)])
        controls = still.columns([still.room(2)], [still.room(2)])
        return controls + still.room(3) + still.columns(*parts)
