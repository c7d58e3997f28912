"""Every chart of every page, as it is sent to the browser, is a figure that Plotly takes."""

import ast
import json

import pytest

from tests.pages.conftest import ROOT
from tests.received import check

# page -> links that show its charts; the last test holds that none is missing
SHOWING = {
    "pipeline": [{"step": "output"}],
    "scaling": [{"closer": "variance"}, {"closer": "gradient"}],
    "verification": [{"bench": "dtypes"}],
    "learning": [{"train_left": "loss", "train_right": "accuracy"}],
    "additive": [{"add_look": "saturation"}, {"add_look": "cost"}],
    "heads": [{"heads_part": "scale"}],
    "tiles": [{}],
    "explanation": [{}, {"exp_tol": "0.1"}],
}
LINKS = [(name, link) for name, links in SHOWING.items() for link in links]


def charts(page):
    return page.app.get("plotly_chart")


def keys_in_the_sources():
    """The keys of all charts; one that is put together stands as its end."""
    for path in ROOT.glob("pages/**/*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "lesson.chart":
                key, = [each.value for each in call.keywords if each.arg == "key"]
                yield key.value if isinstance(key, ast.Constant) else key.values[-1].value


@pytest.mark.parametrize(("name", "link"), LINKS, ids=[f"{name}-{'-'.join(link.values())}" for name, link in LINKS])
@pytest.mark.parametrize("show", [{}, {"projector": "1"}], ids=["", "projector"])
def test_plotly_takes_every_chart_as_it_is_sent(lab, name, link, show):
    found = charts(lab(name, **link, **show))
    assert found
    for chart in found:
        spec = json.loads(chart.proto.spec)
        assert spec["data"] and chart.proto.theme == "streamlit" and chart.proto.alt
        check(spec)


def test_no_chart_is_missing_here(lab):
    found = {chart.proto.id for name, link in LINKS for chart in charts(lab(name, **link))}
    assert [key for key in keys_in_the_sources() if not any(one.endswith(key) for one in found)] == []
