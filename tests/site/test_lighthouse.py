"""Lighthouse on three pages, for what does not depend on the speed of a machine.

It takes long: `make lighthouse` asks it about every page, and about performance.
"""

from lighthouse import ALWAYS, audit


def test_a_page_scores_at_least_95(host):
    names = ["chapters/index", "chapters/softmax_saturation", "search"]
    addresses = [f"{host.address}/{name}.html" for name in names]
    low = [
        found
        for found in audit(addresses, ALWAYS)
        if min(found["scores"].values()) < 95 or len(found["scores"]) != len(ALWAYS)
    ]
    assert low == []
