"""bertviz's views without another host: they draw behind a firewall, too.

bertviz writes HTML that loads require.js, d3 and jQuery from elsewhere. Here the same
HTML brings d3 and jQuery along, out of Python packages that hold them. On the built
site one copy serves all views of a page.
"""

import json
import re
from importlib.resources import files

from IPython.display import HTML

# A library's name in the window: the package that holds it, and the file.
LIBRARIES = {
    "d3": ("mpld3", "js/d3.v5.min.js"),
    "jQuery": ("sphinxcontrib.jquery", "jquery.js"),
}
BEGIN, END = "<!-- libraries -->", "<!-- end of libraries -->"

LOADER = re.compile(r'<script src="[^"]*/require\.js/[^"]*"></script>')
# Ids that bertviz uses in every view, and what stands for them.
CLASSES = {
    "layer": 'class="layer" aria-label="Layer"',
    "filter": 'class="filter" aria-label="Attention"',
    "vis": 'class="vis"',
}
ADDRESSES = re.compile(r"^require\.config\(.*?^\}\);$", re.MULTILINE | re.DOTALL)
# bertviz writes its data twice, the second time into a comment.
DATA = re.compile(r"^(\s*const params = )(\{.*?\});\s*// HACK: .*$", re.MULTILINE)
# Most weights of most heads round to nothing, and 0 is as good as 0.0.
ZERO = re.compile(r"(?<=[\[,])0\.0(?=[\],])")
# What bertviz asks of require.js, answered with what is already there.
ANSWER = """const requirejs = (names, draw) => {
  const start = () => draw(window.jQuery, window.d3);
  if (document.readyState !== "loading") start();
  else document.addEventListener("DOMContentLoaded", start);
};"""


def self_contained(view):
    """Make a view of bertviz draw without another host.

    Args:
        view: what ``head_view(…, html_action="return")`` or ``model_view`` returns.

    Returns:
        The same view, to be shown as a cell's last value.

    Raises:
        TypeError: ``view`` is something else, such as the None of a view that is shown
            at once.
        ValueError: the HTML does not ask for its libraries as bertviz 1.4 does.
    """
    if not isinstance(view, HTML):
        raise TypeError(
            'view must come from head_view(…, html_action="return"), '
            f"not {type(view).__name__}"
        )
    html, found = LOADER.subn("", view.data)
    head, script, rest = html.partition('<script type="text/javascript">')
    if not found or not script or "requirejs(" not in rest:
        raise ValueError("view holds no script of bertviz 1.4 that asks for libraries")
    rest = DATA.sub(compact, ADDRESSES.sub("", rest))
    body, end, tail = rest.rpartition("</script>")
    # Several views stand on one page, and an id may stand there once.
    for name in ("layer", "filter", "vis"):
        head = re.sub(
            f"""id=["']{name}["']""", f'class="{name}" aria-label="{name}"', head
        )
        body = body.replace(f" #{name}`", f" .{name}`")
    return HTML(f"{libraries()}{head}{script}{{\n{ANSWER}\n{body}}}\n{end}{tail}")


def compact(found):
    """Write the data of a view once, without spaces or idle zeros."""
    data = json.dumps(json.loads(found[2]), separators=(",", ":"))
    return f"{found[1]}{ZERO.sub('0', data)};"


def libraries():
    """Write d3 and jQuery as scripts that leave a page's other libraries alone."""
    scripts = [
        # Without `define`, `module` and `exports` a library names itself in the window.
        f"<script>if (!window.{name}) (function (define, module, exports) {{"
        f"{source(name)}\n}}).call(window);</script>"
        for name in LIBRARIES
    ]
    return "\n".join([BEGIN, *scripts, END])


def source(name):
    """Read a library; its own text never ends the script that it stands in."""
    package, file = LIBRARIES[name]
    text = files(package).joinpath(file).read_text(encoding="utf-8")
    return text.replace("</script", "<\\/script")
