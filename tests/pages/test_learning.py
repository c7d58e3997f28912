"""The learning lesson: starts, goes on, stops, ends; says what the core computed; one run serves all sessions."""

import re
import threading

import numpy as np
import pytest

from attention_core.training import LEARNT, train
from attention_core.ways import ablation, scaled_and_not
from pages.ui import charts
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import learning, learning_blame, learning_charts, runs
from pages.ui.lessons.learning import RATES, Setting
from tests.received import validated

every_language = pytest.mark.parametrize("lang", LANGUAGES)
QUICK = {"train_d_k": "4", "train_rate": "high", "train_seeds": "3"}
WAYS = {False: scaled_and_not, True: lambda d_k: ablation(d_k, "sgd")}


@pytest.fixture(autouse=True)
def nobody_has_trained():
    """No run of another test is there already."""
    learning.training.clear()


def computed(d_k=4, rate=1.0, count=3, first=0, apart=False):
    """The run of a setting, by the core."""
    return list(train(d_k, WAYS[apart](d_k), range(first, first + count), "sgd", rate, 400))


def to_the_end(page, name="learning", at_most=200):
    """Every run of the script is another slice of work, as every tick is in a browser."""
    page.press(f"start_{name}")
    for _ in range(at_most):
        if all(button.key != f"stop_{name}" for button in page.app.button):
            return page
        page.run()
    raise AssertionError("the run never ends")


def first_at(reports, way):
    """The first reported step at which each seed has learnt; None where there is none."""
    learnt = np.array([report.accuracy[way] for report in reports]) >= LEARNT
    return [reports[i].step if learnt[i, s] else None for s, i in enumerate(learnt.argmax(axis=0))]


def labels(page):
    return {button.key: button.label for button in page.app.button}


def cells(page, name):
    """The table of findings, row by row."""
    found = re.search(rf'data-testid="bench-{name}".*?<tbody>(.*?)</tbody>', page.html, re.DOTALL)[1]
    rows = re.findall(r"<tr.*?</tr>", found, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]


def says(page, text):
    return " ".join(text.replace("**", "").split()) in " ".join(page.says.split())


# what a visitor sees first


@every_language
def test_an_opened_page_shows_how_saturated_both_start(lab, lang):
    page, _ = lab("learning", lang=lang), Language(lang)
    start = computed(256, 0.1, 10)[0]
    scaled, raw = (_.weight(value, 2) for value in start.largest.mean(axis=-1))
    assert labels(page)["start_learning"] == _("Start") and "stop_learning" not in labels(page)
    assert f"**{scaled}**" in "".join(page.words("markdown")) and f"**{raw}**" in "".join(page.words("markdown"))
    assert [row[1] for row in cells(page, "learning")] == [_.percent(share, 1) for share in start.accuracy[0]]
    assert {row[3] for row in cells(page, "learning")} == {_("never yet")}


def test_opening_the_page_trains_nothing(lab):
    page = lab("learning")
    for _ in range(3):
        page.run()
    assert len(learning.run_of(Setting(256, "sgd", 0.1, 400, tuple(range(10)))).reports) == 1


# a run


@every_language
def test_a_finished_run_says_what_the_core_computed(lab, lang):
    page, _ = to_the_end(lab("learning", lang=lang, **QUICK)), Language(lang)
    reports = computed()
    for way, column in ((0, 1), (1, 4)):
        rows = [row[column: column + 3] for row in cells(page, "learning")]
        assert rows == [
            [_.percent(reports[-1].accuracy[way, i], 1), _.number(reports[-1].loss[way, i], 3), str(step)]
            for i, step in enumerate(first_at(reports, way))
        ]
    assert labels(page)["start_learning"] == _("Play again")


@every_language
def test_a_wide_run_names_the_seeds_that_made_it(lab, lang):
    page = to_the_end(lab("learning", lang=lang, train_seeds="4"))
    _, reports = Language(lang), computed(256, 0.1, 4)
    made = [str(seed) for seed, step in enumerate(first_at(reports, 1)) if step is not None]
    assert 0 < len(made) < 4
    assert says(page, _("The seeds that made it without the division: {seeds}.", seeds=", ".join(made)))
    assert says(page, _(
        "By step {step}, **{scaled} of {n}** seeds have reached {learnt} right answers with the division ({share}), "
        "**{raw} of {n}** without it ({share_raw}).", step=400, n=4, learnt=_.percent(LEARNT), scaled=4,
        share=_.percent(1), raw=len(made), share_raw=_.percent(len(made) / 4),
    ))


