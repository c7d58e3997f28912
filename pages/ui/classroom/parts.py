"""The parts of the classroom page."""

from pages.ui.language import N_

PART = {
    "prepare": N_("Prepare a link"), "plans": N_("Ready plans"), "poll": N_("Class poll"),
    "parameters": N_("All link parameters"),
}
