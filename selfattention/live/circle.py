"""Attention on a circle: turn query, keys and values, and see what follows."""

import math

import torch
from traitlets import Enum, TraitError, validate

from selfattention.attention import softmax
from selfattention.live import still
from selfattention.live.figure import LiveFigure, fixed, module, short
from selfattention.live.traits import Names, Number, Numbers

UNIT = 100  # how long 1 is in the plane


class Circle(LiveFigure):
    """A query, keys and values of length 1 that can be turned round the circle.

    It shows the scores, the weights, and the output inside the polygon of the values.
    Its traits are ``query_name``, ``key_names`` and ``value_names``; the angles
    ``query_angle``, ``key_angles`` and ``value_angles``, in radians; ``factor``, by
    which scores are multiplied, from 0 to 100; and ``divisor``, by which they are
    divided: ``"keys"`` for the number of keys, ``"width"`` for √d_k, which is √2.

    Args:
        points: a dictionary from name to ``(x, y)``, each of length 1.
        query: the name of the query.
        keys: 1 to 8 names.
        values: as many names.
        factor: the factor to begin with.
        divisor: the divisor to begin with.

    Raises:
        ValueError: a name has no point, or its point is not of length 1.
        traitlets.TraitError: a value is not of its kind, here or when it is assigned
            later; the figure then keeps the old one.
    """

    kind = "circle"
    _esm = module("circle")

    query_name = Names(("query",), fewest=1, most=1).tag(sync=True)
    key_names = Names(("key",), fewest=1, most=8).tag(sync=True)
    value_names = Names(("value",), fewest=1, most=8).tag(sync=True)
    query_angle = Number(0.0).tag(sync=True)
    key_angles = Numbers((0.0,), fewest=1, most=8).tag(sync=True)
    value_angles = Numbers((0.0,), fewest=1, most=8).tag(sync=True)
    factor = Number(1.0, low=0, high=100).tag(sync=True)
    divisor = Enum(["keys", "width"], "keys").tag(sync=True)

    def __init__(self, points, query, keys, values, factor=1, divisor="keys"):
        """Place the query, the keys and the values where their points are."""
        super().__init__(
            query_name=(query,),
            key_names=keys,
            value_names=values,
            query_angle=angle(points, query),
            key_angles=[angle(points, name) for name in keys],
            value_angles=[angle(points, name) for name in values],
            factor=factor,
            divisor=divisor,
        )

    @validate("key_names", "value_names", "key_angles", "value_angles")
    def _check(self, proposal):
        # Whatever is proposed has to be as long as what it belongs to.
        names = ["key_names", "key_angles", "value_names", "value_angles"]
        counts = {name: len(getattr(self, name)) for name in names}
        counts[proposal.trait.name] = len(proposal.value)
        if len(set(counts.values())) > 1:
            raise TraitError(
                "as many names and angles of keys as of values: "
                + ", ".join(f"{count} {name}" for name, count in counts.items())
            )
        return proposal.value

    @property
    def scores(self):
        """The dot products times ``factor``, divided as ``divisor`` says: ``(T,)``."""
        query, keys = on_circle([self.query_angle]), on_circle(self.key_angles)
        count, width = keys.shape
        by = count if self.divisor == "keys" else math.sqrt(width)
        return self.factor * (keys @ query[0]) / by

    @property
    def weights(self):
        """``softmax(scores)``, a float64 tensor ``(T,)``."""
        return softmax(self.scores)

    @property
    def output(self):
        """The weighted sum of the values, a float64 tensor ``(2,)``."""
        return self.weights @ on_circle(self.value_angles)

    def picture(self):
        """The plane, the bars and the output for the present state."""
        weights, output = self.weights.tolist(), self.output.tolist()
        x, y = (still.decimals(number, 4) for number in output)
        names = zip(self.key_names, self.value_names, strict=True)
        labels = [f"{key} → {value}" for key, value in names]
        shares = map("{}: {}".format, labels, map(fixed, weights))
        by = "the number of keys" if self.divisor == "keys" else "√width = √2"
        text = f"Weights: {', '.join(shares)}. Output: {x}, {y}."
        side = [
            still.room(
                5, f"Scores divided by {by}, multiplied by {short(self.factor)}."
            ),
            still.bars("key → value", "weight", labels, weights, map(fixed, weights)),
            still.readout("Output", x, y),
        ]
        return still.columns([still.plane(text, *self._drawn())], side)

    def _drawn(self):
        """What stands in the plane, from back to front."""
        values = on_circle(self.value_angles)
        around = values[torch.atan2(values[:, 1], values[:, 0]).argsort()]
        around = (UNIT * around).tolist()
        corners = " ".join(f"{x:.4f},{-y:.4f}" for x, y in around)
        yield f'<circle r="{UNIT}" class="live-axis"/>'
        yield f'<polygon class="live-polygon" points="{corners}"/>'
        groups = [
            ("square", self.value_names, self.value_angles, self.weights),
            ("disc", self.key_names, self.key_angles, self.scores),
        ]
        for shape, names, angles, numbers in groups:
            for i, (name, at) in enumerate(zip(names, angles, strict=True)):
                x, y = UNIT * math.cos(at), UNIT * math.sin(at)
                yield still.mark(shape, x, y, f'fill="{still.colour(i)}"')
                text = f"{name} {still.decimals(numbers[i].item(), 2)}"
                yield still.label(text, 1.2 * x, 1.2 * y, anchor(math.cos(at)))
        x, y = UNIT * math.cos(self.query_angle), UNIT * math.sin(self.query_angle)
        yield f'<path class="live-query" d="M0 0L{x:.4f} {-y:.4f}"/>'
        yield still.mark("disc", 0.6 * x, 0.6 * y, 'class="live-knob"')
        x, y = (UNIT * self.output).tolist()
        at = f"translate({x:.4f} {-y:.4f})"
        yield f'<path class="live-cross" d="M-6-6L6 6M-6 6L6-6" transform="{at}"/>'


def on_circle(angles):
    """The points at these angles, a float64 tensor ``(T, 2)``."""
    angles = torch.tensor(angles, dtype=torch.float64)
    return torch.stack([angles.cos(), angles.sin()], dim=-1)


def angle(points, name):
    """The angle of a named point of length 1, in radians."""
    if name not in points:
        raise ValueError(f"{name!r} is not one of the points {sorted(points)}")
    x, y = map(float, points[name])
    if not math.isclose(math.hypot(x, y), 1, abs_tol=1e-6):
        raise ValueError(f"the point of {name} must have length 1, not ({x}, {y})")
    return math.atan2(y, x)


def anchor(cosine):
    """Which end of a label stands at its point: the one that is nearer."""
    if abs(cosine) < 0.3:
        return "middle"
    return "start" if cosine > 0 else "end"
