"""Preparing a lesson: one page or several as steps, what the class sees of each, and the link that carries it all."""

from pathlib import Path

import streamlit as st

from pages.ui import controls, share
from pages.ui.classroom import plan, plans, qr
from pages.ui.classroom.address import address
from pages.ui.classroom.names import NAMES, RESULTS, controls_of
from pages.ui.classroom.plan import LONGEST, MOST_STEPS, Step
from pages.ui.classroom.predictions import PREDICTIONS, of_page
from pages.ui.classroom.presets import fields_of, presets
from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, N_, Language

STYLESHEET = Path(__file__).with_name("prepare.css")
SCREEN = {"0": N_("ordinary screens"), "1": N_("the projector")}


def show(_: Language) -> None:
    """Ask for a step on the left; on the right the link, and what the class will see."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        step = ask(_)
        add(_, step)
    with right:
        steps = plans.steps(share.value("draft"))
        listed(_, steps)
        link(_, steps or (step,))


def ask(_: Language) -> Step:
    """Ask for a page, its experiment, and what the class sees of it."""
    page = st.selectbox(_("Page"), FIELDS["class_page"].choices, key="class_page", persist_state="session",
                        format_func=lambda name: _(PAGES[name].name))
    predictions = [each.id for each in of_page(page)]
    if share.value("class_predict") not in predictions:
        share.set_fields({"class_predict": "none"})
    if predictions:
        labels = {each.id: _(each.label) for each in of_page(page)} | {"none": _("none")}
        controls.choice("class_predict", _("Prediction to ask first"), labels.get, options=["none", *predictions])
    predict = share.value("class_predict")
    if predict == "none":
        fields = fields_of(page, ask_for_preset(_, page))
    else:
        st.caption(_("The prediction brings its own experiment, which shows once it is answered."))
        fields = {"predict": predict}
    controllable, names = controls_of(page), {**NAMES, **RESULTS}
    hide = several(_, "class_hide", _("Hide"), [*RESULTS, *controllable], names)
    lock = several(_, "class_lock", _("Lock"), [name for name in controllable if name not in hide], names)
    if hide or lock:
        controls.choice("class_free", _("A link may set what is hidden or locked"),
                        {"no": _("no"), "yes": _("yes")}.get)
    return Step(page, fields, hide, lock, bool(hide or lock) and share.value("class_free") == "yes")


def ask_for_preset(_: Language, page: str) -> str:
    """Ask for an experiment of the page."""
    found = presets(page)
    kept = next((name for name in share.value("class_preset") if name in found), "now")
    ids = list(found)
    chosen = st.selectbox(_("Experiment"), ids, index=ids.index(kept), key=f"preset_{page}_{_.lang}",
                          format_func=lambda id: _(found[id][0]))
    share.set_fields({"class_preset": () if chosen == "now" else (chosen,)})
    return chosen


def several(_: Language, field: str, label: str, options: list[str], names: dict[str, str]) -> tuple[str, ...]:
    """Ask for some of the names; those that this page does not list are dropped."""
    if not set(share.value(field)) <= set(options):
        share.set_fields({field: [name for name in share.value(field) if name in options]})
    return tuple(st.multiselect(label, options, key=field, format_func=lambda name: _(names[name]),
                                placeholder=_("nothing"), persist_state="session"))


def add(_: Language, step: Step) -> None:
    """Offer to put the step into a plan of several."""
    steps = plans.steps(share.value("draft"))
    more = plan.write((*steps, step))
    possible = len(steps) < MOST_STEPS and len(more) <= LONGEST
    st.button(_("Add as a step of a plan"), key="class_add", icon=":material/playlist_add:", disabled=not possible,
              on_click=share.choose, kwargs={"draft": more})
    if not possible:
        st.warning(_("The plan is full: a link carries at most {most} steps and {longest} characters.",
                     most=MOST_STEPS, longest=LONGEST), icon=":material/playlist_remove:")


def listed(_: Language, steps: tuple[Step, ...]) -> None:
    """List the steps so far, each with its place to be taken out or moved up."""
    if not steps:
        return
    st.subheader(_("The plan"), anchor=False)
    for at, step in enumerate(steps):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"draft_{at}"):
            st.markdown(_("{number}. {page}", number=at + 1, page=_(PAGES[step.page].name)) + about(_, step))
            if at:
                swapped = (*steps[: at - 1], step, steps[at - 1], *steps[at + 1 :])
                change(_("Move step {number} up", number=at + 1), f"up_{at}", ":material/arrow_upward:", swapped)
            change(_("Take out step {number}", number=at + 1), f"out_{at}", ":material/close:",
                   steps[:at] + steps[at + 1 :])


def about(_: Language, step: Step) -> str:
    """Say in brief what a step sets and hides."""
    parts = []
    if len(step.fields) > ("predict" in step.fields):
        parts.append(_("values set: {count}", count=len(step.fields) - ("predict" in step.fields)))
    asked = PREDICTIONS.get(step.fields.get("predict", ""))
    if asked:
        parts.append(_("asks first: {prediction}", prediction=_(asked.label)))
    if step.hide:
        parts.append(_("hidden: {count}", count=len(step.hide)))
    if step.lock:
        parts.append(_("locked: {count}", count=len(step.lock)))
    return " · " + ", ".join(parts) if parts else ""


def change(label: str, key: str, icon: str, steps: tuple[Step, ...]) -> None:
    """Offer to change the plan."""
    st.button("", key=key, icon=icon, help=label, type="tertiary", on_click=share.choose,
              kwargs={"draft": plan.write(steps) if steps else ""})


def link(_: Language, steps: tuple[Step, ...]) -> None:
    """Show the link, its QR code, and on demand what the class will see."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="class_link"):
        controls.choice("class_lang", _("Language"), {**LANGUAGES, "any": _("the visitor's own")}.get)
        controls.choice("class_screen", _("For"), lambda screen: _(SCREEN[screen]))
    url = address(steps[0].page, carried(steps))
    st.markdown(_("**The link**"))
    st.code(url, language=None, wrap_lines=True)
    if qr.fits(url):
        with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="class_qr"):
            st.html(qr.inline(url, _("QR code of the link")))
            with st.container(width="content"):
                st.download_button(_("QR code (SVG)"), lambda: qr.svg(url), "lesson.svg", "image/svg+xml",
                                   key="class_svg", icon=":material/download:", on_click="ignore")
                st.download_button(_("QR code (PNG)"), lambda: qr.png(url), "lesson.png", "image/png", key="class_png",
                                   icon=":material/download:", on_click="ignore")
                st.link_button(_("Open it"), url, icon=":material/open_in_new:")
    else:
        st.info(_("The link has {length} characters: too many for a QR code that a phone can read from afar. Share it "
                  "as a link.", length=len(url)), icon=":material/qr_code:")
    if st.toggle(_("Show what the class will see"), key="class_preview"):
        st.iframe(url + ("&" if "?" in url else "?") + "embed=true", height=720, alt=_("The page as the class sees it"))


def carried(steps: tuple[Step, ...]) -> dict[str, str]:
    """Return what the link carries: a single step without anything hidden needs no plan, and stays readable."""
    lang, screen = share.value("class_lang"), share.value("class_screen")
    common = ({} if lang == "any" else {"lang": lang}) | ({} if screen == "0" else {"projector": screen})
    only = steps[0]
    if len(steps) == 1 and not (only.hide or only.lock):
        return common | only.fields
    return common | {"plan": plan.write(steps)}
