"""Lighthouse on every page, for what does not depend on the speed of a machine."""

from lighthouse import ALWAYS, audit
from reading import PAGES


def test_every_page_scores_at_least_95(host):
    names = [*(f"chapters/{page}" for page in PAGES), "search"]
    addresses = [f"{host.address}/{name}.html" for name in names]
    low = [
        found
        for found in audit(addresses, ALWAYS)
        if min(found["scores"].values()) < 95 or len(found["scores"]) != len(ALWAYS)
    ]
    assert low == []
