"""Nodes of a small graph as tokens: its edges are the mask, and a node attends to its neighbours."""

from collections.abc import Iterable

import numpy as np

from attention_core.embedding import word_vectors
from attention_core.heads import drawn_weights
from attention_core.not_text import heard_after, neighbours_mask
from attention_core.projection import project
from pages.ui import controls, lesson, share
from pages.ui.language import Language
from pages.ui.tables.board import board
from pages.ui.tables.matrix import side_by_side
from pages.ui.tables.worked import Worked, attend

NODES = ("A", "B", "C", "D", "E", "F")
EDGES = ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5))
PLACES = ((45, 45), (45, 175), (120, 110), (205, 110), (280, 45), (280, 175))  # in the drawing's 325 x 220
WIDTH = 4


def ask(_: Language) -> None:
    """Offer other vectors and projections."""
    controls.another("heads_seed", _("Another seed"))


def show(_: Language) -> None:
    """Show the graph, its mask, the weights and the sentence; choosing a cell of the mask adds or cuts an edge."""
    seed, node = share.value("heads_seed"), share.value("node") - 1
    edges = edges_now(share.value("flipped"))
    mask = neighbours_mask(len(NODES), edges)
    drawn = drawn_weights(seed, WIDTH)
    roles = project(word_vectors(NODES, WIDTH, seed), drawn.w_query, drawn.w_key, drawn.w_value)
    worked = attend(roles.query, roles.key, roles.value, NODES, NODES, mask)
    look = {"query": node}
    tables = side_by_side(
        drawing(_, edges, worked["weights"][node], node),
        worked.table(_, "mask", caption=_("Mask: choose a cell to add or cut an edge"), places=0, **look),
        worked.table(_, "weights", caption=_("Weights in %, a row a node"), percent=True, places=1, **look),
    )
    board("graph_board", tables, ask=("node", range(1, len(NODES) + 1)), toggle=("mask", flip))
    lesson.sentence(say(_, worked, mask, node, seed))


def edges_now(flipped: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the edges as they are set: a pair of nodes, counted from 1, that was flipped is added or cut."""
    pairs = {(min(pair) - 1, max(pair) - 1) for pair in flipped if pair[0] != pair[1]}
    return sorted(pairs ^ set(EDGES))


def flip(row: int, column: int) -> None:
    """Add or cut the edge between two nodes, counted from 1; a node always attends to itself."""
    pair = (min(row, column), max(row, column))
    if row == column or pair[1] > len(NODES):
        return
    flipped = {(min(other), max(other)) for other in share.value("flipped") if other[0] != other[1]}
    share.choose(flipped=tuple(sorted(flipped ^ {pair})))


def drawing(_: Language, edges: list[tuple[int, int]], weights: np.ndarray, node: int) -> str:
    """Draw the graph; the lines at the chosen node are as thick as its weights."""
    lines = "".join(line(start, end, weights, node) for start, end in edges)
    nodes = "".join(
        f'<g class="{"here" if at == node else ""}"><circle cx="{x}" cy="{y}" r="{17 + 10 * weights[at]:.1f}"/>'
        f'<text x="{x}" y="{y}">{NODES[at]}</text></g>'
        for at, (x, y) in enumerate(PLACES)
    )
    said = _("A graph of {count} nodes with the edges {edges}; {node} is chosen.", count=len(NODES), node=NODES[node],
             edges=", ".join(f"{NODES[start]}–{NODES[end]}" for start, end in edges) or _("none"))
    caption = _("The graph; line widths are the weights of {node}", node=NODES[node])
    return (
        f'<figure class="lab-graph" data-key="graph"><figcaption>{caption}</figcaption>'
        f'<svg viewBox="0 0 325 220" role="img" aria-label="{said}">{lines}{nodes}</svg></figure>'
    )


def line(start: int, end: int, weights: np.ndarray, node: int) -> str:
    """Draw one edge."""
    (x1, y1), (x2, y2) = PLACES[start], PLACES[end]
    at_hand = node in (start, end)
    width = 1.5 + 14 * weights[end if node == start else start] if at_hand else 1.5
    ends = f'x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"'
    return f'<line class="{"here" if at_hand else ""}" {ends} stroke-width="{width:.1f}"/>'


def say(_: Language, worked: Worked, mask: np.ndarray, node: int, seed: int) -> str:
    """Say whom the node hears in one layer, and in two."""
    weights, heard = worked["weights"][node], heard_after(mask, 2)[node]
    best, kept, all_pairs = int(weights.argmax()), int(mask.sum()), mask.size
    return " ".join((
        _("{count} nodes are {count} tokens; the edges are the mask, which leaves {kept} of {all} entries.",
          count=len(NODES), kept=kept, all=all_pairs),
        _("{node} attends to **{seen}** nodes, itself counted, and gives the most, **{most}**, to {best}.",
          node=NODES[node], seen=int(mask[node].sum()), most=_.percent(weights[best], 1), best=NODES[best]),
        _("After a second layer under the same mask it would have heard of **{heard}** nodes: news travels one edge a "
          "layer.", heard=int(heard.sum())),
        _("Vectors and projections are made up from seed {seed}. Graph attention networks score with a small network "
          "in place of the dot product; the mask is the same.", seed=seed),
    ))
