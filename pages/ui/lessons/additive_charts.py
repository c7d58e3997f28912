"""The charts of the additive lesson: weights as bars, costs over n, the largest weight of many seeds."""

from collections.abc import Mapping, Sequence

import numpy as np

from pages.ui.plot import Figure, axis, bars, figure, scatter, upright
from pages.ui.theme import NEUTRAL, RAW, SCALED, band_colour

ADDITIVE = "#8562C7"  # its own hue: none of a role; 3:1 on both papers
# form -> colour, marker, hatch: colour never speaks alone
LOOKS = {"raw": (RAW, "circle", ""), "scaled": (SCALED, "diamond", "."), "additive": (ADDITIVE, "square", "/")}
EDGES = np.linspace(0, 1, 21)


def weight_bars(weights: np.ndarray, keys: Sequence[str], words: Mapping[str, str], separators: str) -> Figure:
    """Draw the weights of every key side by side, one bar a form, from 0 to 1.

    Parameters
    ----------
    weights : (3, m) array
        One row a form, in the order of LOOKS.
    keys : sequence of str
        The names of the keys.
    words : mapping
        "raw", "scaled" and "additive" name the forms, "y" the axis.
    separators : str
        Plotly's decimal and group marks.
    """
    traces = []
    for (form, (colour, _, hatch)), row in zip(LOOKS.items(), weights, strict=True):
        marks = {"shape": hatch, "fillmode": "overlay", "fgcolor": "#FFFFFF", "size": 6, "solidity": 0.2}
        traces.append(bars(x=list(keys), y=row, name=words[form], marker={"color": colour, "pattern": marks}))
    return figure(separators, traces, axis(), axis(words["y"], range=[0, 1]), barmode="group", bargap=0.25)


def cost_over_tokens(
    counts: np.ndarray, costs: Mapping[str, np.ndarray], chosen: int, words: Mapping[str, str], separators: str
) -> Figure:
    """Draw multiplications (solid) and numbers held (dashed) of both forms over n, both axes logarithmic.

    Parameters
    ----------
    counts : (c,) array
        The values of n.
    costs : {"scaled", "additive"} -> (2, c) array
        Multiplications, then numbers held at once.
    chosen : int
        The n of the cursor.
    words : mapping
        "scaled", "additive", "scaled_held", "additive_held" name the lines, "x" and "y" the axes.
    separators : str
        Plotly's decimal and group marks.
    """
    traces = []
    for form, (made, held) in costs.items():
        colour, symbol, _ = LOOKS[form]
        for values, name, dash in ((made, words[form], "solid"), (held, words[f"{form}_held"], "dash")):
            traces.append(scatter(
                x=counts, y=values, name=name, mode="lines+markers", line={"color": colour, "width": 2.5, "dash": dash},
                marker={"color": colour, "size": 7, "symbol": symbol},
            ))
    ends = np.log10([counts[0], counts[-1]])
    return figure(
        separators, traces,
        axis(words["x"], type="log", tickvals=counts[::2], range=[ends[0] - 0.05, ends[1] + 0.1]),
        axis(words["y"], type="log", dtick=2, exponentformat="power", range=[0, 11]),
        shapes=[upright(chosen, {"color": NEUTRAL, "width": 1.5}, layer="below")],
    )


def largest_histogram(
    largest: np.ndarray, here: np.ndarray, threshold: float, words: Mapping[str, str], separators: str
) -> Figure:
    """Draw how the largest weight of many seeds is distributed, by form; marks on the axis show the chosen seed.

    Parameters
    ----------
    largest : (3, n_seeds) array
        The largest weights, one row a form.
    here : (3,) array
        Those of the chosen seed.
    threshold : float
        From where a seed counts as saturated: a dashed line.
    words : mapping
        "raw", "scaled" and "additive" name the forms, "here" the marks, "x" and "y" the axes.
    separators : str
        Plotly's decimal and group marks.
    """
    traces = []
    centres = (EDGES[1:] + EDGES[:-1]) / 2
    for (form, (colour, _, _)), values in zip(LOOKS.items(), largest, strict=True):
        shares = np.histogram(values, EDGES)[0] / len(values)
        traces.append(scatter(
            x=centres, y=shares, name=words[form], line={"color": colour, "width": 2, "shape": "hvh"},
            fill="tozeroy", fillcolor=band_colour(colour, 0.2),
        ))
    colours, symbols, _ = zip(*LOOKS.values(), strict=True)
    traces.append(scatter(
        x=here, y=np.zeros(3), mode="markers", name=words["here"], cliponaxis=False,
        marker={"color": colours, "symbol": symbols, "size": 13, "line": {"color": NEUTRAL, "width": 1}},
    ))
    return figure(
        separators, traces, axis(words["x"], range=[0, 1]), axis(words["y"], range=[0, 1]),
        shapes=[upright(threshold, {"color": NEUTRAL, "width": 1.5, "dash": "dash"})],
    )
