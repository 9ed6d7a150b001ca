"""Which pages the book has, and how a page is read as a notebook."""

from pathlib import Path

import yaml
from exercises import ExerciseError, exercises, published
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook


def pages(root):
    """List the book's pages in reading order, as paths below ``root``.

    ``_toc.yml`` is the only place that knows them.

    Raises:
        FileNotFoundError: ``_toc.yml`` names a page that is not there.
    """
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    found = []
    for name in names(toc):
        path = root / f"{name}.md"
        if not path.is_file():
            raise FileNotFoundError(f"_toc.yml names {name}, but there is no {name}.md")
        found.append(path)
    return found


def names(toc):
    """Yield the page names of a table of contents, parents before children."""
    for key in ("root", "file"):
        if key in toc:
            yield toc[key]
    for key in ("parts", "chapters", "sections"):
        for entry in toc.get(key, []):
            yield from names(entry)


def notebooks(root):
    """List the pages that hold code cells."""
    return [
        path
        for path in pages(root)
        if is_myst_markdown_notebook(path.read_text(encoding="utf-8"))
    ]


def withheld(root):
    """List the exercises whose solutions ``_config.yml`` keeps from readers.

    Raises:
        ExerciseError: it names an exercise that no chapter has.
    """
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    labels = config["sphinx"]["config"].get("withheld_solutions") or []
    if labels:
        there = [e.label for path in notebooks(root) for e in exercises(read(path))]
        unknown = sorted(set(labels) - set(there))
        if unknown:
            raise ExerciseError(
                f"_config.yml, withheld_solutions: there is no {', '.join(unknown)}; "
                f"expected some of {', '.join(there)}"
            )
    return labels


def read(path, shown=False, withheld=()):
    """Read a page as a notebook, as it is written or as its readers are shown it,
    without the solutions of the exercises that are ``withheld``.

    Its metadata holds ``source_map``: the line at which each cell starts.

    Raises:
        ExerciseError: a marker of an exercise has no partner.
    """
    text = Path(path).read_text(encoding="utf-8")
    if shown:
        try:
            text = published(text, withheld)
        except ExerciseError as error:
            raise ExerciseError(f"chapters/{path.name}, {error}") from error
    return read_myst_markdown_notebook(text, add_source_map=True, path=path)
