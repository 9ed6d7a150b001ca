"""bertviz's views bring their libraries along."""

import json
import re

import pytest
import torch
from bertviz import head_view, model_view
from IPython.display import HTML

from selfattention.views import BEGIN, END, self_contained

TOKENS = ["one", "two", "three"]
ATTENTION = [torch.full((1, 2, 3, 3), 0.25, dtype=torch.float64)]


@pytest.mark.parametrize("view", [head_view, model_view])
def test_view_names_no_other_host_and_holds_its_data_once(view):
    html = self_contained(view(ATTENTION, TOKENS, html_action="return")).data
    libraries, _, own = html.partition(END)
    assert "d3js.org" in libraries
    assert "jQuery v3" in libraries
    assert not re.search(r"cdn|\.min|require\.config", own)
    assert own.count('"attention":[') == 1
    assert own.count("<script") == own.count("</script>") == 1


@pytest.mark.parametrize("view", [head_view, model_view])
def test_data_of_a_view_is_unchanged_and_small(view):
    torch.manual_seed(0)
    weights = torch.randn(2, 1, 3, 5, 5).mul(9).softmax(-1).double().round(decimals=3)
    tokens = ["[CLS]", "a", ";", "// HACK: {0.0,0.0}", "[SEP]"]
    html = view(list(weights), tokens, html_action="return")
    data = re.compile(r"const params = (\{.*?\});( // HACK.*)?\n")
    before, after = data.search(html.data), data.search(self_contained(html).data)
    assert json.loads(after[1]) == json.loads(before[1])
    # What is left is smaller than one copy of two.
    assert len(after[0]) < 0.45 * len(before[0])


def test_libraries_stand_between_their_marks():
    html = self_contained(head_view(ATTENTION, TOKENS, html_action="return")).data
    assert html.startswith(BEGIN)
    assert html.partition(END)[0].count("</script>") == 2
    assert "define.amd" not in html.partition(END)[2]


@pytest.mark.parametrize("view", [head_view, model_view])
def test_ids_of_a_view_are_its_own(view):
    html = self_contained(view(ATTENTION, TOKENS, html_action="return")).data
    own = html.partition(END)[2]
    ids = re.findall(r"""\bid=["']([^"']+)""", own)
    assert len(ids) == 1
    assert ids[0].startswith("bertviz-")
    assert not re.search(r"#(layer|vis|filter)\b", own)


def test_view_that_was_shown_at_once_is_named():
    with pytest.raises(TypeError, match=r'html_action="return".*not NoneType'):
        self_contained(None)


@pytest.mark.parametrize(
    "html",
    [
        "<p>no script</p>",
        '<script src="https://cdn.example/require.js/2/require.min.js"></script>',
        '<script type="text/javascript">requirejs([])</script>',
    ],
)
def test_html_of_something_else_is_refused(html):
    with pytest.raises(ValueError, match="of bertviz"):
        self_contained(HTML(html))
