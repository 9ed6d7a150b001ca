"""The look of the pictures: one palette for tokens, and the few plots used again."""

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap
from matplotlib_inline.backend_inline import set_matplotlib_formats

# A token keeps its colour from figure to figure; the live figures use the same eight.
TOKEN_COLOURS = (
    "#1c7ce5",
    "#c68206",
    "#04510e",
    "#671156",
    "#6a30a6",
    "#1f6e83",
    "#806a17",
    "#898989",
)
ACCENT = "#14507a"
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#ffffff", ACCENT])

LOOK = {
    "figure.dpi": 100,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12,
    "axes.prop_cycle": plt.cycler(color=TOKEN_COLOURS),
    "svg.fonttype": "path",
    "svg.hashsalt": "self-attention",
}


def style():
    """Give the figures of a notebook the book's look: SVG, calm axes, one palette."""
    plt.rcParams.update(LOOK)
    set_matplotlib_formats("svg", metadata={"Date": None})


def bars(ax, heights, labels, title="", digits=3):
    """Draw one bar per token, in the token's colour, with its number on top.

    Args:
        ax: matplotlib axes.
        heights: ``(T,)`` numbers, T ≤ 8.
        labels: T names for the x axis.
        title: what the bars are.
        digits: decimals of the numbers on top.

    Raises:
        ValueError: the numbers of heights and labels differ, or there are more than 8.
    """
    heights = [float(height) for height in heights]
    if len(heights) != len(labels) or len(heights) > len(TOKEN_COLOURS):
        raise ValueError(
            f"one label per bar and at most {len(TOKEN_COLOURS)} bars: "
            f"{len(heights)} bars and {len(labels)} labels"
        )
    drawn = ax.bar(labels, heights, color=TOKEN_COLOURS[: len(heights)])
    ax.bar_label(drawn, fmt=f"%.{digits}f", padding=2, fontsize=9)
    ax.margins(y=0.12)
    ax.set_title(title)


def heat_map(ax, matrix, rows, columns=None, title="", digits=2, top=None):
    """Draw a matrix of weights as a heat map with its numbers in the cells.

    Args:
        ax: matplotlib axes.
        matrix: ``(T, S)`` numbers from 0 on.
        rows: T names, of the queries.
        columns: S names, of the keys; the rows' names unless given.
        title: what the numbers are.
        digits: decimals of the numbers.
        top: the number that is darkest, the matrix's largest entry unless given; give
            the same one to heat maps that are to be compared.

    Raises:
        ValueError: the names do not fit the matrix.
    """
    columns = rows if columns is None else columns
    matrix = [[float(entry) for entry in row] for row in matrix]
    if len(matrix) != len(rows) or any(len(row) != len(columns) for row in matrix):
        raise ValueError(
            f"one name per row and column: {len(matrix)} × {len(matrix[0])} numbers, "
            f"{len(rows)} and {len(columns)} names"
        )
    top = max(max(row) for row in matrix) if top is None else top
    image = ax.imshow(matrix, cmap=WEIGHTS, vmin=0, vmax=top)
    for i, row in enumerate(matrix):
        for j, entry in enumerate(row):
            ink = ink_on(image.to_rgba(entry))
            text = f"{entry:.{digits}f}"
            ax.text(j, i, text, ha="center", va="center", color=ink, fontsize=9)
    slant = {"rotation": 45, "ha": "right"} if max(map(len, columns)) > 2 else {}
    ax.set_xticks(range(len(columns)), columns, **slant)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xlabel("key")
    ax.set_ylabel("query")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title(title)


def ink_on(colour):
    """Choose black or white, whichever stands out more from a colour of a figure.

    The contrast is that of the Web Content Accessibility Guidelines; white has the
    larger one where the relative luminance is below 0.179.

    Args:
        colour: red, green, blue and opacity from 0 to 1.
    """
    light = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour
    ]
    luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
    return "white" if luminance < 0.179 else "black"
