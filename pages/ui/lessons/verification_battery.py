"""The battery on the page: started by a button, stopped by another, filtered, opened and taken home."""

import platform
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape

import numpy as np
import streamlit as st

from pages.ui import controls, lesson, share, words
from pages.ui.bench import exact, laws, running
from pages.ui.bench.battery import DRAWS, Row
from pages.ui.bench.export import about, as_csv, as_json, filename
from pages.ui.bench.running import Run
from pages.ui.judge import asked, reference
from pages.ui.judge.reference import TorchError
from pages.ui.language import N_, Language
from pages.ui.lessons import turns
from pages.ui.lessons.verification_table import findings, number, verdict

PAGE = 20  # rows of the table at a time
TICK = 0.05  # seconds between two slices, for other sessions
KIND = "battery"  # the queue in which batteries wait for each other
SHOWN = {"all": N_("all"), "fail": N_("failed"), "skipped": N_("skipped"), "exact": N_("exact"),
         "random": N_("random"), "law": N_("laws")}
GROUP = {"exact": N_("exact, 60 digits"), "random": N_("random"), "law": N_("law")}
JUDGE = {
    "60 digits": N_("60 digits"), "PyTorch": N_("PyTorch"), "plain Python": N_("plain Python"), "law": N_("the law"),
}
LONGEST = 120  # characters of a cell


def show(_: Language, mistake: str | None) -> None:
    """Show the battery: its controls, then as much of it as has run."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="experiment"):
        controls.choice("cases", _("Random cases"), str)
        controls.slider("draw_seed", _("Seed of the draws"))
    judge = "PyTorch" if asked.wanted() else "plain Python"  # ids
    setting = (int(controls.value("cases")), controls.value("draw_seed"), mistake, judge)
    run = st.session_state.get("battery_run")
    run = run if run and run.setting == setting else None
    buttons(_, run, setting)
    if run is None:
        lesson.sentence(_(
            "The battery has {exact} cases whose answers were computed with 60 digits, {random} random ones, and "
            "{laws} laws on {draws} draws each. Random cases are judged by {judge}.", exact=len(exact.cases()),
            random=setting[0], laws=len(laws.LAWS), draws=DRAWS, judge=_(JUDGE[judge]),
        ))
        return
    pause = turns.turns(KIND).pause(turns.turns(KIND).knock(run, turns.me(KIND)), TICK) if run.going else None
    st.fragment(results, run_every=pause)(_, run, pause)


def buttons(_: Language, run: Run | None, setting: tuple) -> None:
    """Offer to start, to stop and to go on."""
    with st.container(horizontal=True, key="battery_buttons"):
        st.button(_("Run the battery") if run is None else _("Run it again"), key="run_battery",
                  icon=":material/play_arrow:", on_click=begin, args=setting, disabled=bool(run and run.going))
        if run and run.going:
            st.button(_("Stop"), key="stop_battery", icon=":material/stop:", on_click=stop, args=(run,))
        elif run and not run.done:
            st.button(_("Go on"), key="resume_battery", icon=":material/resume:", on_click=run.resume)


def begin(n_random: int, seed: int, mistake: str | None, judge: str) -> None:
    """Start a run."""
    ask = reference.sdpa_many if judge == "PyTorch" else None
    share.choose(battery_run=running.start((n_random, seed, mistake, judge), n_random, seed, mistake, ask),
                 battery_page=1)


def stop(run: Run) -> None:
    """Stop a run, and let the next in the queue go."""
    run.stop()
    turns.turns(KIND).leave(turns.me(KIND))


def results(_: Language, run: Run, pause: float | None) -> None:
    """Run a slice if the run is going and has its turn, and show what has come; drawn again by itself."""
    going, bar = run.going, st.empty()
    progress(_, bar, run)
    if going:
        advance(_, run, pause or TICK)
        progress(_, bar, run)
    summary(_, run)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="battery_filters"):
        kind = st.segmented_control(_("Rows"), list(SHOWN), format_func=lambda kind: _(SHOWN[kind]), default="all",
                                    key="battery_shown", required=True, wrap=True)
        text = st.text_input(_("Only rows with this text"), key="battery_text", max_chars=60, width=260)
        rows = [row for row in run.rows if kind in ("all", row.verdict, row.group) and has(row, text)]
        page = ask_for_page(_, len(rows))
    listing(_, rows, page)
    downloads(_, run)


def advance(_: Language, run: Run, pause: float) -> None:
    """Run a slice when it is the run's turn; the whole page hears of the end, and when it has to look at another pace.

    What is drawn below a rerun would be drawn twice, so the page starts again at once.
    """
    queue = turns.turns(KIND)
    place = queue.knock(run, turns.me(KIND))
    turns.say_place(_, place)
    if not place:
        run.advance()
    if not run.going:
        queue.leave(turns.me(KIND))
    if not run.going or turns.other_pace(pause, queue.pause(place, TICK)):
        st.rerun()


def progress(_: Language, bar, run: Run) -> None:
    """Say how far it is."""
    bar.progress(len(run.rows) / run.total, _("{done} of {total} rows", done=len(run.rows), total=run.total))


def summary(_: Language, run: Run) -> None:
    """Say how many rows pass, and what PyTorch left unanswered."""
    counts, mistake = run.counts, run.setting[2]
    text = _("**{passed}** of {count} rows pass, **{failed}** fail, {skipped} are skipped.", passed=counts["pass"],
             count=len(run.rows), failed=counts["fail"], skipped=counts["skipped"])
    if mistake:
        text += " " + _("Planted: {mistake}.", mistake=_(words.BUG[mistake]))
    if counts["fail"]:
        st.error(text, icon=":material/cancel:")
    elif counts["skipped"]:
        st.warning(text, icon=":material/remove_done:")
    else:
        st.success(text, icon=":material/check_circle:")
    if run.silent:
        st.warning(silence(_, run.silent), icon=":material/restart_alt:")


def silence(_: Language, rows: list[Row]) -> str:
    """Say in plain words that PyTorch left rows unanswered, and what it said itself."""
    return _("For {count} rows there is no verdict: PyTorch's process gave no answer, nor did a new one that was asked "
             "again. Nothing is known against these rows; run the battery again to have them judged. The process said: "
             "`{error}`.", count=len(rows), error=asked.plain(rows[0].got))


def has(row: Row, text: str) -> bool:
    """Tell whether a row's name, input or numbers contain a text, in either case."""
    return text.strip().casefold() in " ".join((row.id, row.input, row.expected, row.got, row.judge)).casefold()


