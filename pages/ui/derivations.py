"""Why it is so: one derivation a lesson, step by step; formulas stand between $$."""

from pages.ui.language import N_

DERIVATIONS = {
    "pipeline": (
        N_("Every word starts as a vector, a row of $X$, and leaves as a vector that knows the sentence. Between them "
           "stand three projections, one product of queries and keys, a division, a softmax along each row, and one "
           "product with the values:"),
        r"$$O = \mathrm{softmax}\!\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}} + M\right) V, \qquad "
        r"Q = XW_Q, \quad K = XW_K, \quad V = XW_V$$",
        N_("Scores are not symmetric, since $q_i \\cdot k_j$ and $q_j \\cdot k_i$ use different vectors. Each is "
           "$|q|\\,|k|\\cos\\theta$, so a long key scores high with every query whose angle to it is below 90°, and "
           "low with the others."),
        N_("The weights $p_{ij}$ of a row are at least 0 and sum to 1. So output $i$,"),
        r"$$o_i = \sum_j p_{ij}\, v_j, \qquad p_{ij} \ge 0, \quad \sum_j p_{ij} = 1,$$",
        N_("is a weighted average of the values: it lies inside their convex hull, and in every dimension between the "
           "smallest and the largest of them."),
        N_("If $P$ reorders the rows of $X$, it reorders those of $Q$, $K$ and $V$ alike. The scores become "
           "$PQK^{\\mathsf T}P^{\\mathsf T}$, softmax works on each row by itself, and the sum over the keys does not "
           "care about their order: the outputs are the same, reordered. A causal mask breaks this, because it is tied "
           "to the places."),
    ),
    "qkv": (
        N_("Attention is a soft search. The query is what a token asks, the key is the label it is found by, the "
           "value is what it hands over. A search engine returns the best page; attention returns all pages at once, "
           "mixed by how well each key answers the query. All three roles are linear maps of the same input:"),
        r"$$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$",
        N_("No information enters on the way. With one matrix for both, $QK^{\\mathsf T} = X W_Q W_Q^{\\mathsf T} "
           "X^{\\mathsf T}$ is symmetric: what “makan” finds in “ikan”, “ikan” must find in “makan”. Two matrices "
           "make asking and being found two different things."),
    ),
    "scaling": (
        N_("Draw the components of $q$ and $k$ independently, each with mean 0 and variance 1. Their dot product adds "
           "$d_k$ independent terms, and each has variance 1:"),
        r"$$\mathrm{Var}(q \cdot k) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_i) = d_k, \qquad "
        r"\mathrm{sd}(q \cdot k) = \sqrt{d_k}$$",
        N_("Softmax compares keys by the differences of their scores, so it sharpens as $\\sqrt{d_k}$ grows, until "
           "one key takes nearly everything: it is saturated. There the derivative of the weights $p$ with respect to "
           "the scores $s$,"),
        r"$$\frac{\partial p}{\partial s} = \mathrm{diag}(p) - p\,p^{\mathsf T},$$",
        N_("is close to zero for most draws, and little gradient reaches $q$ and $k$; the exceptions are draws whose "
           "two largest scores nearly tie. Dividing the scores by $\\sqrt{d_k}$ brings their standard deviation back "
           "to 1 at every width. The divisor follows from the assumption above; other assumptions would ask for "
           "another one."),
    ),
    "masking": (
        N_("A mask adds 0 where a query may look and −∞ where it may not, before softmax, because"),
        r"$$e^{-\infty} = 0, \qquad \mathrm{softmax}\!\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}} + M\right) V$$",
        N_("The hidden weights are exactly 0, and the others still sum to 1. A causal mask lets token $i$ look at "
           "tokens 1 to $i$: $n(n+1)/2$ of $n^2$ entries are left. So one pass computes a prediction at every "
           "position, and none can see the word it has to predict."),
        N_("Why not 0 in place of −∞, or zeros after softmax? A score of 0 still counts, with $e^0 = 1$. Zeros after "
           "softmax leave rows that sum to less than 1, by what the hidden keys had taken: no weight lies on them, and "
           "still their scores move the output. Divided by what is left, the weights equal those of −∞ before softmax, "
           "for as long as something is left."),
        N_("A decoder that keeps the keys and values of earlier tokens in a cache asks with its last tokens only: the "
           "mask has fewer rows than columns, and its last row belongs to the last key, so its diagonal has to end at "
           "the bottom right. PyTorch's `is_causal` starts at the top left."),
        N_("Padding fills the short sentences of a batch. It masks columns, so nobody reads the padding; the "
           "padding's own rows are still computed, and nobody reads them either."),
        N_("The matrices of this page are our reconstruction: the source prints its figures without them. Ours were "
           "found by search, they reproduce every figure it prints, and others would too."),
    ),
    "verification": (
        N_("A check is worth what it can catch. So mistakes are planted here on purpose, and each has to turn the "
           "bench red at its own stage and nowhere earlier. Where two implementations might share a mistake, both are "
           "held against values computed with 60 digits, and against laws that hold whatever the numbers are."),
        N_("A formula that is implemented twice, by different people in different libraries, and gives the same "
           "numbers, is probably implemented right. Equality to the last bit is not what to expect: float64 keeps "
           "about 16 digits, and sums taken in another order round differently, by about"),
        r"$$2^{-52} \approx 2.2 \times 10^{-16}$$",
        N_("relative to the numbers that were added. A difference of exactly 0 holds for some inputs only. The "
           "tolerance of $10^{-12}$ leaves room for many such roundings, and none for a mistake in the formula."),
    ),
    "heads": (
        N_("One function serves both. Queries come from the tokens that ask, keys and values from those that answer; "
           "with the same tokens on both sides it is self-attention. There are as many rows of weights as queries and "
           "as many columns as keys:"),
        r"$$Q = X_q W_Q, \quad K = X_{kv} W_K, \quad V = X_{kv} W_V, \qquad "
        r"\underset{n \times m}{P} = \mathrm{softmax}\!\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}}\right)$$",
        N_("One row of weights is one average. To look at two things at once, the width is split: each head attends in "
           "its own columns, with weights of its own, and $W_O$ mixes what the heads found:"),
        r"$$O = \mathrm{Concat}(O_1, \dots, O_h)\, W_O = \sum_{i=1}^{h} O_i\, W_O^{(i)}, \qquad "
        r"O_i = P_i V_i, \quad d_{head} = d_{model} / h$$",
        N_("The sum on the right is the same by the rule for products of blocks, so splitting is no approximation. "
           "$W_Q$, $W_K$, $W_V$ and $W_O$ are as large as with one head."),
        N_("A head's score adds $d_{head}$ products, so under the assumptions of “Why divide by √dₖ?” its variance is "
           "$d_{head}$, whatever the width of the model. Divided by the root of $d_{model}$ the standard deviation "
           "would be"),
        r"$$\sqrt{d_{head} / d_{model}} = 1 / \sqrt{h},$$",
        N_("below 1 with more than one head: the weights come out too even, and no shape shows it."),
        N_("Nothing here asks what a token is. A picture is cut into patches, a graph into nodes whose edges are the "
           "mask; who may look at whom is the mask's matter, and where a token lies must be added to its vector."),
    ),
    "tiles": (
        N_("Softmax subtracts the largest score of the row, so that no exponential overflows, and divides by the sum "
           "of them all. Both seem to ask for the whole row at once. But a sum in the measure of one maximum, $m$, "
           "becomes a sum in the measure of another, $m'$, by a single factor:"),
        r"$$\sum_j e^{s_j - m'} = e^{m - m'} \sum_j e^{s_j - m}$$",
        N_("So a query keeps three things: the largest score so far, $m$, the sum of exponentials, $\\ell$, and the "
           "accumulator $a$, their sum times values. A tile $T$ of keys changes them to"),
        r"$$m' = \max\Big(m, \max_{j \in T} s_j\Big), \quad \ell' = e^{m - m'}\,\ell + \sum_{j \in T} e^{s_j - m'}, "
        r"\quad a' = e^{m - m'}\,a + \sum_{j \in T} e^{s_j - m'}\, v_j,$$",
        N_("and after the last tile $a \\div \\ell$ is the output: the same sums in another order, exact but for "
           "rounding. Without the factor, the exponentials of early tiles would keep the measure of a smaller maximum, "
           "and count too much. Before the first key $m$ is −∞, the factor 0, and nothing is kept."),
        N_("The scores of a tile are forgotten before the next one comes, so memory grows with $n\\,d_v$ and not with "
           "$n^2$. The multiplications stay, and a few are added. On a GPU it is faster all the same, because bringing "
           "$n \\times n$ numbers to the slow memory and back takes longer than computing them."),
    ),
    "additive": (
        N_("Bahdanau (2014) lets a small network compare query and key. Luong (2015) multiplies them. Vaswani (2017) "
           "divides that product by $\\sqrt{d}$:"),
        r"$$s_{\text{additive}} = v \cdot \tanh(W_1 q + W_2 k), \qquad s_{\text{dot}} = q \cdot k, \qquad "
        r"s_{\text{scaled}} = \frac{q \cdot k}{\sqrt{d}}$$",
        N_("Each of the $d_a$ values of tanh lies between −1 and 1, so the additive score is bounded, and the bound "
           "knows neither the width nor the length of $q$ and $k$:"),
        r"$$|v \cdot \tanh(W_1 q + W_2 k)| \le \sum_{a=1}^{d_a} |v_a|$$",
        N_("That is not yet a scale. Here $W_1$ and $W_2$ are drawn with variance $1/d$, so that each hidden sum has "
           "variance 2 at every width, and $v$ with variance $1/d_a$, so that the score does not spread more as $d_a$ "
           "grows. With $v$ of variance 1 the scores spread $\\sqrt{d_a}$ times as far, and many draws saturate "
           "softmax. The dot product has no weights of its own to hide a scale in: it has to divide."),
        N_("The cost, for $n$ queries and $m$ keys. The tanh stands between the projections and $v$, so the hidden "
           "layer has to be formed for every pair; the dot product is one matrix product, which needs no such layer:"),
        r"$$\text{dot: } n d\,(m + 1), \qquad \text{additive: } d_a (n d + m d + n m) \text{ and } n m d_a "
        r"\text{ times tanh}$$",
        N_("Additive attention wins where $q$ and $k$ come from different places: their widths may differ, and their "
           "lengths cannot push a score beyond the bound, so with a small $v$ it needs no divisor. It loses time and "
           "memory, for every pair again. And what it gains by its bound it pays in slope: where tanh is near −1 or "
           "1, little gradient passes."),
    ),
    "explanation": (
        N_("Weights explain an output only if other weights would have given another output. A row $q$ gives the same "
           "as $p$ if $qV = pV$; both sum to 1. Together:"),
        r"$$(q - p)\,[\,V\;\mathbf 1\,] = 0$$",
        N_("The solutions are a space of $m - \\mathrm{rank}[V\\;\\mathbf 1]$ dimensions. Softmax gives no key exactly "
           "0, so along each of them there is some way to go. If the rank is $m$, the values are affinely independent, "
           "and $q = p$ is the only solution. $[V\\;\\mathbf 1]$ has $d_v + 1$ columns: a head of width 64 that "
           "reads more than 65 tokens always leaves other rows."),
        N_("How far? The rows with $q_j \\ge 0$ and $|qV - pV| \\le \\varepsilon$ fill a polytope. Two measures of "
           "distance are offered, total variation and the Jensen-Shannon distance, $H$ being the entropy in bits:"),
        r"$$\tfrac12 \sum_j |p_j - q_j| \qquad "
        r"\sqrt{H\!\left(\tfrac{p + q}{2}\right) - \tfrac{H(p) + H(q)}{2}}$$",
        N_("Along a straight line both are largest at one of its ends, so the farthest row is a corner of the "
           "polytope. The search walks along random lines into a corner, then from corner to corner along the edges "
           "while that leads farther away, and starts several times. Up to six keys the lab's tests list all corners: "
           "none is farther."),
        N_("Why can the nearest model be the model itself? The weights depend only on "
           "$B = W_Q W_K^{\\mathsf T} / \\sqrt{d_k}$, and cross-entropy is convex in it. With "
           "$P$ the other rows and $A$ those of the model that is fitted, it is smallest where"),
        r"$$X^{\mathsf T}(A - P)\,X = 0.$$",
        N_("Of the other rows the fit sees only $PX$. Where $W_V$ can be inverted, the same outputs $PXW_V$ mean the "
           "same $PX$, so the model that the rows were taken from solves the equation: the other rows lead back to "
           "it."),
        N_("Jain and Wallace searched such rows for trained classifiers of text. Wiegreffe and Pinter trained whole "
           "models to attend differently. Whether weights explain depends on what is asked of an "
           "explanation: both papers measure, and neither measures all of it."),
    ),
    "learning": (
        N_("A head's scores depend on $W_Q$, $W_K$ and the factor in front of them only through a product. So a head "
           "that divides by $\\sqrt{d_k}$ and a head that does not are the same head, if the second starts smaller:"),
        r"$$\frac{(x W_Q)(x' W_K)^{\mathsf T}}{\sqrt{d_k}} = (x \tilde W_Q)(x' \tilde W_K)^{\mathsf T}, \qquad "
        r"\tilde W_Q = \frac{W_Q}{d_k^{1/4}}, \quad \tilde W_K = \frac{W_K}{d_k^{1/4}}$$",
        N_("Its gradients are longer by $d_k^{1/4}$, and a step has to be shorter by $d_k^{1/4}$ to be the same step. "
           "Gradient descent with the rate $\\eta$ therefore walks the same path with"),
        r"$$\tilde\eta = \frac{\eta}{\sqrt{d_k}} \quad \text{for } \tilde W_Q \text{ and } \tilde W_K.$$",
        N_("Adam divides each gradient by its own size, so there $\\eta / d_k^{1/4}$ does it, with "
           "$\\varepsilon\\, d_k^{1/4}$ in place of $\\varepsilon$. The division is a re-parametrisation: it does "
           "nothing that another start and another rate could not do."),
        N_("What it spares is the saturated start. Without it, and with entries of $q$ and $k$ of variance 1, the "
           "scores spread by $\\sqrt{d_k}$, softmax puts nearly all weight on one key before anything is learnt, and "
           "$\\mathrm{diag}(p) - p\\,p^{\\mathsf T}$ lets little of the loss through to the scores. Little is not "
           "nothing: learning is slow rather than over, and some seeds make it."),
    ),
}
