"""A head in training: snapshots of its queries, keys and weights."""

import torch
from traitlets import validate

from selfattention.live import still
from selfattention.live.figure import LiveFigure, fixed, module
from selfattention.live.traits import Names, Numbers, Table, Whole, fit, lengths

SIZE = 140  # how far from the middle of the plane the farthest coordinate is
SHAPES = {"disc": "round", "square": "square", "triangle": "three-cornered"}


class Training(LiveFigure):
    """Snapshots of a trained head with queries and keys of width 2.

    A slider goes through the snapshots, and a button plays them. Queries and keys move
    in the plane, in the colours of their tokens and in the shape of their kind; beside
    them the weights, and the map as it should be. All arguments are traits, with
    ``query_points`` and ``key_points`` for queries and keys; ``snapshot`` is the number
    of the one shown, from 0. Points and weights are kept to six decimals.

    Args:
        steps: ``S`` increasing numbers of training steps, S ≤ 100.
        queries: ``(S, T, 2)`` numbers.
        keys: ``(S, T, 2)`` numbers.
        weights: ``(S, T, T)`` numbers from 0 to 1.
        tokens: T names, T ≤ 8.
        kinds: T names of kinds, of at most three kinds.
        right: ``(T, T)`` numbers, the weights as they should be.
        accuracies: ``S`` numbers from 0 to 1.
        snapshot: the snapshot to begin with.

    Raises:
        traitlets.TraitError: a value is not of its kind or does not fit the others,
            here or when it is assigned later; the figure then keeps the old one.
    """

    kind = "training"
    _esm = module("training")

    steps = Numbers((0.0,), fewest=1, most=100).tag(sync=True)
    query_points = Table((((0.0, 0.0),),), axes=("S", "T", "2"), digits=6).tag(
        sync=True
    )
    key_points = Table((((0.0, 0.0),),), axes=("S", "T", "2"), digits=6).tag(sync=True)
    weights = Table((((1.0,),),), axes=("S", "T", "T"), digits=6).tag(sync=True)
    tokens = Names(("token",), fewest=1, most=8).tag(sync=True)
    kinds = Names(("kind",), fewest=1, most=8).tag(sync=True)
    right = Table(((1.0,),), axes=("T", "T")).tag(sync=True)
    accuracies = Numbers((0.0,), fewest=1, most=100).tag(sync=True)
    snapshot = Whole().tag(sync=True)

    def __init__(
        self,
        steps,
        queries,
        keys,
        weights,
        tokens,
        kinds,
        right,
        accuracies,
        snapshot=0,
    ):
        """Lay out the snapshots and show one of them."""
        super().__init__(
            steps=steps,
            query_points=queries,
            key_points=keys,
            weights=weights,
            tokens=tokens,
            kinds=kinds,
            right=right,
            accuracies=accuracies,
            snapshot=snapshot,
        )

    @validate(
        "steps",
        "query_points",
        "key_points",
        "weights",
        "tokens",
        "kinds",
        "right",
        "accuracies",
        "snapshot",
    )
    def _check(self, proposal):
        new = {**self.state(), proposal.trait.name: proposal.value}
        S, T = len(new["steps"]), len(new["tokens"])
        shapes = {
            "query_points": (S, T, 2),
            "key_points": (S, T, 2),
            "weights": (S, T, T),
            "right": (T, T),
            "kinds": (T,),
            "accuracies": (S,),
        }
        for name, shape in shapes.items():
            found = lengths(new[name], len(shape))
            what = f"{name} must be {shape} for {S} steps and {T} tokens, not {found}"
            fit(found == shape, what)
        fit(len(set(new["kinds"])) <= 3, f"at most three kinds, not {new['kinds']}")
        fit(new["snapshot"] < S, f"snapshot must be below {S}, not {new['snapshot']}")
        rising = all(
            a < b for a, b in zip(new["steps"], new["steps"][1:], strict=False)
        )
        fit(rising, f"steps must rise: {new['steps']}")
        for name in ("weights", "right", "accuracies"):
            flat = torch.tensor(new[name])
            within = flat.min() >= -1e-6 and flat.max() <= 1 + 1e-6
            fit(within, f"{name} must be from 0 to 1")
        return proposal.value

    def picture(self):
        """The plane and the two maps at the present snapshot."""
        now, kinds = self.snapshot, list(dict.fromkeys(self.kinds))
        named = zip(SHAPES.values(), kinds, strict=False)
        legend = ", ".join(f"{shape}: {kind}" for shape, kind in named)
        accuracy = fixed(self.accuracies[now])
        text = f"Queries and keys at step {self.steps[now]:g}, accuracy {accuracy}."
        side = [
            still.room(4, f"Training step {self.steps[now]:g}"),
            still.readout("Accuracy", accuracy),
            still.room(2, f"Full marks are queries, hollow ones keys; {legend}."),
        ]
        weights, right = torch.tensor(self.weights[now]), torch.tensor(self.right)
        maps = [
            ("Weights: a row per query", weights, 1),
            ("Where it should look", right, right.max().item()),
        ]
        return still.columns(
            [still.plane(text, *self._drawn(kinds))], side
        ) + still.columns(
            *(
                [still.numbers(caption, self.tokens, self.tokens, values, top)]
                for caption, values, top in maps
            )
        )

    def _drawn(self, kinds):
        """What stands in the plane, from back to front."""
        yield '<path class="live-axis" d="M-150 0H150M0-150V150"/>'
        both = torch.tensor([self.key_points, self.query_points])  # (2, S, T, 2)
        scaled = SIZE * both[:, self.snapshot] / (both.abs().max().item() or 1)
        roles = zip(
            ["live-key-point", "live-query-point"], scaled.tolist(), strict=True
        )
        for role, points in roles:
            for i, (x, y) in enumerate(points):
                shape = list(SHAPES)[kinds.index(self.kinds[i])]
                look = f'class="{role}" style="--live-colour: {still.colour(i)}"'
                yield still.mark(shape, x, y, look)
                yield still.label(self.tokens[i], x + 11, y, "start")
