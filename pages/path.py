"""Your path: what was predicted, what came of it, and what is next."""

from pages.ui.classroom import path
from pages.ui.frame import close_page, open_page

_ = open_page("path")
path.show(_)
close_page(_, "path")
