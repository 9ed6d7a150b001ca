"""What every live figure shares: one Python call that moves in two places.

In Jupyter a figure is a widget whose state goes to the kernel and back. On a page of
the book it is a ``<div>`` with that state as JSON, which one classic script brings to
life. Both draw with the same JavaScript; without it a picture stands in its place.
"""

import json
import math
import reprlib
from collections.abc import Sequence
from numbers import Real
from pathlib import Path

import anywidget
from traitlets import TraitError, TraitType

FOLDER = Path(__file__).parent


def source(name):
    """The text of a file next to this one."""
    return (FOLDER / name).read_text(encoding="utf-8")


def module(kind):
    """The JavaScript module of one kind of figure, as Jupyter loads it."""
    parts = [source("core.js"), source(f"{kind}.js"), "export default { render };"]
    return "\n".join(parts)


def script(kinds):
    """The classic script that brings figures of these kinds to life on a page.

    The sources import and export nothing, so they can be functions in one script that
    also runs where modules may not: in a page opened as a file.
    """
    parts = ['(() => {\n"use strict";', source("core.js"), "const figures = {};"]
    for kind in kinds:
        body = f"{source(f'{kind}.js')}\nreturn render;"
        parts.append(f"figures.{kind} = (() => {{\n{body}\n}})();")
    parts += [source("mount.js"), "})();\n"]
    return "\n".join(parts)


def stylesheet():
    """The style of every live figure, for light and dark, as CSS text."""
    return source("live.css")


class LiveFigure(anywidget.AnyWidget):
    """A figure that moves in Jupyter and on a page.

    A subclass has

    - its JavaScript, named in ``kind`` and ``_esm = module(kind)``;
    - its state, as traits with ``sync=True``;
    - ``rows``, how many rows of the page it takes, which are kept free for it;
    - ``picture()``, an SVG for light and dark of how it looks while it cannot move.
    """

    kind = None
    _css = stylesheet()

    def state(self):
        """The traits that make up the figure, by name."""
        own = set(self.keys) - set(anywidget.AnyWidget.class_trait_names())
        return {name: getattr(self, name) for name in sorted(own) if name[0] != "_"}

    def html(self):
        """The figure for a page: its state as JSON, and the picture until it moves."""
        # A "<" in the JSON could end the script element that holds it.
        state = json.dumps(self.state(), allow_nan=False).replace("<", "\\u003c")
        return (
            f'<div class="live-figure" data-figure="{self.kind}" '
            f'style="--live-rows: {self.rows}">{self.picture()}'
            "<p>With JavaScript this figure moves.</p>"
            f'<script type="application/json">{state}</script></div>'
        )

    def __repr__(self):
        """Write the figure as the call that makes it."""
        state = ", ".join(f"{name}={value}" for name, value in self.state().items())
        return f"{type(self).__name__}({state})"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/html": self.html()}, metadata


class Number(TraitType):
    """A trait that holds a number from ``low`` to ``high``, as a float.

    Anything else raises ``TraitError`` and leaves the old number where it was.
    """

    def __init__(self, default, low, high):
        """Set the default and the ends of the range, which are allowed too."""
        super().__init__(default)
        self.low, self.high = low, high

    def validate(self, obj, value):
        """Return the float, or say what was expected."""
        number = as_float(value)
        if self.low <= number <= self.high:
            return number
        raise TraitError(
            f"{self.name} must be a number from {self.low} to {self.high}, "
            f"not {reprlib.repr(value)}"
        )


class Numbers(TraitType):
    """A trait that holds ``fewest`` to ``most`` finite numbers, as a tuple of floats.

    It takes any sequence, array or tensor with one axis. Anything else raises
    ``TraitError`` and leaves the old numbers where they were.
    """

    def __init__(self, default, fewest, most):
        """Set the default and how many numbers there may be."""
        super().__init__(default)
        self.fewest, self.most = fewest, most

    def validate(self, obj, value):
        """Return the tuple, or say what was expected."""
        sequence = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(sequence, Sequence) and self.fewest <= len(sequence) <= self.most:
            numbers = tuple(as_float(number) for number in sequence)
            if all(map(math.isfinite, numbers)):
                return numbers
        raise TraitError(
            f"{self.name} must be {self.fewest} to {self.most} finite numbers, "
            f"not {reprlib.repr(value)}"
        )


def as_float(value):
    """A real number as a float; NaN for whatever is not one."""
    number = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(number, bool) or not isinstance(number, Real):
        return math.nan
    try:
        return float(number)
    except OverflowError:  # an int beyond the largest float
        return math.inf


def scientific(number):
    """Two digits and a power of ten, written as JavaScript does: ``3.7e-44``."""
    mantissa, exponent = f"{number:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def fixed(number):
    """Four decimals, or powers of ten where those would show none of the number."""
    if number == 0:
        return "0"
    return scientific(number) if abs(number) < 1e-3 else f"{number:.4f}"


def short(number):
    """At most three decimals and none that are 0: ``2.5``, ``10``, ``1.0e300``."""
    if number == 0:
        return "0"
    if not 1e-3 <= abs(number) < 1e5:
        return scientific(number)
    return f"{number:.3f}".rstrip("0").rstrip(".")
