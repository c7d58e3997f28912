"""The self-study path: where the reader is, what is next, and what was predicted right; on the page and on paper."""

from html import escape
from pathlib import Path

import streamlit as st

from pages.ui import share
from pages.ui.classroom import predict
from pages.ui.classroom.prediction import Prediction, right
from pages.ui.classroom.predictions import PREDICTIONS, of_page
from pages.ui.classroom.tally import readable
from pages.ui.contents import PAGES
from pages.ui.language import Language
from pages.ui.links import link

STYLESHEET = Path(__file__).with_name("path.css")
LESSONS = [name for name in PAGES if name not in ("home", "path", "classroom", "questions")]


def made() -> dict[str, str | float]:
    """Return the reader's answers that can be read, by the ids of their predictions."""
    answers = dict(share.value("made"))
    found = {id: readable(each, [answers[id]]) for id, each in PREDICTIONS.items() if id in answers}
    return {id: answer[0] for id, answer in found.items() if answer}


def show(_: Language) -> None:
    """Draw how far the reader is, what is next, and all lessons with their predictions."""
    answers = made()
    with st.container(key="sentence_path"):
        st.markdown(say(_, answers))
    st.progress(len(answers) / len(PREDICTIONS))
    following(_, answers)
    st.html(table(_, answers))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="path_keep"):
        st.download_button(_("Summary to print"), lambda: sheet(_, answers), "attention-lab.html", "text/html",
                           key="path_print", icon=":material/print:", on_click="ignore")
        if answers:
            st.button(_("Forget my predictions"), key="path_forget", icon=":material/delete:", type="tertiary",
                      on_click=share.choose, kwargs={"made": ()})
    st.markdown(_(
        "Your predictions stand in the address of this page and nowhere else: bookmark it, and go on tomorrow where "
        "you stopped. Whoever gets the link sees them too."
    ))


def say(_: Language, answers: dict[str, str | float]) -> str:
    """Say how far the reader is."""
    good = sum(right(PREDICTIONS[id], answer) for id, answer in answers.items())
    if not answers:
        return _("There are {all} predictions to make, each before its experiment shows. You have made none yet.",
                 all=len(PREDICTIONS))
    return _("You have made **{made} of {all}** predictions; right: **{right}**. A wrong one is worth as "
             "much: it shows where to look.", made=len(answers), all=len(PREDICTIONS), right=good)


def following(_: Language, answers: dict[str, str | float]) -> None:
    """Lead to the first prediction that is not made, or on to the other lessons."""
    ahead = next((each for each in PREDICTIONS.values() if each.id not in answers), None)
    with st.container(key="path_next"):
        if ahead is None:
            on = PAGES["learning"]
            link(on, _("All predictions are made. Go on with: {lesson}", lesson=_(on.name)),
                 icon=":material/arrow_forward:")
        else:
            link(PAGES[ahead.page], _("Next: {prediction} ({lesson})", lesson=_(PAGES[ahead.page].name),
                                      prediction=_(ahead.label)),
                 instead={"predict": ahead.id}, icon=":material/arrow_forward:")


def table(_: Language, answers: dict[str, str | float]) -> str:
    """Return all lessons in reading order, each with its predictions and how they turned out."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in (
        _("Lesson"), _("Prediction"), _("Yours"), _("Measured"), _("Outcome"),
    ))
    rows = "".join(lesson(_, name, answers) for name in LESSONS)
    return f'<table class="lab-path" data-testid="path"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def lesson(_: Language, name: str, answers: dict[str, str | float]) -> str:
    """Return the rows of a lesson."""
    page, predictions = PAGES[name], of_page(name)
    span = f' rowspan="{len(predictions)}"' if len(predictions) > 1 else ""
    title = f'<th scope="rowgroup"{span}>{escape(_(page.name))}</th>'
    if not predictions:
        return f'<tr>{title}<td colspan="4">{escape(_(page.about))}</td></tr>'
    rows = [outcome(_, each, answers.get(each.id)) for each in predictions]
    return f"<tr>{title}{rows[0]}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows[1:])


def outcome(_: Language, prediction: Prediction, answer: str | float | None) -> str:
    """Return the cells of a prediction; what is measured is told only to who has predicted."""
    label, waiting = f"<td>{escape(_(prediction.label))}</td>", _("not made yet")
    if answer is None:
        return f"{label}<td>–</td><td>–</td><td>{escape(waiting)}</td>"
    good = right(prediction, answer)
    mark, kind, word = ("✓", "right", _("right")) if good else ("✗", "wrong", _("not as predicted"))
    told = [predict.shown(_, prediction, each)[0] for each in (answer, prediction.truth().answer)]
    labelled = zip((_("Yours"), _("Measured")), told, strict=True)
    cells = "".join(f'<td data-label="{escape(label)}">{escape(text)}</td>' for label, text in labelled)
    verdict = f'<span class="verdict {kind}"><span aria-hidden="true">{mark}</span> {escape(word)}</span>'
    return f"{label}{cells}<td>{verdict}</td>"


def sheet(_: Language, answers: dict[str, str | float]) -> str:
    """Return the summary as a page of its own, to print; it needs no network."""
    lab, title, says = (escape(text) for text in (
        _("Attention lab"), _("What I predicted, and what was measured"), say(_, answers).replace("**", ""),
    ))
    return (
        f'<!doctype html>\n<html lang="{_.lang}"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{PAPER}</style></head>\n<body><h1>{title}</h1>\n<p>{says}</p>\n{table(_, answers)}\n"
        f"<p>{lab}</p></body></html>\n"
    )


PAPER = """
body { font-family: "Source Sans 3", system-ui, sans-serif; color: #000; margin: 2rem auto; max-width: 60rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #999; padding: 0.3rem 0.6rem 0.3rem 0; text-align: left; vertical-align: top; }
"""
