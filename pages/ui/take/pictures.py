"""The list of every table and picture of a page as files: made in the browser from what is drawn, when asked for."""

from pathlib import Path

import streamlit as st

from pages.ui.language import Language

FOLDER = Path(__file__).parent
HTML = '<div class="lab-take"><p></p><ul></ul><p role="status"></p></div>'

PICTURES = st.components.v2.component(
    "attention_lab.pictures",
    html=HTML,
    css=(FOLDER / "pictures.css").read_text(encoding="utf-8"),
    js="\n".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in ("numbers", "drawn", "pictures")),
    isolate_styles=False,  # it draws the page's own tables, and shares their colours
)


def pictures_home(_: Language, page_name: str) -> None:
    """List what can be taken home: CSV of tables and charts, LaTeX of matrices, SVG and PNG of all.

    Parameters
    ----------
    page_name : str
        What the files' names begin with: a key of PAGES.
    """
    PICTURES(key="take_pictures", data={"page": page_name, "words": words(_)})


def words(_: Language) -> dict[str, str]:
    """Return every text of the list; what stands in braces is filled in the browser."""
    return {
        "mark": _.decimal_symbol,
        "note": _("Every table and picture as it is drawn now. CSV files have a comma between cells, a point as "
                  "decimal mark and all digits."),
        "nothing": _("The page shows no table and no picture now."),
        "copy": _("Copy LaTeX"),
        "copied": _("Copied: {name}"),
        "saved": _("Saved: {name}"),
        "failed": _("Your browser could not make this file: {name}"),
        "table": _("Table"),
        "picture": _("Picture"),
        "live": _("The picture over dₖ"),
        "curve": _("curve"),
        "name": _("name"),
    }
