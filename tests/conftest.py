"""What all tests share: the site that was built."""

import pytest
from build import ROOT


@pytest.fixture(scope="session")
def site():
    """The built site. `make test` builds it, from no cache, before the tests start."""
    folder = ROOT / "_build" / "html"
    if not (folder / "index.html").is_file():
        pytest.fail("There is no built site: run `make book` first.")
    return folder
