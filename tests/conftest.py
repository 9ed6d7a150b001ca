"""What all tests share: the folder, the build code, and the site that was built."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "site"))


@pytest.fixture(scope="session")
def site():
    """The built site. `make test` builds it, from no cache, before the tests start."""
    folder = ROOT / "_build" / "html"
    if not (folder / "index.html").is_file():
        pytest.fail("There is no built site: run `make book` first.")
    return folder
