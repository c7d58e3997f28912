"""Memory over n as a described figure: arrays and words in. No page state, no number format of its own."""

from collections.abc import Mapping

import numpy as np

from pages.ui.plot import Figure, across, axis, figure, scatter
from pages.ui.theme import NEUTRAL, RAW, SCALED

PATHS = (("dense", RAW, "circle"), ("tiled", SCALED, "diamond"))


def memory_over_n(
    sizes: np.ndarray,
    predicted: Mapping[str, np.ndarray],
    measured: Mapping[str, np.ndarray],
    hosts: Mapping[str, float],
    ticks: tuple[Mapping[int, str], Mapping[int, str]],
    words: Mapping[str, str],
    separators: str,
) -> Figure:
    """Draw bytes over n on two logarithmic axes, with a horizontal line for each amount of memory that one may have.

    Parameters
    ----------
    sizes : (k,) array
        Each n.
    predicted : {"matrix", "dense", "tiled"} -> (k,) array
        Bytes: of one n x n matrix, dashed, and of both paths.
    measured : {"n", "dense", "tiled"} -> (j,) array
        Bytes where they were measured, as marks; empty before that.
    hosts : {label: bytes}
        The horizontal lines.
    ticks : pair of {number: label}
        Of the axes x and y.
    words : mapping
        "matrix", "dense", "tiled", "dense_measured", "tiled_measured", "x" and "y".
    separators : str
        Plotly's decimal and group marks.
    """
    traces = []
    for path, colour, symbol in PATHS:
        traces.append(scatter(
            x=sizes, y=predicted[path], mode="lines", name=words[path], line={"color": colour, "width": 2.5},
        ))
        if measured:
            traces.append(scatter(
                x=measured["n"], y=measured[path], mode="markers", name=words[f"{path}_measured"],
                marker={"color": colour, "size": 11, "symbol": symbol},
            ))
    dashed = {"color": RAW, "width": 1.5, "dash": "dash"}
    traces.append(scatter(x=sizes, y=predicted["matrix"], mode="lines", name=words["matrix"], line=dashed))
    (first, last), (at_x, at_y) = np.log10(sizes[[0, -1]]), ticks
    return figure(
        separators, traces,
        axis(words["x"], type="log", tickvals=list(at_x), ticktext=list(at_x.values()),
             range=[first - 0.05, last + 0.12]),
        axis(words["y"], type="log", tickvals=list(at_y), ticktext=list(at_y.values()),
             range=[np.log10(5e4), np.log10(5e12)]),
        shapes=[across(limit, {"color": NEUTRAL, "width": 1.5, "dash": "dot"}) for limit in hosts.values()],
        annotations=[named(label, limit) for label, limit in hosts.items()],
    )


def named(label: str, limit: float) -> dict:
    """Describe the name of a horizontal line; its place on a logarithmic axis is a power of ten."""
    return {"text": label, "xref": "x domain", "x": 0, "y": np.log10(limit), "xanchor": "left", "yanchor": "bottom",
            "showarrow": False, "font": {"size": 14}}
