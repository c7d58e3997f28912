"""Pictures of other weights: two rows side by side, and how far apart they can be over d_v. Arrays and words in."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from pages.ui.plot import Figure, axis, bars, figure, scatter, upright
from pages.ui.theme import NEUTRAL, RAW, SCALED

HEIGHT = 270  # so that a phone shows the controls and the bars at once


def two_rows(
    weights: np.ndarray, other: np.ndarray | None, names: Sequence[str], words: Mapping[str, str], separators: str
) -> Figure:
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
    at = list(range(len(names)))
    traces = [bars(x=at, y=weights, name=words["model"], marker={"color": SCALED})]
    if other is not None:
        hatched = {"color": RAW, "pattern": {"shape": "/", "fillmode": "replace", "size": 6, "solidity": 0.5}}
        look = {**hatched, "line": {"color": RAW, "width": 1.5}}
        traces.append(bars(x=at, y=other, name=words["other"], marker=look))
    return figure(
        separators, traces,
        axis(tickvals=at, ticktext=[escape(name) for name in names], range=[-0.5, len(names) - 0.5], tickangle=0),
        axis(words["y"], range=[0, 1]), bargap=0.3, bargroupgap=0.05, showlegend=True, height=HEIGHT,
    )


def distance_over_width(
    exact: np.ndarray, within: np.ndarray | None, chosen: int, words: Mapping[str, str], separators: str
) -> Figure:
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
    traces, widths = [], np.arange(1, len(exact) + 1)
    shown = [(exact, SCALED, "circle", "solid", words["exact"])]
    if within is not None:
        shown.append((within, RAW, "diamond", "dash", words["within"]))
    for values, colour, symbol, dash, name in shown:
        sizes = np.where(widths == chosen, 15, 8)
        mark = {"color": colour, "size": sizes, "symbol": symbol, "opacity": 1, "line": {"width": 0}}
        traces.append(scatter(
            x=widths, y=values, name=name, mode="lines+markers", line={"color": colour, "width": 2.5, "dash": dash},
            marker=mark, cliponaxis=False,
        ))
    return figure(
        separators, traces, axis("dᵥ", tickvals=widths, range=[0.7, len(exact) + 0.3]),
        axis(words["y"], range=[0, 1]), showlegend=True,
        shapes=[upright(chosen, {"color": NEUTRAL, "width": 1.5}, layer="below")],
    )
