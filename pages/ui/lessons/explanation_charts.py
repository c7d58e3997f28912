"""Pictures of other weights: two rows side by side, and how far apart they can be over d_v. Arrays and words in."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go

from pages.ui.theme import NEUTRAL, RAW, SCALED, figure

HEIGHT = 270  # so that a phone shows the controls and the bars at once


def two_rows(
    weights: np.ndarray, other: np.ndarray | None, names: Sequence[str], words: Mapping[str, str], separators: str
) -> go.Figure:
    """Draw the weights of a row as bars from 0 to 1, and those of another row, hatched, beside them.

    Parameters
    ----------
    weights, other : (m,) arrays
        The two rows; without another, None.
    names : sequence of str
        Of the m keys; they may repeat and are escaped.
    words : mapping
        "model", "other" and "y".
    separators : str
        Plotly's decimal and group marks.
    """
    picture, at = figure(separators), list(range(len(names)))
    picture.add_bar(x=at, y=weights, name=words["model"], marker={"color": SCALED})
    if other is not None:
        hatched = {"color": RAW, "pattern": {"shape": "/", "fillmode": "replace", "size": 6, "solidity": 0.5}}
        picture.add_bar(x=at, y=other, name=words["other"], marker={**hatched, "line": {"color": RAW, "width": 1.5}})
    picture.update_layout(bargap=0.3, bargroupgap=0.05, showlegend=True, height=HEIGHT)
    picture.update_xaxes(
        tickvals=at, ticktext=[escape(name) for name in names], range=[-0.5, len(names) - 0.5], tickangle=0,
    )
    picture.update_yaxes(range=[0, 1], title_text=words["y"])
    return picture


def distance_over_width(
    exact: np.ndarray, within: np.ndarray | None, chosen: int, words: Mapping[str, str], separators: str
) -> go.Figure:
    """Draw the largest distance found at d_v = 1, 2, ..., with a cursor at the chosen d_v.

    Parameters
    ----------
    exact, within : (d_max,) arrays
        With exactly the same output, and within a tolerance; without one, None.
    chosen : int
        The d_v of the cursor.
    words : mapping
        "exact", "within" and "y".
    separators : str
        Plotly's decimal and group marks.
    """
    picture, widths = figure(separators), np.arange(1, len(exact) + 1)
    shown = [(exact, SCALED, "circle", "solid", words["exact"])]
    if within is not None:
        shown.append((within, RAW, "diamond", "dash", words["within"]))
    for values, colour, symbol, dash, name in shown:
        sizes = np.where(widths == chosen, 15, 8)
        picture.add_scatter(
            x=widths, y=values, name=name, mode="lines+markers", line={"color": colour, "width": 2.5, "dash": dash},
            marker={"color": colour, "size": sizes, "symbol": symbol, "opacity": 1}, cliponaxis=False,
        )
    picture.add_vline(x=chosen, line={"color": NEUTRAL, "width": 1.5}, layer="below")
    picture.update_layout(showlegend=True)
    picture.update_xaxes(tickvals=widths, range=[0.7, len(exact) + 0.3], title_text="dᵥ")
    picture.update_yaxes(range=[0, 1], title_text=words["y"])
    return picture