def test_a_stop_stays_where_it_is_and_goes_on_from_there(lab):
    page = lab("learning", **QUICK)
    page.press("start_learning")
    page.run()
    page.press("stop_learning")
    stopped = re.search(r"By step (\d+)", page.says)[1]
    assert 0 < int(stopped) < 400
    page.run()
    assert re.search(r"By step (\d+)", page.says)[1] == stopped and labels(page)["start_learning"] == "Go on"
    page.press("start_learning")
    assert int(re.search(r"By step (\d+)", page.says)[1]) > int(stopped)


def test_another_setting_starts_anew_and_a_link_restores_the_setting_alone(lab):
    page = to_the_end(lab("learning", **QUICK))
    page.choose("train_d_k", "16")
    assert labels(page)["start_learning"] == "Start" and page.link["train_d_k"] == "16"
    assert not any(name.startswith("watched") for name in page.link)


def test_a_finished_run_serves_every_session_at_once(lab):
    to_the_end(lab("learning", **QUICK))
    other = lab("learning", **QUICK)
    assert says(other, "By step 400") and labels(other)["start_learning"] == "Play again"


def test_a_run_can_be_watched_again_from_its_beginning(lab):
    page = to_the_end(lab("learning", **QUICK))
    page.press("start_learning")
    assert int(re.search(r"By step (\d+)", page.says)[1]) < 400
    assert labels(page)["stop_learning"] == "Stop"


def test_the_language_can_change_while_a_run_is_on(lab):
    page = lab("learning", **QUICK)
    page.press("start_learning")
    page.choose("lang", "id")
    assert labels(page)["stop_learning"] == Language("id")("Stop")


@every_language
@pytest.mark.parametrize("measure", learning.MEASURE)
def test_each_measure_can_be_drawn_and_said(lab, lang, measure):
    page, _ = lab("learning", lang=lang, train_left=measure, train_right=measure, **QUICK), Language(lang)
    assert f"**{_(learning.MEASURE[measure][1])}**" in page.words("markdown")
    assert len(page.app.get("plotly_chart")) == 2


@pytest.mark.parametrize("number", range(5))
def test_a_try_sets_an_experiment_that_opens(lab, number):
    page = lab("learning")
    page.try_out(number)
    assert page.link.keys() & {"train_d_k", "train_rate", "train_steps", "train_optimizer", "train_right"}


# what is to blame


@every_language
def test_the_ablation_shows_the_cores_counts(lab, lang):
    page, _ = to_the_end(lab("learning", lang=lang, **QUICK), "blame"), Language(lang)
    reports = computed(apart=True)
    loss = np.array([report.loss for report in reports])
    for i, row in enumerate(cells(page, "blame")):
        reached = sum(step is not None for step in first_at(reports, i))
        apart = np.abs(loss[:, i] - loss[:, 0]).max()
        assert row[1] == _.weight(reports[0].largest[i].mean(), 2) and row[2] == f"{reached} / 3"
        assert row[3] == _.percent(reports[-1].accuracy[i].mean(), 1)
        assert row[4] == learning_blame.size_of(_, apart)


def test_the_ablation_claims_equality_only_where_no_digit_differs(lab):
    exact = to_the_end(lab("learning", train_d_k="16", train_rate="high", train_seeds="1"), "blame")
    assert cells(exact, "blame")[3][4] == "0" and says(exact, "to the last digit")
    near = to_the_end(lab("learning", train_d_k="64", train_rate="high", train_seeds="1"), "blame")
    assert cells(near, "blame")[3][4] != "0" and not says(near, "to the last digit")


@pytest.mark.parametrize(
    ("counts", "starts"),
    [
        ((10, 2, 9, 10, 0), "The saturated start is to blame"),
        ((10, 1, 3, 10, 6), "Here the start is not all of it"),
        ((10, 10, 10, 10, 1), "At this setting nothing"),
        ((10, 9, 10, 10, 10), "At this setting nothing"),
        ((0, 0, 0, 0, 0), "At this setting nothing"),
    ],
)
def test_the_verdict_claims_no_more_than_the_counts_show(counts, starts):
    assert learning_blame.verdict(Language("en"), 10, *counts).startswith(starts)


