"""Links of the menu, the formula and the rows of experiments: they lead on in the session, or in another tab."""

from pages.ui.classroom.plan import Step, write

HERE = "name => document.querySelector('.st-key-menu a[aria-current=page]')?.textContent === name"
SAYS = "text => document.querySelector('[data-testid=stMain]').innerText.includes(text)"


def test_the_menu_marks_the_page_at_hand_wherever_one_goes(visitor):
    tab = visitor().go("scaling", lang="en").until(HERE, "Why divide by √dₖ?")
    tab.click(".st-key-menu a >> text=Masking", HERE, "Masking")
    tab.click(".st-key-formula a >> text=output", HERE, "Query, key and value")
    tab.click(".st-key-menu a >> nth=0", HERE, "The formula as a map")
    assert tab.page.locator(".st-key-menu [aria-current]").count() == 1
    tab.healthy()


def test_an_experiment_opens_in_a_tab_of_its_own_with_what_is_set_here(visitor):
    tab = visitor().go("scaling", lang="id", seed="7")
    with tab.page.context.expect_page() as opened:
        tab.page.locator(".st-key-tries a >> nth=0").click(modifiers=["ControlOrMeta"])
    opened.value.wait_for_function("() => document.querySelector('.st-key-tries a')")
    assert "seed=7" in opened.value.url and "d_k=512" in opened.value.url and "lang=id" in opened.value.url
    assert tab.link == {"lang": "id", "seed": "7"}
    tab.healthy()


def test_what_is_typed_in_the_same_moment_stands(visitor):
    """A click takes the words out of the box, on a link that was drawn before they were typed."""
    tab = visitor().go("masking", lang="en")
    tab.page.locator(".st-key-masks [data-testid=stPopover] button").click()
    tab.page.locator("[data-testid=stPopoverBody] input[type=text]").fill("one two three")
    tab.page.evaluate("""() => { const link = document.querySelector('.st-key-tries a');
      document.activeElement.blur(); setTimeout(() => link.click(), 10); }""")
    tab.until("() => location.search.includes('mask=causal')").until(SAYS, "three")
    assert tab.link["words"] == "one two three" and tab.link["mask"] == "causal"
    tab.healthy()


def test_back_leads_from_an_experiment_to_what_was_before(visitor):
    tab = visitor().go("scaling", lang="en", seed="7")
    tab.click(".st-key-tries a >> nth=0", "() => location.search.includes('d_k=512')")
    tab.page.go_back()
    tab.until("() => !location.search.includes('d_k=512')")
    assert tab.link == {"lang": "en", "seed": "7"} and "0.9999" not in tab.text(".st-key-live")
    tab.healthy()


def test_on_a_phone_the_menu_closes_where_it_has_led(visitor):
    tab = visitor(width=390, height=844).go("scaling", lang="en")
    tab.page.locator("[data-testid=stExpandSidebarButton]").click()
    tab.click(".st-key-menu a >> text=Masking", "() => location.pathname === '/masking'")
    tab.page.locator("[data-testid=stExpandSidebarButton]").wait_for()
    assert tab.titles == ["Who may look at whom?"]
    tab.healthy()


def type_words(tab, words):
    """Type into a box without Enter: the next click takes them out of it."""
    tab.page.locator("[data-testid=stPopover] button").first.click()
    tab.page.locator("[data-testid=stPopoverBody] input[type=text]").fill(words)


def test_back_leads_to_the_experiment_that_was_left(visitor):
    """One click leaves one entry in the history."""
    tab = visitor().go("scaling", lang="en", d_k="300", seed="12")
    for link in (".st-key-menu a >> text=Masking", ".st-key-formula a >> text=mask", ".st-key-foot a >> text=PyTorch"):
        tab.click(link, "() => location.pathname !== '/scaling'")
        tab.page.go_back()
        tab.until("() => location.pathname === '/scaling'")
        assert tab.link == {"lang": "en", "d_k": "300", "seed": "12"}, link
        assert "12" in tab.text(".st-key-controls")
    tab.healthy()


def test_words_typed_before_a_link_to_another_page_go_along(visitor):
    tab = visitor().go("masking", lang="en")
    type_words(tab, "dogs chase red cats")
    tab.click(".st-key-foot a >> text=PyTorch", "() => location.pathname === '/verification'")
    assert tab.link["example"] == "masking" and tab.link["words"] == "dogs chase red cats"
    tab.healthy()


def test_words_typed_before_the_next_step_break_nothing(visitor):
    plan = write([Step("masking", {}), Step("pipeline", {"step": "output"})])
    tab = visitor().go("masking", lang="en", plan=plan)
    type_words(tab, "dogs chase red cats")
    tab.click(".st-key-walk a", "() => location.pathname === '/pipeline'")
    assert (tab.link["at"], tab.link["step"]) == ("2", "output")
    tab.healthy()


def test_no_question_is_passed_over_by_typing(visitor):
    plan = write([Step("scaling", {"predict": "raw"}, lock=("d_k",))])
    tab = visitor().go("masking", lang="en", plan=plan)
    type_words(tab, "one two three")
    tab.click(".st-key-menu a >> nth=3", "() => location.pathname === '/scaling'")
    assert tab.page.locator(".st-key-prediction").count() == 1 and tab.page.locator(".st-key-live").count() == 0
    tab.healthy()


def test_the_last_of_two_links_counts_also_where_the_first_waits(visitor):
    tab = visitor().go("masking", lang="en")
    type_words(tab, "one two three")
    tab.page.locator(".st-key-menu a >> text=Why divide").click()
    tab.page.locator(".st-key-menu a >> text=still learn").click()
    tab.until("() => location.pathname === '/learning'")
    tab.drawn(1500)
    assert tab.name == "learning"
    tab.healthy()
