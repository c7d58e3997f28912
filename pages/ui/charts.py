"""Curves and histograms: arrays and words in, a Plotly figure out. No page state, no number format of its own."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go

from pages.ui.theme import NEUTRAL, RAW, SCALED, band_colour, figure

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
) -> go.Figure:
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
    picture = figure(separators)
    wanted = np.append(np.geomspace(1, widths[-1] - 0.5, 160), min(chosen, widths[-1]))
    shown = np.unique(np.searchsorted(widths, wanted))
    for role, colour, symbol in ROLES:
        if f"{role}_line" in words:
            add_line(picture, widths[shown], np.atleast_2d(lines[role])[:, shown], colour, words[f"{role}_line"])
        line = {"color": colour, "width": 2.5}
        picture.add_scatter(x=widths[shown], y=curves[role][shown], name=words[role], line=line)
        here = np.interp(np.log(chosen), np.log(widths), curves[role])
        mark = {"color": colour, "size": 12, "symbol": symbol}
        picture.add_scatter(x=[chosen], y=[here], mode="markers", showlegend=False, name=words[role], marker=mark)
    picture.add_vline(x=chosen, line={"color": NEUTRAL, "width": 1.5}, layer="below")
    whole = [-0.03, np.log10(widths[-1]) + 0.06]  # a little more, so that the tick labels at both ends are drawn
    picture.update_xaxes(type="log", tickvals=WIDTH_TICKS, range=whole, title_text="dₖ")
    picture.update_yaxes(title_text=words["y"], range=np.log10(y_range) if log else y_range)
    if log:
        picture.update_yaxes(type="log", dtick=1, exponentformat="none")
    return picture


def add_line(picture: go.Figure, x: np.ndarray, quantiles: np.ndarray, colour: str, name: str) -> None:
    """Add the dashed middle line and, where quantiles surround it, the bands of 90 % and 50 %."""
    middle = len(quantiles) // 2
    for low, opacity in ((0, 0.13), (1, 0.20)) if middle else ():
        edge = {"mode": "lines", "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
        picture.add_scatter(x=x, y=quantiles[low], **edge)
        picture.add_scatter(x=x, y=quantiles[-1 - low], fill="tonexty", fillcolor=band_colour(colour, opacity), **edge)
    picture.add_scatter(x=x, y=quantiles[middle], name=name, line={"color": colour, "width": 1.5, "dash": "dash"})


def histogram(
    raw: np.ndarray, scaled: np.ndarray, mean: float, variance: float, words: Mapping[str, str], separators: str
) -> go.Figure:
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
    picture = figure(separators)
    edges = np.linspace(-64, 64, 257)
    centres = (edges[1:] + edges[:-1]) / 2
    for (role, colour, _), values in zip(ROLES, (raw, scaled), strict=True):
        density = np.histogram(values, edges)[0] / (len(values) * np.diff(edges))
        picture.add_scatter(
            x=centres, y=density, name=words[role], line={"color": colour, "width": 1.5, "shape": "hvh"},
            fill="tozeroy", fillcolor=band_colour(colour, 0.25),
        )
    normal = np.exp(-((centres - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    dashed = {"color": NEUTRAL, "width": 2.5, "dash": "dash"}
    picture.add_scatter(x=centres, y=normal, name=words["normal"], line=dashed)
    picture.update_xaxes(range=[-64, 64], tickvals=[-64, -32, 0, 32, 64], title_text=words["x"])
    picture.update_yaxes(range=[0, 0.45], title_text=words["y"])
    return picture


def hull_picture(
    points: np.ndarray, corners: np.ndarray, output: np.ndarray, names: Sequence[str], words: Mapping[str, str],
    separators: str,
) -> go.Figure:
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
    picture = figure(separators)
    around = points[np.append(corners, corners[:1])]  # (c + 1, 2)
    picture.add_scatter(
        x=around[:, 0], y=around[:, 1], mode="lines", name=words["hull"], line={"color": NEUTRAL, "width": 1.5},
        fill="toself", fillcolor=band_colour(NEUTRAL, 0.15), hoverinfo="skip",
    )
    places: dict[tuple[float, float], list[str]] = {}
    corner, middle = set(map(tuple, around.tolist())), points[:, 1].mean()
    for point, name in zip(points.tolist(), names, strict=True):
        places.setdefault(tuple(point), []).append(escape(name))
    x, y = zip(*places, strict=True)
    sides = {True: "top center", False: "bottom center"}  # the name of a corner stands outside, others inside
    picture.add_scatter(
        x=x, y=y, mode="markers+text", name=words["values"], marker={"color": NEUTRAL, "size": 9}, cliponaxis=False,
        text=[", ".join(together) for together in places.values()], textfont_size=14,
        textposition=[sides[(at[1] >= middle) == (at in corner)] for at in places],
    )
    picture.add_scatter(
        x=output[:1], y=output[1:], mode="markers", name=words["output"],
        marker={"color": SCALED, "size": 14, "symbol": "diamond"},
    )
    for axis, low, high in zip("xy", points.min(axis=0), points.max(axis=0), strict=True):
        room = 0.15 * (high - low) or 0.5  # for the names of the outermost points
        picture.update_layout({f"{axis}axis": {"range": [low - room, high + room], "title_text": words[axis]}})
    return picture
