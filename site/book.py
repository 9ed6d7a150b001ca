"""The book's Sphinx extension: what readers may see, and from where it is loaded."""

from pathlib import Path

from exercises import published


def setup(app):
    """Register the hooks."""
    app.connect("source-read", hide)
    app.connect("build-finished", hide_in_sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def hide(app, docname, source):
    """Take hidden tests and markers out of a page before it is parsed."""
    source[0] = published(source[0])


def hide_in_sources(app, exception):
    """Take them out of the sources that the site offers for download, too."""
    if exception is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_sources").rglob("*.md"):
        path.write_text(published(path.read_text(encoding="utf-8")), encoding="utf-8")
