"""The first request that a fresh server ever gets is a deep link: it opens as any other."""

import pytest

from pages.ui.contents import PAGES
from pages.ui.language import Language


@pytest.mark.parametrize("name", ["scaling", "questions"])  # a server each
def test_a_cold_deep_link_opens_its_page(visitor, new_server, title, full_link, name):
    link = {field: full_link[field] for field in PAGES[name].fields if field in full_link}
    with new_server() as server:
        tab = visitor(at=server).go(name, lang="id", **link)
        tab.healthy()
        assert tab.name == name and tab.link == {"lang": "id", **link}
        assert tab.titles == [title(name, Language("id"))] and tab.lang == "id"
        tab.page.close()
        assert server.faults() == []
