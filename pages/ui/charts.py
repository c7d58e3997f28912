"""Curves: arrays and words in, a Plotly figure out. No page state, and no colour, font or number format of its own."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from pages.ui.theme import NEUTRAL, RAW, SCALED, band_colour, figure

WIDTH_TICKS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


def over_width(
    curves: Mapping[str, np.ndarray],
    bands: Mapping[str, np.ndarray],
    chosen: int,
    words: Mapping[str, str],
    separators: str,
    y_range: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw curves over d_k, one entry for each d_k from 1, on a log2 axis with a cursor at the chosen d_k.

    Parameters
    ----------
    curves : {"raw", "scaled"} -> (d_max,) array
        This seed's curves.
    bands : {"raw", "scaled"} -> (5, d_max) array, or (1, d_max) array
        What to hold them against: quantiles 5, 25, 50, 75, 95 % of all seeds, or one dashed line of theory.
    chosen : int
        The d_k of the cursor.
    words : mapping
        "raw", "scaled" (curves), "raw_line", "scaled_line" (the dashed lines) and "y" (the axis).
    separators : str
        Plotly's decimal and group marks.
    y_range : pair of float, optional
        Fixed linear axis; without it the axis is logarithmic.
    """
    picture = figure(separators)
    widths = np.arange(1, len(curves["raw"]) + 1)
    shown = np.unique(np.append(np.round(2 ** np.linspace(0, np.log2(len(widths)), 160)).astype(int), chosen)) - 1
    for role, colour in (("raw", RAW), ("scaled", SCALED)):
        add_band(picture, widths[shown], bands[role][:, shown], colour, words[f"{role}_line"])
        line = {"color": colour, "width": 2.5}
        picture.add_scatter(x=widths[shown], y=curves[role][shown], name=words[role], line=line)
        picture.add_scatter(
            x=[chosen], y=[curves[role][chosen - 1]], mode="markers", showlegend=False, name=words[role],
            marker={"color": colour, "size": 12, "symbol": {"raw": "circle", "scaled": "diamond"}[role]},
        )
    picture.add_vline(x=chosen, line={"color": NEUTRAL, "width": 1.5}, layer="below")
    whole = [-0.03, np.log10(len(widths)) + 0.06]  # a little more, so that the tick labels at both ends are drawn
    picture.update_xaxes(type="log", tickvals=WIDTH_TICKS, range=whole, title_text="dₖ")
    picture.update_yaxes(title_text=words["y"])
    if y_range:
        picture.update_yaxes(range=y_range, tickvals=[0, 0.25, 0.5, 0.75, 1])
    else:
        picture.update_yaxes(type="log", tickvals=[0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32], range=np.log10([0.1, 40]))
    return picture


def add_band(picture: go.Figure, x: np.ndarray, quantiles: np.ndarray, colour: str, name: str) -> None:
    """Add the dashed middle line and, where quantiles surround it, the bands of 90 % and 50 %."""
    middle = len(quantiles) // 2
    for low, opacity in ((0, 0.13), (1, 0.20)) if middle else ():
        edge = {"mode": "lines", "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
        picture.add_scatter(x=x, y=quantiles[low], **edge)
        picture.add_scatter(x=x, y=quantiles[-1 - low], fill="tonexty", fillcolor=band_colour(colour, opacity), **edge)
    picture.add_scatter(x=x, y=quantiles[middle], name=name, line={"color": colour, "width": 1.5, "dash": "dash"})
