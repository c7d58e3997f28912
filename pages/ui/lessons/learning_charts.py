"""Training curves: every seed its own thin line, scaled and not; arrays and words in, a described figure out."""

from collections.abc import Mapping, Sequence

import numpy as np

from pages.ui.charts import ROLES
from pages.ui.plot import Figure, across, axis, figure, scatter
from pages.ui.theme import NEUTRAL

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
) -> Figure:
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
    traces = []
    shown = np.flatnonzero((steps % (last // (POINTS - 1)) == 0) | (steps == steps[-1]))
    for role, colour, symbol in ROLES:
        values = curves[role][shown].astype(np.float32)  # (points, seeds)
        x = np.tile(np.append(steps[shown], steps[-1]), len(seeds))  # (seeds * (points + 1),)
        traces.append(scatter(
            x=x, y=with_gaps(values), mode="lines", name=words[role], connectgaps=False,
            line={"color": colour, "width": 1.25, "dash": DASH[role]},
            customdata=np.repeat(seeds, len(shown) + 1), hovertemplate=f"{words['seed']} %{{customdata}}: %{{y:.3g}}",
        ))
        traces.append(scatter(
            x=np.full(len(seeds), steps[-1]), y=values[-1], mode="markers", showlegend=False,
            name=words[role], marker={"color": colour, "size": 8, "symbol": symbol}, hoverinfo="skip", cliponaxis=False,
        ))
    up = {"range": list(y_range)}
    if log:
        up = {"range": np.log10(y_range).tolist(), "type": "log", "dtick": 2, "exponentformat": "power"}
    dashed = {"color": NEUTRAL, "width": 1.5, "dash": "dash"}
    lines = {} if level is None else {"shapes": [across(level, dashed, layer="below")]}
    return figure(
        separators, traces, axis(words["x"], range=[-0.01 * last, 1.02 * last], tickvals=np.linspace(0, last, 5)),
        axis(words["y"], **up), height=300, **lines,
    )


def with_gaps(values: np.ndarray) -> np.ndarray:
    """Return all seeds' curves as one, (seeds * (points + 1),), with a gap after each: one line is quick to repaint."""
    return np.append(values, np.full_like(values[:1], np.nan), axis=0).T.ravel()
