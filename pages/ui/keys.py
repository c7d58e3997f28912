"""The picture of softmax saturation: one row a key, its scores on one fixed axis, its weights as bars from 0 to 1.

Two HTML tables that share their rows, so the picture stands before any chart library arrives and every figure is text.
"""

from dataclasses import dataclass
from html import escape

import numpy as np

from attention_core.saturation import Saturation
from pages.ui.language import Language

SCORE_AXIS = 64.0  # fixed for every seed and width, so that growth is visible
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, eq=False)
class Side:
    """What softmax makes of the scores at one d_k, divided or not: one entry a key in every array."""

    scores: np.ndarray
    weights: np.ndarray
    spread: float
    largest: float
    entropy: float

    @property
    def winner(self) -> int:
        """Position of the key with the largest weight."""
        return int(np.argmax(self.weights))

    @property
    def rest(self) -> float:
        """What all other keys share."""
        return float(np.delete(self.weights, self.winner).sum())

    @property
    def smallest(self) -> float:
        """The weight that no key falls below."""
        return float(self.weights.min())


def sides_at(experiment: Saturation, d_k: int) -> tuple[Side, Side]:
    """Take both sides of the experiment at one d_k: not divided, and divided."""
    at = d_k - 1
    raw = (
        experiment.scores, experiment.weights_raw, experiment.spread_raw,
        experiment.largest_raw, experiment.entropy_raw,
    )
    scaled = (
        experiment.scaled, experiment.weights_scaled, experiment.spread_scaled,
        experiment.largest_scaled, experiment.entropy_scaled,
    )
    return Side(*(array[at] for array in raw)), Side(*(array[at] for array in scaled))


def key_name(index: int) -> str:
    """Name the key at a position: k₁, k₂, ..."""
    return f"k{str(index + 1).translate(SUBSCRIPT)}"


def keys_picture(_: Language, raw: Side, scaled: Side, expected: float) -> str:
    """Return both tables; `expected` is the spread that the theory gives the raw scores, sqrt(d_k)."""
    largest = raw.winner
    label = escape(_("Scores and weights of every key"))
    return (
        f'<div class="lab-keys-pair" data-testid="keys-picture" tabindex="0" role="region" aria-label="{label}">'
        f"{scores_table(_, raw, scaled, expected, largest)}{weights_table(_, raw, scaled, largest)}</div>"
    )


def scores_table(_: Language, raw: Side, scaled: Side, expected: float, largest: int) -> str:
    """Return the left table: both scores of every key as marks on one axis, and as figures."""
    not_divided, divided = _("not divided"), _("divided")
    legend = (
        f'<span class="raw"><i class="dot r"></i>{not_divided}</span> '
        f'<span class="scaled"><i class="dot s"></i>{divided}</span>'
    )
    raw_spread, scaled_spread = bold(_.number(raw.spread, 2), "raw"), bold(_.number(scaled.spread, 2), "scaled")
    spread = _(
        "spread {raw} → {scaled} (expected {expected} → 1, shaded)",
        raw=raw_spread, scaled=scaled_spread, expected=_.short(expected),
    )
    body = "".join(
        table_row(
            j, largest,
            f'<td class="strip">{mark(raw.scores[j], "r")}{mark(scaled.scores[j], "s")}</td>'
            f'<td class="figure raw">{_.number(raw.scores[j], 2)}</td>'
            f'<td class="figure scaled">{_.number(scaled.scores[j], 2)}</td>',
        )
        for j in range(len(raw.scores))
    )
    shades = f"--raw-spread: {min(expected / SCORE_AXIS, 1):.4f}; --scaled-spread: {1 / SCORE_AXIS:.4f}"
    title = _("Scores <i>q·k</i>")
    head = (
        f'<th scope="col">{title}<small>{spread}</small><small>{legend}</small></th>'
        f'<th scope="col" class="figure raw">q·k</th><th scope="col" class="figure scaled">÷ √dₖ</th>'
    )
    ticks = axis_ticks([(x / 2 + 0.5, _.number(x * SCORE_AXIS, 0)) for x in (-1, -0.5, 0, 0.5, 1)], after=2)
    return table("scores", shades, ("strip-column", "figure-column", "figure-column"), head, body, ticks)


def weights_table(_: Language, raw: Side, scaled: Side, largest: int) -> str:
    """Return the right table: the weights of every key without and with division, as bars and as figures."""
    body = "".join(
        table_row(
            j, largest,
            "".join(
                f'<td class="track"><span class="bar {kind}" style="--t: {row.weights[j]:.4f}"></span></td>'
                f'<td class="figure {"" if row.weights[j] >= 0.00005 else "small"}">{_.weight(row.weights[j])}</td>'
                for kind, row in (("r", raw), ("s", scaled))
            ),
        )
        for j in range(len(raw.weights))
    )
    top = np.log(len(raw.weights))
    head = ""
    for css, title, row in (
        ("raw", _("Weights, not divided"), raw),
        ("scaled", _("Weights, divided by √dₖ"), scaled),
    ):
        largest_weight = _("largest {weight}", weight=bold(_.weight(row.largest), css))
        entropy = _("entropy {entropy} of {top}", entropy=_.number(row.entropy, 2), top=_.number(top, 2))
        head += (
            f'<th scope="colgroup" colspan="2" class="{css}">{title}'
            f"<small>{largest_weight}</small><small>{entropy}</small></th>"
        )
    half = [(x, _.number(x, 1 if x == 0.5 else 0)) for x in (0, 0.5, 1)]
    ticks = axis_ticks(half, after=1) + axis_ticks(half, after=1)
    return table("weights", "", ("", "figure-column", "", "figure-column"), head, body, ticks)


def table(name: str, style: str, columns: tuple[str, ...], head: str, body: str, ticks: str) -> str:
    """Return one of the two tables."""
    widths = "".join(f'<col class="{column}">' for column in columns)
    return (
        f'<table class="lab-keys {name}" data-testid="keys-{name}" style="{style}">'
        f'<colgroup><col class="index">{widths}'
        f'</colgroup><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>'
        f'<tfoot aria-hidden="true"><tr class="ticks"><td class="none"></td>{ticks}</tr></tfoot></table>'
    )


def table_row(index: int, largest: int, cells: str) -> str:
    """Return one key's row; the row of the largest raw weight stands out."""
    here = ' class="here"' if index == largest else ""
    return f'<tr{here}><th scope="row">{key_name(index)}</th>{cells}</tr>'


def bold(figure: str, css: str) -> str:
    """Return a figure in the colour of its side."""
    return f'<b class="{css}">{figure}</b>'


def mark(score: float, kind: str) -> str:
    """Return a score's mark; beyond the axis it becomes an arrow at the edge."""
    share = float(np.clip(score / SCORE_AXIS, -1, 1))
    beyond = "" if abs(score) <= SCORE_AXIS else " beyond left" if score < 0 else " beyond"
    return f'<span class="mark {kind}{beyond}" style="--x: {share:.4f}"></span>'


def axis_ticks(ticks: list[tuple[float, str]], after: int) -> str:
    """Return the cell under an axis with its ticks, then `after` empty cells under the figures."""
    labels = "".join(f'<span style="--x: {x}">{text}</span>' for x, text in ticks)
    return f"<td>{labels}</td>" + '<td class="none"></td>' * after
