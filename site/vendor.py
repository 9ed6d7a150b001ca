"""Gather the browser libraries and our own scripts that the site serves itself."""

import shutil
from pathlib import Path

from selfattention import live, views

# What is taken from an npm package, and what it is called in `_static/vendor`.
LIBRARIES = {
    "katex/dist/katex.min.css": "katex/katex.min.css",
    "katex/dist/fonts/*.woff2": "katex/fonts/",
}


def gather(root, static):
    """Write everything into the folder ``static``, which Sphinx copies to the site.

    Raises:
        FileNotFoundError: a library is missing; the message says how to install it.
    """
    shutil.rmtree(static, ignore_errors=True)
    for pattern, name in LIBRARIES.items():
        found = sorted(Path(root, "site", "node_modules").glob(pattern))
        if not found:
            raise FileNotFoundError(
                f"site/node_modules/{pattern} is missing: run `npm ci` in site/"
            )
        for path in found:
            target = static / "vendor" / name
            target = target / path.name if name.endswith("/") else target
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for name in views.LIBRARIES:
        (static / "vendor" / f"{name}.js").write_text(
            views.source(name), encoding="utf-8"
        )
    (static / "live.js").write_text(live.bundle(), encoding="utf-8")
    (static / "live.css").write_text(live.stylesheet(), encoding="utf-8")
