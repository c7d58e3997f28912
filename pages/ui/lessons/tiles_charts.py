"""Memory over n as a Plotly figure: arrays and words in. No page state, no number format of its own."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from pages.ui.theme import NEUTRAL, RAW, SCALED, figure

PATHS = (("dense", RAW, "circle"), ("tiled", SCALED, "diamond"))


def memory_over_n(
    sizes: np.ndarray,
    predicted: Mapping[str, np.ndarray],
    measured: Mapping[str, np.ndarray],
    hosts: Mapping[str, float],
    ticks: tuple[Mapping[int, str], Mapping[int, str]],
    words: Mapping[str, str],
    separators: str,
) -> go.Figure:
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
    picture = figure(separators)
    for path, colour, symbol in PATHS:
        picture.add_scatter(
            x=sizes, y=predicted[path], mode="lines", name=words[path], line={"color": colour, "width": 2.5},
        )
        if measured:
            picture.add_scatter(
                x=measured["n"], y=measured[path], mode="markers", name=words[f"{path}_measured"],
                marker={"color": colour, "size": 11, "symbol": symbol},
            )
    dashed = {"color": RAW, "width": 1.5, "dash": "dash"}
    picture.add_scatter(x=sizes, y=predicted["matrix"], mode="lines", name=words["matrix"], line=dashed)
    for label, limit in hosts.items():
        picture.add_hline(y=limit, line={"color": NEUTRAL, "width": 1.5, "dash": "dot"})
        picture.add_annotation(  # its place on a logarithmic axis is a power of ten
            text=label, xref="x domain", x=0, y=np.log10(limit), xanchor="left", yanchor="bottom", showarrow=False,
            font_size=14,
        )
    at_x, at_y = ticks
    picture.update_xaxes(type="log", tickvals=list(at_x), ticktext=list(at_x.values()), title_text=words["x"],
                         range=[np.log10(sizes[0]) - 0.05, np.log10(sizes[-1]) + 0.12])
    picture.update_yaxes(type="log", tickvals=list(at_y), ticktext=list(at_y.values()), title_text=words["y"],
                         range=[np.log10(5e4), np.log10(5e12)])
    return picture
