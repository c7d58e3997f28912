"""Long experiments wait for each other: the page says which place one has, in both languages, and lets one leave."""

import pytest

from pages.ui.bench import running
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import learning, turns

every_language = pytest.mark.parametrize("lang", LANGUAGES)
QUICK = {"train_d_k": "4", "train_rate": "high", "train_seeds": "3"}


@pytest.fixture(autouse=True)
def nobody_has_trained():
    learning.training.clear()


@pytest.fixture
def short(monkeypatch):
    """A battery of ten rows, two a turn."""
    every = running.cases
    monkeypatch.setattr(running, "cases", lambda n_random, seed: list(every(0, seed))[:10])
    monkeypatch.setattr(running, "SLICE", 2)


def place_of(page, _):
    """Which place the page says that it has; None where it says none."""
    said = [text for text in page.words("info") if _("“Stop” gives up the place.") in text or "**" in text]
    return int(said[0].split("**")[1]) if said else None


def reports(page):
    return len(page.state("watched_learning").reports)


@every_language
def test_a_second_training_waits_for_the_first_and_says_so(lab, lang):
    _ = Language(lang)
    first, second = (lab("learning", lang=lang, train_first=seed, **QUICK) for seed in ("0", "5"))
    for page in (first, second):
        page.press("start_learning")
    assert reports(first) > 1 and place_of(first, _) is None
    assert reports(second) == 1 and place_of(second, _) == 1, "not a step is worked while another has its turn"
    assert {button.key: button.label for button in second.app.button}["stop_learning"] == _("Stop")
    second.run()
    assert reports(second) == 1
    first.press("stop_learning")
    second.run()
    assert reports(second) > 1 and place_of(second, _) is None


def test_the_same_training_is_shared_and_nobody_waits_for_it(lab):
    pages = [lab("learning", lang="en", **QUICK).press("start_learning") for _ in range(3)]
    assert [place_of(page, Language("en")) for page in pages] == [None] * 3
    assert turns.turns("training").watchers == 3


def test_one_who_closed_the_tab_holds_nobody_up(lab, monkeypatch):
    first, second = (lab("learning", lang="en", train_first=seed, **QUICK) for seed in ("0", "5"))
    first.press("start_learning")
    second.press("start_learning")
    assert reports(second) == 1
    now = turns.time.monotonic() + turns.PATIENCE + 1
    monkeypatch.setattr(turns.turns("training"), "_clock", lambda: now)
    before = reports(first)
    second.run()
    assert reports(second) > 1 and reports(first) == before, "and what nobody watches stands still"


def test_a_finished_training_is_shown_to_all_at_once_however_long_the_queue(lab):
    done = lab("learning", lang="en", **QUICK).press("start_learning")
    for _ in range(200):
        if any(button.key == "start_learning" for button in done.app.button):
            break
        done.run()
    lab("learning", lang="en", train_first="5", **QUICK).press("start_learning")
    again = lab("learning", lang="en", **QUICK).press("start_learning")
    seen = reports(again)
    assert seen > 1 and place_of(again, Language("en")) is None
    assert reports(again.run()) > seen


@every_language
def test_a_second_battery_waits_for_the_first_and_can_leave(lab, short, lang):
    _ = Language(lang)
    first, second, third = (lab("verification", lang=lang, bench="battery") for _number in range(3))
    for page in (first, second, third):
        page.press("run_battery")
    assert [len(page.state("battery_run").rows) for page in (first, second, third)] == [2, 0, 0]
    assert [place_of(page, _) for page in (first, second, third)] == [None, 1, 2]
    second.press("stop_battery")
    assert place_of(third.run(), _) == 1 and place_of(second, _) is None
    for _number in range(5):
        first.run()
    assert len(first.state("battery_run").rows) == 10
    third.run()
    assert len(third.state("battery_run").rows) >= 2 and place_of(third, _) is None


def test_who_starts_again_and_again_goes_behind_the_others(lab, short):
    mine, other = (lab("verification", lang="en", bench="battery") for _ in range(2))
    mine.press("run_battery")
    other.press("run_battery")
    for _ in range(3):
        if any(button.key == "stop_battery" for button in mine.app.button):
            mine.press("stop_battery")
        mine.press("run_battery")
        assert place_of(mine, Language("en")) == 1 and turns.turns("battery").watchers == 2
    other.run()
    assert len(other.state("battery_run").rows) >= 2


def test_a_training_and_a_battery_do_not_wait_for_each_other(lab, short):
    lab("learning", lang="en", **QUICK).press("start_learning")
    page = lab("verification", lang="en", bench="battery").press("run_battery")
    assert len(page.state("battery_run").rows) == 2
