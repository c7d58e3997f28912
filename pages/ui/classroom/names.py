"""What each part of a link is called: for the teacher who hides a control, and for the table of all parameters."""

from pages.ui.contents import PAGES
from pages.ui.fields import COMMON
from pages.ui.language import N_

NAMES = {
    # on every page
    "lang": N_("Language"), "projector": N_("Projector mode"), "plan": N_("Plan that a teacher prepared"),
    "at": N_("Step of the plan"), "room": N_("Room of a class poll"), "voter": N_("Random code of a voter in a room"),
    "made": N_("Predictions made, with their answers"), "predict": N_("Prediction that is asked first"),
    "cell": N_("Cell whose arithmetic is shown"),
    # scaling
    "d_k": N_("Width dₖ"), "seed": N_("Seed of the draws"), "keys": N_("Number of keys"),
    "divisor": N_("Divide the scores by"), "value": N_("Divisor"), "mean": N_("Mean of the components"),
    "std": N_("Standard deviation of the components"),
    "closer": N_("Look closer at"), "shift": N_("Add to every score"),
    # query, key and value
    "token": N_("Query"), "tie": N_("Projections"), "x": N_("Matrix X of two words"), "w_q": N_("Matrix W_Q"),
    "w_k": N_("Matrix W_K"), "w_v": N_("Matrix W_V"), "ask": N_("Question"), "longer": N_("Times as long"),
    "long_key": N_("Make longer the key of"),
    # the sentence
    "words": N_("Your own words"), "word_seed": N_("Seed of the made-up vectors"), "x6": N_("Matrix X of the sentence"),
    "w6_q": N_("Matrix W_Q of the sentence"), "w6_k": N_("Matrix W_K of the sentence"),
    "w6_v": N_("Matrix W_V of the sentence"),
    # the pipeline
    "step": N_("Step"), "word": N_("Word"), "causal": N_("Mask of the step “mask”"), "order": N_("Order of the words"),
    # masking
    "mask": N_("Mask"), "query": N_("Query"), "pads": N_("Positions that are padding"), "side": N_("Padding stands"),
    "window": N_("Window"), "left": N_("Window: keys to the left"), "right": N_("Window: keys to the right"),
    "cached": N_("Tokens in the cache"), "align": N_("Mask aligned at the"), "hidden": N_("Cells hidden by hand"),
    "beside": N_("Beside it"), "way": N_("Way to mask"), "changed": N_("Token that is changed"),
    # verification
    "example": N_("Experiment"), "compare": N_("Ask PyTorch"), "bench": N_("Show"), "bug": N_("Planted mistake"),
    "cases": N_("Random cases"), "draw_seed": N_("Seed of the draws"), "draw_n": N_("Queries n"),
    "draw_m": N_("Keys m"), "draw_d_k": N_("Width dₖ"), "draw_d_v": N_("Width of the values, dᵥ"),
    "draw_heads": N_("Number of heads"), "draw_batch": N_("Sequences in the batch"),
    "draw_mask": N_("Mask"), "draw_scale": N_("Scale"),
    "q": N_("Matrix Q"), "k": N_("Matrix K"), "v": N_("Matrix V"),
    # heads
    "heads_part": N_("Part"), "cross": N_("Attention"), "asking": N_("Sentence that asks"),
    "answering": N_("Sentence that answers"), "asker": N_("Word that asks"),
    "heads_seed": N_("Seed of vectors and projections"), "d_model": N_("Width of the model, d_model"),
    "num_heads": N_("Number of heads"), "scale_heads": N_("Heads of a model 64 wide"), "token_kind": N_("Tokens"),
    "drawing": N_("Picture"), "patch": N_("Patch that asks"), "node": N_("Node that asks"),
    "flipped": N_("Edges changed by hand"),
    # tiles
    "tiles_keys": N_("Number of keys"), "tiles_size": N_("Keys in a tile"), "tiles_step": N_("Tile at hand"),
    "tiles_seed": N_("Seed of the draws"), "tiles_order": N_("Order of the keys"), "tiles_mask": N_("Mask"),
    "tiles_query": N_("Place of the query"), "tiles_measured": N_("Memory measured on this server"),
    # additive
    "add_d": N_("Width d of query and keys"), "add_hidden": N_("Hidden width dₐ"), "add_keys": N_("Number of keys"),
    "add_seed": N_("Seed of the draws"), "add_look": N_("Look closer at"), "add_v": N_("Standard deviation of v"),
    "add_long": N_("Multiply every query by"),
    # explanation
    "exp_from": N_("Weights and values"), "exp_query": N_("Query"), "exp_keys": N_("Number of keys"),
    "exp_d_v": N_("Width of the values, dᵥ"), "exp_tol": N_("The output may move by"), "exp_far": N_("Differ in"),
    "exp_seed": N_("Seed of draws and search"),
    # learning
    "train_d_k": N_("Width dₖ"), "train_optimizer": N_("Optimiser"), "train_rate": N_("Learning rate"),
    "train_steps": N_("Steps"), "train_seeds": N_("Number of seeds"), "train_first": N_("First seed"),
    "train_left": N_("First curves"), "train_right": N_("Second curves"),
    # in the classroom
    "class_part": N_("Part"), "class_page": N_("Page"), "class_preset": N_("Experiment"), "class_lang": N_("Language"),
    "class_hide": N_("Hide"), "class_lock": N_("Lock"), "class_free": N_("A link may set what is hidden or locked"),
    "class_screen": N_("For the projector"), "class_predict": N_("Prediction to ask first"),
    "draft": N_("Steps prepared so far"), "class_plan": N_("Ready plan"), "host": N_("Secret of the room's teacher"),
}
# what a lesson shows, besides its controls
RESULTS = {
    "picture": N_("Picture"), "sentence": N_("Sentence with its numbers"),
    "charts": N_("Charts"), "tries": N_("Tries and predictions"),
    "why": N_("Why"), "code": N_("The code that ran"), "references": N_("References"), "take": N_("Take home"),
}


def controls_of(page: str) -> list[str]:
    """Return the fields of a page that are controls which a teacher may hide or lock."""
    return [field for field in PAGES[page].fields if field not in ("cell", "predict", "hidden", "flipped")]


def pages_of(field: str) -> list[str]:
    """Return the pages whose links carry a field.

    Examples
    --------
    >>> pages_of("d_k")
    ['scaling', 'verification']
    """
    return list(PAGES) if field in COMMON else [name for name, page in PAGES.items() if field in page.fields]
