"""What Plotly makes of a described figure: its own validation, which the pages leave to the tests."""

from base64 import b64decode

import numpy as np
import plotly.graph_objects as go


def validated(described):
    """The figure as Plotly takes it; a name or a value that it does not know raises."""
    return go.Figure(described)


def check(described):
    """Demand that Plotly takes a figure and gives back the same: it takes some names that plotly.js does not know."""
    returned = validated(described).to_dict()
    if "template" not in described["layout"]:
        del returned["layout"]["template"]  # Plotly's own addition
    assert plain(returned) == plain(described)
    for trace in described["data"]:
        assert_bubbles_have_no_line_by_chance(trace)


def plain(part):
    """A part of a figure, described or sent, as Python's own lists, numbers and words; what is no number is None."""
    if isinstance(part, dict) and part.keys() == {"dtype", "bdata"}:
        return plain(array_of(part))
    if isinstance(part, dict):
        return {name: plain(each) for name, each in part.items()}
    if isinstance(part, list | tuple | np.ndarray):
        return [plain(each) for each in part]
    part = part.item() if isinstance(part, np.generic) else part
    return None if part != part else part


def array_of(packed):
    """A packed array."""
    return np.frombuffer(b64decode(packed["bdata"]), packed["dtype"])


def assert_bubbles_have_no_line_by_chance(trace):
    """Marks of several sizes get a white line by default, which only Streamlit's template, not sent, takes away."""
    marker = trace.get("marker", {})
    if not isinstance(marker.get("size", 0), int | float):
        assert "width" in marker.get("line", {})
