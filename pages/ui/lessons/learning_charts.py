"""Training curves: every seed its own thin line, scaled and not; arrays and words in, a Plotly figure out."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from pages.ui.charts import ROLES
from pages.ui.theme import NEUTRAL, figure

DASH = {"raw": "dot", "scaled": "solid"}
POINTS = 41  # of a curve at most: a phone repaints it several times a second


def over_steps(
    steps: np.ndarray,
    curves: Mapping[str, np.ndarray],
    seeds: Sequence[int],
    last: int,
    words: Mapping[str, str],
    separators: str,
    y_range: tuple[float, float],
    log: bool = False,
    level: float | None = None,
) -> go.Figure:
    """Draw one measure over the steps, a thin line for each seed that ends in a mark.

    Parameters
    ----------
    steps : (reports,) array of int
        When each report was made, from 0.
    curves : {"raw", "scaled"} -> (reports, seeds) array
        The measure.
    seeds : sequence of int
        What to call the seeds, in the order of the columns.
    last : int
        Where the axis of the steps ends, however far training is.
    words : mapping
        "raw", "scaled" name the curves, "seed" one of them, "x" and "y" the axes.
    separators : str
        Plotly's decimal and group marks.
    y_range : pair of float
        The axis, fixed so that nothing jumps.
    log : bool, default False
        Whether the axis is logarithmic; a 0 is not drawn.
    level : float, optional
        A dashed line across.
    """
    picture = figure(separators).update_layout(height=300)
    shown = np.flatnonzero((steps % (last // (POINTS - 1)) == 0) | (steps == steps[-1]))
    for role, colour, symbol in ROLES:
        values = curves[role][shown].astype(np.float32)  # (points, seeds)
        x = np.tile(np.append(steps[shown], steps[-1]), len(seeds)).astype(np.int32)  # (seeds * (points + 1),)
        picture.add_scatter(
            x=x, y=with_gaps(values), mode="lines", name=words[role], connectgaps=False,
            line={"color": colour, "width": 1.25, "dash": DASH[role]},
            customdata=np.repeat(seeds, len(shown) + 1), hovertemplate=f"{words['seed']} %{{customdata}}: %{{y:.3g}}",
        )
        picture.add_scatter(
            x=np.full(len(seeds), steps[-1], np.int32), y=values[-1], mode="markers", showlegend=False,
            name=words[role], marker={"color": colour, "size": 8, "symbol": symbol}, hoverinfo="skip", cliponaxis=False,
        )
    if level is not None:
        picture.add_hline(y=level, line={"color": NEUTRAL, "width": 1.5, "dash": "dash"}, layer="below")
    picture.update_xaxes(range=[-0.01 * last, 1.02 * last], tickvals=np.linspace(0, last, 5), title_text=words["x"])
    picture.update_yaxes(title_text=words["y"], range=np.log10(y_range) if log else y_range)
    if log:
        picture.update_yaxes(type="log", dtick=2, exponentformat="power")
    return picture


def with_gaps(values: np.ndarray) -> np.ndarray:
    """Return all seeds' curves as one, (seeds * (points + 1),), with a gap after each: one line is quick to repaint."""
    return np.append(values, np.full_like(values[:1], np.nan), axis=0).T.ravel()
