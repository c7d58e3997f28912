"""Your path: what was predicted, what came of it, and what is next."""

from pages.ui.classroom import path
from pages.ui.frame import show_page
from pages.ui.language import Language


def page(_: Language) -> None:
    """Draw the path."""
    path.show(_)


show_page("path", page, path.STYLESHEET)
