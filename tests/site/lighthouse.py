"""Audit every page of the built site with Lighthouse, as on a telephone.

`make lighthouse` prints a table of all four categories. The score for performance
depends on how busy the machine is, so no test asserts it.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from serving import NAMES, serve

HERE = Path(__file__).parent
ALWAYS = ("accessibility", "best-practices", "seo")


def audit(addresses, categories):
    """Yield for each address its scores, 0 to 100, and the audits that fell short."""
    chromium = next(filter(None, map(shutil.which, NAMES)))
    command = ["node", HERE / "lighthouse.mjs", chromium, ",".join(categories)]
    done = subprocess.run(
        [*command, *addresses], capture_output=True, text=True, check=True
    )
    yield from map(json.loads, done.stdout.splitlines())


def main():
    """Print the table."""
    site = HERE.parent.parent / "_build" / "html"
    pages = [*sorted(site.glob("chapters/*.html")), site / "search.html"]
    wanted = sys.argv[1:]
    with serve(site) as host:
        for page in pages:
            if wanted and page.stem not in wanted:
                continue
            address = f"{host.address}/{page.relative_to(site).as_posix()}"
            for found in audit([address], ("performance", *ALWAYS)):
                scores = "  ".join(f"{k} {v:3}" for k, v in found["scores"].items())
                print(
                    f"{page.stem:22} {scores}  {'; '.join(found['short'])}", flush=True
                )


if __name__ == "__main__":
    main()
