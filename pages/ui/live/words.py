"""What the live element says, in the page's language; the browser fills the named holes in every frame."""

from pages.ui.language import N_, Language

VALUE_TEXT = "d_k = {d_k}"  # what a screen reader says of the slider: a symbol, the same in every language

SENTENCES = {
    "none": N_(
        "At dₖ = {d_k}, key {winner} takes {raw} of the attention, and the others share {rest}. "
        "Divided by 1, nothing changes: the largest weight is still {scaled}, and the smallest is {smallest}."
    ),
    "sqrt_d_k": N_(
        "At dₖ = {d_k}, key {winner} takes {raw} of the attention without division, and the others share {rest}. "
        "Divided by √{d_k} = {root}, the largest weight is {scaled} and the smallest {smallest}."
    ),
    "d_k": N_(
        "At dₖ = {d_k}, key {winner} takes {raw} of the attention without division, and the others share {rest}. "
        "Divided by {root}, the largest weight is {scaled}, the smallest {smallest}; equal weights would be {equal}."
    ),
    "cosine": N_(
        "At dₖ = {d_k}, key {winner} takes {raw} of the attention without division, the others {rest}. "
        "Divided by |q||k|, {root} to {root_high}, the largest weight is {scaled}, the smallest {smallest}; "
        "equal weights would be {equal}."
    ),
    "free": N_(
        "At dₖ = {d_k}, key {winner} takes {raw} of the attention without division, and the others share {rest}. "
        "Divided by {root}, the largest weight is {scaled} and the smallest {smallest}."
    ),
}


def words(_: Language, divisor: str) -> dict[str, str]:
    """Return every text of the element."""
    return {
        "value_text": VALUE_TEXT,
        "slider": _("dₖ, dimensions of q and k"),
        "dimensions": _("dimensions of q and k"),
        "play": _("Play: dₖ grows by itself"),
        "pause": _("Pause"),
        "no_play": _("Play is off: reduced motion is on"),
        "scores": _("Scores q·k"),
        "raw": _("not divided"),
        "scaled": _("divided"),
        "spread": _("spread {spread_raw} → {spread_scaled}"),
        "expected": _("(expected {expected_raw} → {expected_scaled}, shaded)"),
        "weights_raw": _("Weights, not divided"),
        "weights_scaled": _("Weights, divided by {by}"),
        "narrow_raw": _("Not divided"),
        "narrow_scaled": _("Divided by {by}"),
        "largest_raw": _("largest {raw}"),
        "largest_scaled": _("largest {scaled}"),
        "entropy_raw": _("entropy {entropy_raw} of {top}"),
        "entropy_scaled": _("entropy {entropy_scaled} of {top}"),
        "sentence": _(SENTENCES[divisor]),
        "curve": _("Largest weight over dₖ: seed {seed} against 400 seeds"),
        "curve_says": _(
            "At dₖ = {d_k}, {share_raw} of 400 seeds give one key more than {threshold} without division, "
            "{share_scaled} with it. The bands hold 50 % and 90 % of the seeds."
        ),
        "above": _("Seeds above {threshold} at dₖ = {d_k}"),
        "share_raw": _("{share_raw} not divided"),
        "share_scaled": _("{share_scaled} divided"),
        "seed": _("seed {seed}"),
        "median": _("median"),
        "bands": _("50 % and 90 % of seeds"),
        "theory": _("mean, by theory"),
    }
