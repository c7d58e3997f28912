"""What every first-time visitor does: open a page, follow a link, and only then touch a control."""

import pytest

from pages.ui.contents import PAGES

AT = "path => location.pathname === path"
FIRST_TOUCH = {
    "qkv": (".st-key-token [role=radio] >> nth=0", "() => location.search.includes('token=ikan')"),
    "scaling": (".st-key-another_seed button", "() => location.search.includes('seed=389')"),
    "masking": (".st-key-mask [role=radio] >> nth=1", "() => location.search.includes('mask=causal')"),
    "verification": (".st-key-example [role=radio] >> nth=1", "() => location.search.includes('example=ikan_makan')"),
}


def follow(tab, name):
    """Take the menu's link to a page."""
    link = f".st-key-menu a >> nth={list(PAGES).index(name)}"
    tab.click(link, AT, f"/{name}")


@pytest.mark.parametrize("name", FIRST_TOUCH)
def test_the_first_control_after_a_page_change_works(visitor, name):
    tab = visitor().go("home", lang="id")
    follow(tab, name)
    before = tab.link
    tab.click(*FIRST_TOUCH[name])
    assert tab.link.keys() - before.keys() and tab.link["lang"] == "id" == tab.lang
    tab.healthy()
    back = "masking" if name != "masking" else "qkv"
    follow(tab, back)
    tab.click(*FIRST_TOUCH[back])
    assert tab.lang == "id"
    tab.healthy()