# the machinery: slices


def slow(reports, seconds):
    """Reports that each cost so much of this thread's time."""
    for report in range(reports):
        start = runs.time.thread_time()
        while runs.time.thread_time() - start < seconds:
            pass
        yield report


def test_a_slice_of_work_keeps_to_its_time():
    run = runs.Run(slow(100, 0.01))
    start = runs.time.thread_time()
    run.go_on(0.05)
    assert runs.time.thread_time() - start < 0.065 and 2 <= len(run.reports) <= 6


def test_a_report_that_costs_more_than_a_slice_still_comes():
    run = runs.Run(slow(3, 0.03))
    run.go_on(0.001)
    assert run.reports == [0, 1]


def test_a_run_ends_and_lets_go_of_what_it_needed():
    run = runs.Run(slow(3, 0))
    run.go_on(1)
    assert run.finished and run.reports == [0, 1, 2]
    run.go_on(1)
    assert run.reports == [0, 1, 2]


def test_two_sessions_never_work_on_one_run_at_once():
    """While one is at work the other returns at once, with what there is."""
    entered, leave = threading.Event(), threading.Event()

    def reports():
        yield 0
        entered.set()
        assert leave.wait(10)
        yield 1

    run = runs.Run(reports())
    worker = threading.Thread(target=run.go_on, args=(0,))
    worker.start()
    assert entered.wait(10)
    run.go_on(1)
    assert run.reports == [0]
    leave.set()
    worker.join()
    assert run.reports == [0, 1]


def test_a_run_that_had_to_start_again_never_takes_back_what_was_seen():
    watch = runs.go_on(runs.Watch("x", tuple(range(50)), runs.Run(slow(60, 0.05))))
    assert watch.reports == tuple(range(50)) and watch.run is not None


# the picture


def figure(reports, log=False):
    steps = np.array([report.step for report in reports])
    scaled, raw = np.array([report.loss for report in reports]).transpose(1, 0, 2)
    words = {"raw": "r", "scaled": "s", "seed": "seed", "x": "x", "y": ""}
    curves = {"raw": raw, "scaled": scaled}
    return validated(learning_charts.over_steps(steps, curves, range(3), 400, words, ",.", (0.1, 10), log))


@pytest.mark.parametrize("cut", [1, 2, 30, 81])
def test_every_seed_has_its_own_curve_and_none_is_hidden(cut):
    reports = computed()[:cut]
    for role, way in (("s", 0), ("r", 1)):
        line, = [t for t in figure(reports).data if t.name == role and t.mode == "lines"]
        breaks = np.flatnonzero(np.isnan(line.y))
        assert len(breaks) == 3
        for seed, piece in enumerate(np.split(np.arange(len(line.y)), breaks[:-1] + 1)):
            at = [report for report in reports if report.step in line.x[piece]]
            drawn = line.y[piece][:-1]
            assert np.allclose(drawn, [report.loss[way, seed] for report in at], rtol=1e-6)
            assert (line.customdata[piece] == seed).all()
            assert {0, reports[-1].step} <= set(line.x[piece].tolist())


def test_the_roles_differ_in_colour_dash_and_mark():
    lines = [t for t in figure(computed()).data if t.mode == "lines"]
    marks = [t for t in figure(computed()).data if t.mode == "markers"]
    assert len({t.line.dash for t in lines}) == len({t.line.color for t in lines}) == 2
    assert {t.line.color for t in lines} == {colour for _, colour, _ in charts.ROLES}
    assert len({t.marker.symbol for t in marks}) == 2


def test_the_axes_never_move():
    early, late = figure(computed()[:1]), figure(computed())
    assert early.layout.xaxis.range == late.layout.xaxis.range and early.layout.yaxis.range == late.layout.yaxis.range
    assert list(figure(computed(), log=True).layout.yaxis.range) == [-1, 1]


def test_a_phone_gets_few_points():
    line = next(t for t in figure(computed()).data if t.mode == "lines")
    assert len(line.x) <= 3 * (learning_charts.POINTS + 1)


def test_every_rate_of_a_link_exists_for_every_optimiser():
    assert {tuple(rates) for rates in RATES.values()} == {("low", "middle", "high")}
