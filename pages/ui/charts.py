"""Curves and histograms: arrays and words in, a described figure out. No page state, no number format of its own."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from pages.ui.plot import Figure, axis, figure, scatter, upright
from pages.ui.theme import NEUTRAL, RAW, SCALED, band_colour

WIDTH_TICKS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
ROLES = (("raw", RAW, "circle"), ("scaled", SCALED, "diamond"))


def over_width(
    curves: Mapping[str, np.ndarray],
    lines: Mapping[str, np.ndarray],
    widths: np.ndarray,
    chosen: int,
    words: Mapping[str, str],
    separators: str,
    y_range: tuple[float, float],
    log: bool = False,
) -> Figure:
    """Draw curves over d_k on a log2 axis, with a cursor at the chosen d_k.

    Parameters
    ----------
    curves : {"raw", "scaled"} -> (n_widths,) array
        The full lines, with a mark at the chosen d_k.
    lines : {"raw", "scaled"} -> (n_widths,) or (5, n_widths) array
        The dashed lines to hold them against; five rows are the quantiles 5, 25, 50, 75, 95 %, drawn as bands.
    widths : (n_widths,) array
        The values of d_k.
    chosen : int
        The d_k of the cursor.
    words : mapping
        "raw", "scaled" name the curves, "raw_line", "scaled_line" the dashed lines (leave one out to draw none), "y"
        the axis.
    separators : str
        Plotly's decimal and group marks.
    y_range : pair of float
        The axis, fixed so that growth is visible.
    log : bool, default False
        Whether the axis is logarithmic.
    """
    traces = []
    wanted = np.append(np.geomspace(1, widths[-1] - 0.5, 160), min(chosen, widths[-1]))
    shown = np.unique(np.searchsorted(widths, wanted))
    for role, colour, symbol in ROLES:
        if f"{role}_line" in words:
            line = np.atleast_2d(lines[role])[:, shown]
            traces += line_with_bands(widths[shown], line, colour, words[f"{role}_line"])
        line = {"color": colour, "width": 2.5}
        traces.append(scatter(x=widths[shown], y=curves[role][shown], name=words[role], line=line))
        here = np.interp(np.log(chosen), np.log(widths), curves[role])
        mark = {"color": colour, "size": 12, "symbol": symbol}
        traces.append(scatter(x=[chosen], y=[here], mode="markers", showlegend=False, name=words[role], marker=mark))
    whole = [-0.03, np.log10(widths[-1]) + 0.06]  # a little more, so that the tick labels at both ends are drawn
    up = {"range": list(y_range)}
    if log:
        up = {"range": np.log10(y_range).tolist(), "type": "log", "dtick": 1, "exponentformat": "none"}
    return figure(
        separators, traces, axis("dₖ", type="log", tickvals=WIDTH_TICKS, range=whole), axis(words["y"], **up),
        shapes=[upright(chosen, {"color": NEUTRAL, "width": 1.5}, layer="below")],
    )


def line_with_bands(x: np.ndarray, quantiles: np.ndarray, colour: str, name: str) -> list[dict]:
    """Describe the dashed middle line and, where quantiles surround it, the bands of 90 % and 50 %."""
    middle, traces = len(quantiles) // 2, []
    edges = quantiles.astype(np.float32)  # seen, but never read as numbers
    for low, opacity in ((0, 0.13), (1, 0.20)) if middle else ():
        edge = {"mode": "lines", "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
        traces.append(scatter(x=x, y=edges[low], **edge))
        fill = {"fill": "tonexty", "fillcolor": band_colour(colour, opacity)}
        traces.append(scatter(x=x, y=edges[-1 - low], **fill, **edge))
    dashed = {"color": colour, "width": 1.5, "dash": "dash"}
    return [*traces, scatter(x=x, y=quantiles[middle], name=name, line=dashed)]


def histogram(
    raw: np.ndarray, scaled: np.ndarray, mean: float, variance: float, words: Mapping[str, str], separators: str
) -> Figure:
    """Draw how dot products are distributed, raw and scaled, on one fixed axis, with the normal curve of the theory.

    Parameters
    ----------
    raw, scaled : (count,) arrays
        The same dot products, not divided and divided.
    mean, variance : float
        Of the raw dot products, by theory.
    words : mapping
        "raw", "scaled", "normal", "x" and "y".
    separators : str
        Plotly's decimal and group marks.
    """
    traces, edges = [], np.linspace(-64, 64, 257)
    centres = (edges[1:] + edges[:-1]) / 2
    places = {"x0": centres[0], "dx": centres[1] - centres[0]}  # evenly spaced: two numbers instead of 256
    for (role, colour, _), values in zip(ROLES, (raw, scaled), strict=True):
        density = np.histogram(values, edges)[0] / (len(values) * np.diff(edges))
        traces.append(scatter(
            **places, y=density, name=words[role], line={"color": colour, "width": 1.5, "shape": "hvh"},
            fill="tozeroy", fillcolor=band_colour(colour, 0.25),
        ))
    normal = np.exp(-((centres - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    dashed = {"color": NEUTRAL, "width": 2.5, "dash": "dash"}
    traces.append(scatter(**places, y=normal, name=words["normal"], line=dashed))
    return figure(
        separators, traces, axis(words["x"], range=[-64, 64], tickvals=[-64, -32, 0, 32, 64]),
        axis(words["y"], range=[0, 0.45]),
    )


def hull_picture(
    points: np.ndarray, corners: np.ndarray, output: np.ndarray, names: Sequence[str], words: Mapping[str, str],
    separators: str,
) -> Figure:
    """Draw values as named points in a plane, their outline, and an output among them as a diamond.

    Parameters
    ----------
    points : (n, 2) array
        Values, in two of their dimensions.
    corners : (c,) array of int
        The rows of `points` on their outline, in order.
    output : (2,) array
        The same two dimensions of the output.
    names : sequence of str
        Of the points; where several points coincide, their names share a label. They are escaped.
    words : mapping
        "values", "hull", "output", "x" and "y".
    separators : str
        Plotly's decimal and group marks.
    """
    around = points[np.append(corners, corners[:1])]  # (c + 1, 2)
    outline = scatter(
        x=around[:, 0], y=around[:, 1], mode="lines", name=words["hull"], line={"color": NEUTRAL, "width": 1.5},
        fill="toself", fillcolor=band_colour(NEUTRAL, 0.15), hoverinfo="skip",
    )
    places: dict[tuple[float, float], list[str]] = {}
    corner, middle = set(map(tuple, around.tolist())), points[:, 1].mean()
    for point, name in zip(points.tolist(), names, strict=True):
        places.setdefault(tuple(point), []).append(escape(name))
    x, y = zip(*places, strict=True)
    sides = {True: "top center", False: "bottom center"}  # the name of a corner stands outside, others inside
    values = scatter(
        x=x, y=y, mode="markers+text", name=words["values"], marker={"color": NEUTRAL, "size": 9}, cliponaxis=False,
        text=[", ".join(together) for together in places.values()], textfont={"size": 14},
        textposition=[sides[(at[1] >= middle) == (at in corner)] for at in places],
    )
    diamond = {"color": SCALED, "size": 14, "symbol": "diamond"}
    mark = scatter(x=output[:1], y=output[1:], mode="markers", name=words["output"], marker=diamond)
    axes = []
    for name, low, high in zip("xy", points.min(axis=0), points.max(axis=0), strict=True):
        room = 0.15 * (high - low) or 0.5  # for the names of the outermost points
        axes.append(axis(words[name], range=[low - room, high + room]))
    return figure(separators, [outline, values, mark], *axes)