def ask_for_page(_: Language, count: int) -> int:
    """Ask which page of the rows to show, where there are several."""
    pages = -(-count // PAGE)
    if pages < 2:
        return 1
    if st.session_state.get("battery_page", 1) > pages:
        share.choose(battery_page=pages)
    return st.slider(_("Page, of {count} rows", count=count), 1, pages, key="battery_page", width=260)


def listing(_: Language, rows: list[Row], page: int) -> None:
    """Show one page of rows as a table, and open one that fails."""
    if not rows:
        st.info(_("No row is like that."), icon=":material/filter_alt_off:")
        return
    lesson.picture(table_of(_, rows[(page - 1) * PAGE : page * PAGE]))
    failing = [row for row in rows if row.verdict == "fail"]
    if failing:
        open_one(_, failing)


def table_of(_: Language, rows: list[Row]) -> str:
    """Draw rows of the battery."""
    heads = (_("Row"), _("Verdict"), _("Input"), _("Expected"), _("Got"), _("Difference"), _("Tolerance"), _("Judge"))
    cells = [
        (f"{cut(row.id)}<br><small>{_(GROUP[row.group])}</small>", verdict(_, row.verdict) + reason(_, row),
         cut(row.input), cut(row.expected), cut(row.got), number(_, row.difference), number(_, row.tolerance),
         _(JUDGE[row.judge]))
        for row in rows
    ]
    return findings("battery", _("The battery, row by row"), heads, cells, [row.verdict for row in rows])


def cut(text: str) -> str:
    """Return a text as safe HTML, shortened."""
    return escape(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def reason(_: Language, row: Row) -> str:
    """Say why a row is skipped, or why its tolerance is as it is."""
    return f"<br><small>{escape(_(row.reason))}</small>" if row.reason else ""


def open_one(_: Language, failing: list[Row]) -> None:
    """Show the smallest form of a failing row and a program that reproduces it outside the lab."""
    named = {row.id: row for row in failing}
    id = st.selectbox(_("Open a failing row"), list(named), key="battery_opened")
    row = named[id]
    smallest = row.shrunk()
    if smallest is None:
        st.markdown(_("This row has no smaller form; the program makes its inputs as they are."))
    else:
        st.markdown(_("Its smallest form that still fails: `{input}`.", input=smallest.describe()))
    st.code(row.snippet(), language=None)


def downloads(_: Language, run: Run) -> None:
    """Offer all rows as files that say what they are: the seed, the mistake, and what computed."""
    n_random, seed, mistake, judge = run.setting
    with st.container(horizontal=True, key="battery_files"):
        for kind, make, mime in (("CSV", as_csv, "text/csv"), ("JSON", as_json, "application/json")):
            meta = about(seed, n_random, mistake, {})
            st.download_button(
                _("All rows as {kind}", kind=kind), partial(written, make, run.rows, meta, judge),
                filename(meta, kind.lower()), mime, key=f"battery_{kind}", icon=":material/download:",
                on_click="ignore", disabled=run.going,
            )


def written(make: Callable, rows: list[Row], meta: dict, judge: str) -> str:
    """Write a file when it is asked for; only then is anybody asked for a version."""
    return make(rows, meta | {"versions": versions(judge)})


def versions(judge: str) -> dict[str, str]:
    """Return what computed; PyTorch's build where PyTorch judged."""
    found = {"python": platform.python_version(), "numpy": np.__version__}
    if judge == "PyTorch":
        with suppress(TorchError):
            torch = asked.versions()
            found |= {name: str(torch[key]) for name, key in (("torch", "torch"), ("torch_commit", "commit"),
                                                              ("torch_build", "build"), ("machine", "machine"))}
    return found
