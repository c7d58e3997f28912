"""Why it is so: one derivation a lesson, step by step; formulas stand between $$."""

from pages.ui.language import N_

DERIVATIONS = {
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
        N_("Padding fills the short sentences of a batch. It masks columns, so nobody reads the padding; the "
           "padding's own rows are still computed, and nobody reads them either."),
        N_("The matrices of this page are our reconstruction: the source prints its figures without them. Ours were "
           "found by search, they reproduce every figure it prints, and others would too."),
    ),
    "verification": (
        N_("A formula that is implemented twice, by different people in different libraries, and gives the same "
           "numbers, is probably implemented right. Equality to the last bit is not what to expect: float64 keeps "
           "about 16 digits, and sums taken in another order round differently, by about"),
        r"$$2^{-52} \approx 2.2 \times 10^{-16}$$",
        N_("relative to the numbers that were added. A difference of exactly 0 holds for some inputs only. The "
           "tolerance of $10^{-12}$ leaves room for many such roundings, and none for a mistake in the formula."),
    ),
}
