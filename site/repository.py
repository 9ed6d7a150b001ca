"""Where the book's repository is: asked of the environment or git, not written down."""

import os
import re
import subprocess
from urllib.parse import quote

BINDER = "https://mybinder.org/v2"
# host and path of `https://host/a/b.git`, `git@host:a/b.git`, `ssh://git@host/a/b`
REMOTE = re.compile(
    r"(?:https://|ssh://)?(?:[^@/\s]+@)?"
    r"([a-z\d-]+(?:\.[a-z\d-]+)+)[:/]([^:\s]+?)(?:\.git)?/?",
    re.IGNORECASE,
)


def address(root):
    """Return the repository's address for a browser, or None where none is known.

    ``GITHUB_REPOSITORY``, which GitHub's workflows set, comes before git's remote
    ``origin``. A name or a password in the remote is left out.

    Raises:
        ValueError: ``GITHUB_REPOSITORY`` is not ``owner/name``.
    """
    if named := os.environ.get("GITHUB_REPOSITORY"):
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", named):
            raise ValueError(f"GITHUB_REPOSITORY must be owner/name, not {named!r}")
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{named}"
    asked = subprocess.run(
        ["git", "-C", str(root), "remote", "get-url", "origin"],
        capture_output=True,
        text=True,
        check=False,  # no git, no repository or no remote: then none is known
    )
    match = REMOTE.fullmatch(asked.stdout.strip())
    return f"https://{match[1]}/{match[2]}" if match else None


def site_address(repository):
    """Return the address at which the site will be read, ending in /, or None.

    ``BOOK_ADDRESS`` comes before that of GitHub's pages for the repository.

    Raises:
        ValueError: ``BOOK_ADDRESS`` is no address.
    """
    if named := os.environ.get("BOOK_ADDRESS"):
        if not re.fullmatch(r"https?://[^\s/]+(/\S*)?", named):
            raise ValueError(f"BOOK_ADDRESS must be https://…, not {named!r}")
        return named.rstrip("/") + "/"
    pages = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)", repository or "")
    if pages is None:
        return None
    owner, name = pages[1].lower(), pages[2]
    host = f"https://{owner}.github.io/"
    return host if name.lower() == f"{owner}.github.io" else f"{host}{name}/"


def site(root):
    """Return the address of the site of the book in ``root``, "" if none is known."""
    return site_address(address(root)) or ""


def commit(root):
    """Return the short name of the commit that is built, or None outside of git."""
    asked = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,  # no git or no repository: then there is none
    )
    return asked.stdout.strip() or None


def launch_link(repository, page):
    """Link to Binder so that it opens one page as a notebook in JupyterLab.

    Args:
        repository: what ``address`` returned, not None.
        page: path of the page's source in the repository.
    """
    host, _, path = repository.removeprefix("https://").partition("/")
    place = (
        f"gh/{path}" if host == "github.com" else f"git/{quote(repository, safe='')}"
    )
    return f"{BINDER}/{place}/HEAD?urlpath={quote(f'lab/tree/{page}')}"
