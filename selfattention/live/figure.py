"""What every live figure shares: one Python call that moves in two places.

In Jupyter a figure is a widget whose state goes to the kernel and back. On a page of
the book it is a ``<div>`` with that state as JSON, which one classic script brings to
life. Both draw with the same JavaScript; without it a picture stands in its place.
"""

import json
from contextlib import contextmanager
from pathlib import Path

import anywidget

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
    - ``picture()``, HTML for light and dark of how it looks while it cannot move, which
      takes as much room as the figure;
    - or ``rows``, how many rows of the page are kept free for it.

    Traits that have to fit one another are changed together, in a ``with`` block of
    ``figure.hold_trait_notifications()``: the page then gets them together, too.
    """

    kind = None
    rows = 0
    _css = stylesheet()

    @contextmanager
    def hold_trait_notifications(self):
        """Check traits against one another, and send them, at the end of the block."""
        with self.hold_sync(), super().hold_trait_notifications():
            yield

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
            '<p class="live-note">With JavaScript this figure moves.</p>'
            f'<script type="application/json">{state}</script></div>'
        )

    def __repr__(self):
        """Write the figure with its state, long parts of it cut short."""
        written = {name: repr(value) for name, value in self.state().items()}
        state = ", ".join(
            f"{name}={text if len(text) < 200 else text[:80] + '…'}"
            for name, text in written.items()
        )
        return f"{type(self).__name__}({state})"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/html": self.html()}, metadata


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
