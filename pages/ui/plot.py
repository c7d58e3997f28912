"""A Plotly figure as plain dicts, as plotly.js reads them: the lab's style, lines and axes, and how one is sent."""

from base64 import b64encode
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

Figure = dict[str, object]  # {"data": [a trace, ...], "layout": {...}}
JAVASCRIPT = {"i1", "i2", "i4", "u1", "u2", "u4", "f4", "f8"}  # the arrays that plotly.js knows


def figure(separators: str, traces: Sequence[dict], xaxis: dict, yaxis: dict, **layout: object) -> Figure:
    """Describe a figure in the lab's style; Streamlit's own theme adds paper, ink and grid for light and dark.

    Parameters
    ----------
    separators : str
        Plotly's decimal and group marks.
    traces : sequence of dict
        Curves, bars and marks.
    xaxis, yaxis : dict
        As `axis` makes them.
    **layout
        What else the layout holds, or holds otherwise.

    Examples
    --------
    >>> picture = figure(".,", [scatter(x=[1, 2], y=[3, 4])], axis("n"), axis("cost"), height=300)
    >>> picture["layout"]["height"], picture["layout"]["xaxis"]["title"]["text"]
    (300, 'n')
    """
    style = {
        "separators": separators,
        "font": {"size": 15},
        "height": 340,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "hoverlabel": {"font": {"size": 14}},
        "legend": {
            "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 14}, "traceorder": "normal",
        },
        "dragmode": False,
    }
    return {"data": list(traces), "layout": {**style, "xaxis": xaxis, "yaxis": yaxis, **layout}}


def axis(title: str | None = None, **parts: object) -> dict:
    """Describe an axis that stays where it is."""
    heading = {"font": {"size": 15}, **({} if title is None else {"text": title})}
    return {"fixedrange": True, "automargin": True, "title": heading, "tickfont": {"size": 14}, **parts}


def scatter(**parts: object) -> dict:
    """Describe a curve or marks."""
    return {"type": "scatter", **parts}


def bars(**parts: object) -> dict:
    """Describe a series of bars."""
    return {"type": "bar", **parts}


def upright(x: float, line: dict, **parts: object) -> dict:
    """Describe a line from the bottom to the top, at x."""
    return {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line, **parts}


def across(y: float, line: dict, **parts: object) -> dict:
    """Describe a line from the left to the right, at y."""
    return {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y", "line": line, **parts}


def enlarged(picture: Figure, by: float = 1.75) -> Figure:
    """Return a copy of a figure for the projector, with everything written in it and its height larger.

    Examples
    --------
    >>> large = enlarged(figure(".,", [], axis("n"), axis("cost")), by=2)
    >>> large["layout"]["height"], large["layout"]["legend"]["font"]
    (680, {'size': 28})
    """
    def grown(part: object, name: str = "") -> object:
        """Return a part with all sizes of writing within it enlarged."""
        if isinstance(part, dict):
            written = name.endswith("font")
            return {key: value * by if written and key == "size" else grown(value, key) for key, value in part.items()}
        return [grown(each) for each in part] if isinstance(part, list) else part

    large = grown(picture)
    large["layout"]["height"] *= by
    return large


EMPTY = vars(go.Figure())  # made once: making an empty figure takes as long as sending one


class Ready(go.Figure):
    """A described figure as `st.plotly_chart` takes it: sent as it is, where a dict would be validated every time.

    Validating costs ten times as much as sending. The tests do it instead, for every chart: Plotly has to take the
    description and give back the same. To Plotly's other methods this figure is an empty one, and nobody changes it.
    """

    def __init__(self, picture: Figure) -> None:
        """Keep the description of a figure."""
        vars(self).update(EMPTY, _picture=picture)

    def to_dict(self) -> Figure:
        """Return the description with its arrays packed."""
        return packed(self._picture)


def packed(part: object) -> object:
    """Return a part of a figure with every array in it as plotly.js unpacks it, which is short and exact.

    Examples
    --------
    >>> packed({"y": np.array([1, 2, 3])})
    {'y': {'dtype': 'u1', 'bdata': 'AQID'}}
    """
    if isinstance(part, dict):
        return {name: packed(each) for name, each in part.items()}
    if isinstance(part, list):
        return [packed(each) for each in part]
    return typed(part) if isinstance(part, np.ndarray) and part.size else part


def typed(array: np.ndarray) -> dict[str, str]:
    """Return an array's kind and bytes; whole numbers as short as they fit, beyond 32 bits as JavaScript holds them."""
    if array.dtype.kind in "iu":
        array = array.astype(np.result_type(*map(np.min_scalar_type, (array.min(), array.max()))))
    if array.dtype.str[1:] not in JAVASCRIPT:
        array = array.astype(float)
    return {"dtype": array.dtype.str[1:], "bdata": b64encode(array.tobytes()).decode()}
