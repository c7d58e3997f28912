"""What gives each classic mistake away, how it is mended, when it cannot show, and an experiment where it does."""

from pages.ui.language import N_

PLAIN = {"example": "drawn", "bench": "stages", "draw_mask": "none", "draw_scale": "default", "draw_heads": 2,
         "draw_n": 3, "draw_m": 4, "draw_d_k": 5, "draw_d_v": 3, "draw_batch": 1, "draw_seed": 0}

# mistake: (what one sees and why, how to mend it, when it cannot show, what sets an experiment that shows it)
SIGNATURE = {
    "no_scaling": (
        N_("Everything is right up to the scores; then each number is √dₖ times too large, and the weights are too "
           "sharp. Softmax was given QKᵀ itself."),
        N_("Divide the scores by the root of the last axis of Q: sqrt(query.shape[-1])."),
        N_("Leaving out a factor of 1 changes nothing: here the scale is 1, or all scores are 0."),
        PLAIN,
    ),
    "scale_by_d_model": (
        N_("Scaled scores are too small, by the root of the number of heads, and the weights are too even. They were "
           "divided by the root of the whole width d_model, though a dot product adds only dₖ products, those of one "
           "head."),
        N_("Take the root of the width after the split into heads: dₖ = d_model ÷ heads."),
        N_("With one head dₖ is d_model and both roots are the same; a scale that is given is no root at all and "
           "stays as it is."),
        PLAIN,
    ),
    "softmax_over_columns": (
        N_("The masked scores are right, but not the weights: their columns sum to 1, and their rows do not. The "
           "queries compete for a key instead of the keys for a query."),
        N_("Let softmax run along the keys, the last axis: axis=-1."),
        N_("It needs weights that differ between rows and columns."),
        PLAIN,
    ),
    "mask_after_softmax": (
        N_("Nothing is hidden before softmax, so the hidden keys take their share of the sum. It is set to 0 "
           "afterwards: rows sum to less than 1, and the output is pulled towards 0."),
        N_("Put −∞ in place of the hidden scores, before softmax."),
        N_("Without a mask, nothing can be hidden too late."),
        PLAIN | {"draw_mask": "bool"},
    ),
    "inverted_mask": (
        N_("Each query sees just what it should not: the mask's True was read as “hide”. PyTorch's function means “may "
           "look” by it, its MultiheadAttention means “hide”."),
        N_("Turn the mask round, once, where it enters: ~mask."),
        N_("Without a mask there is nothing to turn round."),
        PLAIN | {"draw_mask": "bool"},
    ),
    "off_by_one_causal": (
        N_("Query i also sees key i + 1, the very word it has to predict: one number a row is not hidden that should "
           "be. In training the loss would fall suspiciously fast."),
        N_("The diagonal belongs to what may be seen, and nothing above it: np.tri(n, m), or triu with k=1 for what is "
           "hidden."),
        N_("It needs a causal mask, and a key after the first."),
        PLAIN | {"draw_mask": "causal"},
    ),
    "no_max_subtraction": (
        N_("The masked scores are right and the weights are NaN: e to a large score is ∞, and ∞ ÷ ∞ is not a number. "
           "Where all keys of a row are hidden, 0 ÷ 0 is none either."),
        N_("Subtract each row's largest score before the exponential; it cancels in the quotient."),
        N_("While the scores are small and each row sees a key, e to a score is an ordinary number and the quotient "
           "is the same."),
        PLAIN | {"draw_scale": "large", "draw_seed": 3},
    ),
    "wrong_head_split": (
        N_("Q, K and V themselves are wrong, before any score: a reshape alone cut the rows, so a head's “token” is a "
           "piece of another token. The shapes are right, which is why nothing complains."),
        N_("Split the width, then swap axes: reshape(n, heads, d).swapaxes(0, 1)."),
        N_("With one head there is nothing to split, and with a single row nothing to mix."),
        PLAIN,
    ),
    "transposed_value": (
        N_("The weights are right and the output is not: V was read down its columns. A reshape back to the old shape "
           "hides it from every check of shapes."),
        N_("Multiply the weights, n × m, by V as it is, m × dᵥ."),
        N_("This V reads the same down its columns as along its rows."),
        PLAIN,
    ),
}
SHOWS = {mistake: fields for mistake, (*texts, fields) in SIGNATURE.items()}
