"""Keeps the live picture with its experiment as one HTML file that needs no server and no network."""

import json
from html import escape
from pathlib import Path

from pages.ui import theme
from pages.ui.language import Language

FOLDER = Path(__file__).parent
LAYOUT = """
html { color-scheme: light dark; background: var(--paper); }
body { margin: 0; padding: 1rem; font-family: "Source Sans 3", system-ui, sans-serif; color: var(--ink); }
main { max-width: 76rem; margin: auto; }
h1 { font-size: 1.75rem; margin: 0 0 0.5rem; }
.about { color: var(--muted); max-width: 75ch; }
"""


def keep_file(_: Language, experiment: dict, d_k: int, mean: float = 0.0, std: float = 1.0) -> str:
    """Return the whole file.

    Parameters
    ----------
    _ : Language
        The language of the file.
    experiment : dict
        What pages.ui.live.payload.payload returned.
    d_k : int
        Where the slider stands.
    mean, std : float
        Of the drawn components; the file's own description names them.
    """
    constants = experiment["constants"]
    title = _("Why divide by √dₖ?")
    about = _(
        "From the Attention lab: one query and {keys} keys, drawn with seed {seed} from a normal distribution "
        "(mean {mean}, standard deviation {std}); the scores are divided by {by}. Drag the slider. "
        "This file holds everything it shows: it needs no network.",
        keys=experiment["n_keys"], seed=constants["seed"], mean=_.number(mean, 1), std=_.number(std, 1),
        by=constants["by"],
    )
    data = in_script({**experiment, "chosen": {"d_k": d_k, "nth": 0}})
    return (
        f'<!doctype html>\n<html lang="{escape(_.lang)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{colours()}{LAYOUT}{part('saturation.css')}</style>\n</head>\n"
        f'<body>\n<main>\n<h1>{escape(title)}</h1>\n{part("saturation.html")}'
        f'<p class="about">{escape(about)}</p>\n</main>\n'
        f'<script type="application/json" id="experiment">{data}</script>\n'
        f'<script type="module">\n{part("saturation.js")}\n'
        'live({ parentElement: document, data: JSON.parse(document.getElementById("experiment").textContent) });\n'
        "</script>\n</body>\n</html>\n"
    )


def colours() -> str:
    """Return the colour roles as CSS variables, light, and dark where the reader's system is."""
    light, dark = (
        "".join(f"--{role}: {pair[scheme]}; " for role, pair in theme.COLOURS.items()) for scheme in (0, 1)
    )
    return f":root {{ {light}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}\n"


def part(name: str) -> str:
    """Return one of the element's own files."""
    return (FOLDER / name).read_text(encoding="utf-8")


def in_script(data: dict) -> str:
    """Write data as JSON that cannot end the script element around it."""
    return json.dumps(data, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
