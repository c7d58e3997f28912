"""A closer look at what both scores cost: counted by formula, and measured on the machine when asked."""

import numpy as np
import streamlit as st

from attention_core.cost import Cost, additive_cost, dot_product_cost
from attention_core.cost_times import Times, measure_times
from pages.ui import cached, lesson, share
from pages.ui.language import Language
from pages.ui.lessons import additive_charts
from pages.ui.tables.matrix import matrix, side_by_side

TOKENS = 2 ** np.arange(13)  # 1 to 4096
MEASURED = "add_times"  # what this session measured last
FLOAT32 = 4  # bytes
WIDEST = 64  # hidden width of a measurement: wider products would start a second thread
READABLE = 1e6  # a count from here on is a power of ten


def cost(_: Language, d: int, d_a: int, n: int) -> None:
    """Show what n queries and n keys cost, over n and in numbers, and offer to measure it."""
    both = costs(n, d, d_a)
    left, right = st.columns(2)
    with left:
        over_tokens(_, d, d_a, n)
    with right:
        lesson.picture(counts(_, both))
        lesson.sentence(say(_, both, n, d, d_a), of="closer")
    st.button(_("Measure the time on this machine"), key="add_measure", icon=":material/timer:", on_click=measure,
              args=(d_a,))
    if (times := st.session_state.get(MEASURED)) is not None:
        lesson.picture(measured(_, times))
        lesson.sentence(say_measured(_, times), of="measured")


def measure(d_a: int) -> None:
    """Measure both scores, for this session only and beside no other long computation: a time is one of its moment."""
    share.choose(**{MEASURED: cached.alone(measure_times)(d_a=min(d_a, WIDEST))})


def costs(n: int, d: int, d_a: int) -> tuple[Cost, Cost]:
    """Return the cost of n queries and n keys: dot product, additive."""
    return dot_product_cost(n, n, d), additive_cost(n, n, d, d, d_a)


def whole(_: Language, count: int) -> str:
    """Write a count, a large one as a power of ten."""
    return _.number(count, 0) if count < READABLE else _.power(count, 2)


def over_tokens(_: Language, d: int, d_a: int, n: int) -> None:
    """Draw both costs over n."""
    pairs = [costs(int(tokens), d, d_a) for tokens in TOKENS]
    lines = {
        form: np.array([[pair[at].multiplications for pair in pairs], [pair[at].numbers for pair in pairs]])
        for at, form in enumerate(("scaled", "additive"))
    }
    first, last = pairs[0], pairs[-1]
    words = {
        "scaled": _("q·k, multiplications"), "scaled_held": _("q·k, numbers held"),
        "additive": _("additive, multiplications"), "additive_held": _("additive, numbers held"),
        "x": _("n queries and n keys"), "y": _("count"),
    }
    lesson.chart(
        additive_charts.cost_over_tokens(TOKENS, lines, n, words, _.separators), key="cost_over_tokens",
        title=_("What the scores cost over n, at d = {d} and dₐ = {d_a}", d=d, d_a=d_a),
        alt=_("From n = {first} to n = {last} the multiplications grow from {dot_first} to {dot_last} for the dot "
              "product, and from {additive_first} to {additive_last} for the additive score.",
              first=TOKENS[0], last=TOKENS[-1], dot_first=whole(_, first[0].multiplications),
              dot_last=whole(_, last[0].multiplications), additive_first=whole(_, first[1].multiplications),
              additive_last=whole(_, last[1].multiplications)),
    )


def counts(_: Language, both: tuple[Cost, Cost]) -> str:
    """Return the table of counts, with the formula of each."""
    table = np.array([[one.multiplications, one.tanh, one.numbers] for one in both]).T  # (3, 2)
    return matrix(
        "costs", table, [_("multiplications"), _("tanh"), _("numbers held")], ["q·k ÷ √d", _("additive")],
        lambda count: whole(_, count), caption=_("What the scores cost"),
    )


def say(_: Language, both: tuple[Cost, Cost], n: int, d: int, d_a: int) -> str:
    """Say the formulas with their numbers, and what a long text would take."""
    dot, additive = both
    long = [_.number(one.numbers * FLOAT32 / 1e6, 0) for one in costs(int(TOKENS[-1]), d, d_a)]
    return _(
        "With n = {n} queries and n keys the dot product makes n·d·(n + 1) = **{dot}** multiplications, the additive "
        "score dₐ·(2·n·d + n²) = **{additive}**, {ratio} times as many, and n²·dₐ = **{tanh}** times tanh. As "
        "n grows, that ratio tends to dₐ ÷ d = {limit}; what stays is tanh, and a hidden layer held for every pair: "
        "**{held}** numbers at once against {dot_held}. At n = {long} and 4 bytes a number that would be "
        "{long_additive} MB against {long_dot} MB.",
        n=n, dot=whole(_, dot.multiplications), additive=whole(_, additive.multiplications),
        ratio=_.number(additive.multiplications / dot.multiplications, 2), limit=_.short(d_a / d, 3),
        tanh=whole(_, additive.tanh), held=whole(_, additive.numbers), dot_held=whole(_, dot.numbers),
        long=TOKENS[-1], long_additive=long[1], long_dot=long[0],
    )


def measured(_: Language, times: Times) -> str:
    """Return the tables of what was measured: both times, and their ratio."""
    rows = [f"n = {n}" for n in times.counts]
    columns = [f"d = {d}" for d in times.widths]
    micro = lambda seconds: _.number(1e6 * seconds, 1)  # noqa: E731
    return side_by_side(
        matrix("times_dot", times.dot, rows, columns, micro, caption=_("Dot product, µs")),
        matrix("times_additive", times.additive, rows, columns, micro, caption=_("Additive, µs")),
        matrix("times_ratio", times.ratio, rows, columns, lambda ratio: _.number(ratio, 1),
               caption=_("Additive ÷ dot product")),
    )


def say_measured(_: Language, times: Times) -> str:
    """Say the largest size's times, what the counts predict for it, and whether the machine was busy."""
    n, d, here = times.counts[-1], times.widths[-1], (-1, -1)
    dot, additive = costs(n, d, times.d_a)
    said = _(
        "Measured on this machine just when you pressed the button: medians of {repeats} repeats, both forms in turn, "
        "at dₐ = {d_a}. At n = {n} and d = {d} the additive score took **{additive}** µs and the dot product **{dot}** "
        "µs, **{ratio}** times as long (by the fastest repeats {fastest} times). It makes {counted} times as many "
        "multiplications; the other time goes to tanh and to filling memory.",
        repeats=times.repeats, d_a=times.d_a, n=n, d=d, additive=_.number(1e6 * times.additive[here], 1),
        dot=_.number(1e6 * times.dot[here], 1), ratio=_.number(times.ratio[here], 1),
        fastest=_.number(times.additive_fastest[here] / times.dot_fastest[here], 1),
        counted=_.number(additive.multiplications / dot.multiplications, 2),
    )
    if not times.disturbed.any():
        return said
    return said + " " + _(
        "In {some} of {all} sizes a median is more than twice the fastest repeat: the machine had other work. Measure "
        "again.", some=int(times.disturbed.sum()), all=times.disturbed.size,
    )
