"""Render formulas while the book is built, so that pages need no script for them.

sphinxcontrib.katex does so through a server that now and then refuses its first
connection on a busy machine. A pipe to Node cannot refuse, and it uses the very KaTeX
whose style sheet and fonts the site serves.
"""

import json
import subprocess
from functools import cache
from pathlib import Path

from sphinx.errors import ExtensionError


def render(latex, options=None):
    """Return a formula as HTML with MathML; ``options`` are those of the library.

    Raises:
        ExtensionError: KaTeX cannot read the formula.
    """
    display = bool(options and options.get("displayMode"))
    node = process()
    node.stdin.write(json.dumps({"latex": latex, "display": display}) + "\n")
    node.stdin.flush()
    answer = json.loads(node.stdout.readline())
    if "error" in answer:
        raise ExtensionError(f"the formula {latex!r} is faulty: {answer['error']}")
    return answer["html"]


@cache
def process():
    """Start Node, once. It ends by itself when the build does."""
    script = Path(__file__).with_suffix(".js")
    pipe = subprocess.PIPE
    return subprocess.Popen(["node", script], stdin=pipe, stdout=pipe, text=True)
