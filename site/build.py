"""Build the book: execute, render, publish. The Makefile calls this."""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import execute
import publish
import vendor
from exercises import ExerciseError

ROOT = Path(__file__).resolve().parent.parent


def main():
    """Build the book in this folder and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--fresh", action="store_true", help="execute every cell, from no cache"
    )
    parser.add_argument(
        "--links", action="store_true", help="ask for every external link instead"
    )
    parser.add_argument(
        "--instructor", action="store_true", help="show hidden tests and all solutions"
    )
    arguments = parser.parse_args()
    start = time.perf_counter()
    try:
        site = build(ROOT, **vars(arguments))
    except subprocess.CalledProcessError:
        sys.exit("\nThe book was not built: the messages above say why.")
    except (
        ExerciseError,
        FileNotFoundError,
        execute.ChapterFailed,
        publish.NotSelfHosted,
    ) as error:
        sys.exit(f"\nThe book was not built.\n{error}")
    seconds = time.perf_counter() - start
    result = "every link answers" if arguments.links else f"open {site}/index.html"
    print(f"Built in {seconds:.0f} s: {result}")


def build(root, fresh=False, links=False, instructor=False):
    """Build the book in ``root``; return the folder of the finished site.

    With ``links`` external links are asked for instead; one without an answer fails.
    The instructors' edition is a site of its own, in ``_build/instructor``.

    Nothing but a finished site ever stands in ``_build/html``: a build that fails
    leaves the last good one there, or none.
    """
    work = workshop(root)
    for other in root.glob("_build/work-*"):
        if fresh or other != work:
            shutil.rmtree(other)
    rendered = work / "instructor" if instructor else work
    execute.execute(root, work / "_build", rendered / "_build" if instructor else None)
    vendor.gather(root, root / "_build" / "static")
    os.environ["BOOK_EDITION"] = "instructors" if instructor else "readers"
    render(root, rendered, "linkcheck" if links else "html")
    if links:
        return work / "_build" / "linkcheck"
    site = root / "_build" / ("instructor" if instructor else "html")
    publish.publish(rendered / "_build" / "html", site)
    return site


def workshop(root):
    """Name the folder of caches and rendered pages for the code as it is now.

    Chapters import ``selfattention``, which their cells do not show: so the folder is
    named after a digest of the package and of the pinned versions.
    """
    digest = hashlib.sha256()
    package = sorted((root / "selfattention").rglob("*"))
    for path in [*package, root / "requirements.txt"]:
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return root / "_build" / f"work-{digest.hexdigest()[:12]}"


def render(root, work, builder):
    """Have Jupyter Book render the pages; every warning is an error."""
    command = [
        Path(sys.executable).with_name("jupyter-book"),
        *("build", root, "--path-output", work),
        *("--builder", builder, "-W", "-n", "--keep-going", "--quiet"),
    ]
    print("Rendering …", flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
