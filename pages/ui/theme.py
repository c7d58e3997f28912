"""The look in one place: colour roles for light and dark, the CSS variables made of them."""

import re
from functools import cache
from pathlib import Path

# role -> (on light, on dark). tests/ui/test_theme.py measures every pair's contrast.
COLOURS = {
    "paper": ("#FFFFFF", "#0E1117"),
    "panel": ("#F4F5F8", "#171B25"),
    "row": ("#F0F1F5", "#1F2531"),
    "ink": ("#22242E", "#F4F5F7"),
    "muted": ("#565A69", "#B3B8C6"),
    "axis": ("#8A8F9E", "#7C8394"),
    "grid": ("#E4E6EC", "#262B37"),
    "primary": ("#3C4468", "#B4BCE0"),
    "tint": ("#E9EBF4", "#2A3046"),
    "raw": ("#D55E00", "#F08A3C"),
    "raw-text": ("#A84600", "#F6A566"),
    "scaled": ("#0072B2", "#56B4E9"),
    "scaled-text": ("#00639C", "#7CC6F0"),
    "query": ("#9C3D78", "#E39AC6"),
    "key": ("#00745A", "#3CC79C"),
    "value": ("#7A5D00", "#E3C04A"),
    # verdicts, always with a mark and a word
    "right": ("#00664F", "#3CC79C"),
    "wrong": ("#A3221B", "#FF8A80"),
    # ends of the cell scales: a cell mixes at most CELL_MIX of them into the paper
    "negative": ("#C98A3C", "#A8691A"),
    "positive": ("#1E9A8C", "#12796E"),
    "weight": ("#0072B2", "#0B6BA3"),
}
CELL_MIX = 0.72

# Marks that keep 3:1 on both papers, so that a chart need not know the scheme.
RAW, SCALED, NEUTRAL = "#D55E00", "#0072B2", "#7C8394"
STYLESHEET = Path(__file__).with_name("lab.css")


@cache
def stylesheet(*more: Path) -> str:
    """Return the lab's style element: the colour roles as CSS variables, lab.css, and what a page has of its own."""
    roles = "".join(f"--{role}: light-dark({light}, {dark}); " for role, (light, dark) in COLOURS.items())
    rules = packed("".join(path.read_text() for path in (STYLESHEET, *more)))
    return f"<style>.stApp {{ {roles}--cell-mix: {CELL_MIX:.0%}; }}\n{rules}</style>"


def packed(css: str) -> str:
    """Return a stylesheet on one line without comments: Streamlit looks at every line of it in every rerun."""
    return " ".join(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL).split())


def band_colour(colour: str, opacity: float) -> str:
    """Return a mark's colour as the fill of a band."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"
