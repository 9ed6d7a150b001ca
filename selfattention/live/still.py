"""How figures look while they cannot move: what core.js draws, written as HTML.

The style sheet is the same, so a picture takes the same room as the figure.
"""

from html import escape


def decimals(number, digits):
    """So many decimals, and no sign before zeros, as JavaScript writes them."""
    text = f"{number:.{digits}f}"
    if text == "nan":
        return "NaN"
    return f"{0:.{digits}f}" if float(text) == 0 else text


def colour(index):
    """The colour of token number ``index``, also where there is no style sheet."""
    return f"var(--live-token-{index % 8}, currentColor)"


def columns(*groups):
    """Lay groups of parts side by side where there is room, else stacked."""
    made = "".join(f"<div>{''.join(group)}</div>" for group in groups)
    return f'<div class="live-columns">{made}</div>'


def room(rows, text=""):
    """Keep rows free for what is there only when the figure moves."""
    return f'<p class="live-line" style="--live-rows: {rows}">{escape(text)}</p>'


def bars(left, right, labels, values, written):
    """Draw a bar from 0 to 1 for each value, with its label and the number written."""
    lines = [
        f'<div class="live-bar" role="listitem"><span>{escape(label)}</span>'
        '<div class="live-bar-track"><div class="live-bar-fill" '
        f'style="background: {colour(i)}; width: {100 * value:.4f}%"></div></div>'
        f'<span class="live-value">{text}</span></div>'
        for i, (label, value, text) in enumerate(
            zip(labels, values, written, strict=True)
        )
    ]
    return (
        '<div class="live-bars"><div class="live-bars-heading">'
        f"<span>{escape(left)}</span><span>{escape(right)}</span></div>"
        f'<div class="live-bars-list" role="list">{"".join(lines)}</div></div>'
    )


def readout(name, *numbers):
    """Write a name and its numbers in one row."""
    values = "".join(f'<span class="live-value">{number}</span>' for number in numbers)
    return f'<div class="live-readout"><span>{escape(name)}</span>{values}</div>'


def matrix(caption, rows, columns, written, shades):
    """Draw a matrix: names, what is written in each cell, and how dark it is."""
    heads = "".join(
        f'<div role="columnheader"><span>{escape(name)}</span></div>'
        for name in columns
    )
    body = "".join(
        f'<div role="row"><div role="rowheader"><span>{escape(name)}</span></div>'
        + "".join(
            f'<div role="cell" style="--live-shade: {shade:.4g}">'
            f'<span class="live-value">{text}</span></div>'
            for text, shade in zip(texts, row, strict=True)
        )
        + "</div>"
        for name, texts, row in zip(rows, written, shades, strict=True)
    )
    heading = "live-heads live-level" if max(map(len, columns)) <= 2 else "live-heads"
    return (
        f'<div><div class="live-matrix-title">{escape(caption)}</div>'
        f'<div class="live-matrix" role="table" aria-label="{escape(caption)}" '
        f'style="--live-columns: {len(columns)}"><div role="row" class="{heading}">'
        f'<div role="cell"></div>{heads}</div>{body}</div></div>'
    )


def with_class(name, drawn):
    """Give what was drawn, a plain ``<div>``, a class of the style sheet."""
    return drawn.replace("<div>", f'<div class="{name}">', 1)


def numbers(caption, rows, columns, values, top=None, digits=2):
    """Draw a matrix of numbers, the darker the nearer to ``top``, if that is given."""
    values = values.tolist()
    written = [[decimals(value, digits) for value in row] for row in values]
    shades = [[max(value, 0) / top if top else 0 for value in row] for row in values]
    return matrix(caption, rows, columns, written, shades)


def plane(label, *parts):
    """Draw a plane whose middle is the origin, ±160 units wide and high."""
    return (
        f'<svg class="live-plane" viewBox="-160 -160 320 320" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def mark(shape, x, y, attributes):
    """Mark a point of a plane with the shape that says what kind of thing it is."""
    at = f'transform="translate({x:.4f} {-y:.4f})" {attributes}'
    if shape == "disc":
        return f'<circle r="8" {at}/>'
    path = "M-7-7H7V7H-7Z" if shape == "square" else "M0-9L9 7H-9Z"
    return f'<path d="{path}" {at}/>'


def label(text, x, y, anchor="middle"):
    """Write a text in a plane, centred on a point."""
    return (
        f'<text x="{x:.4f}" y="{-y:.4f}" dy="0.35em" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
