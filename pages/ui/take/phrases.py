"""What the programs of several lessons say alike: the way from X to the output, with NumPy and with PyTorch."""

from pages.ui import words
from pages.ui.contents import PAGES
from pages.ui.language import Language

PROJECT = """roles = project(x, w_query, w_key, w_value)
query, key, value = roles.query, roles.key, roles.value"""
ATTEND = """attention = scaled_dot_product_attention({call})
scores, scaled, weights, output = attention.scores, attention.scaled, attention.weights, attention.output"""
TORCH_PROJECT = "query, key, value = x @ w_query, x @ w_key, x @ w_value"
TORCH_ATTEND = """scores = query @ key.mT
scaled = scores * {scale}
masked = {masked}
weights = torch.softmax(masked, dim=-1)
output = scaled_dot_product_attention({call})"""
ROOT = "key.shape[-1] ** -0.5"
HIDDEN = "scaled.masked_fill(~{mask}, -torch.inf)"
TRIANGLE = "torch.ones(scores.shape, dtype=torch.bool).tril()"


def question(_: Language, page: str) -> str:
    """Return the question that a page answers, as a comment can hold it."""
    return _(PAGES[page].title).replace(r"$\sqrt{d_k}$", "√dₖ")


def stages(_: Language, *names: str) -> tuple[tuple[str, str], ...]:
    """Return label and name of matrices that are called as in words.STAGE."""
    return tuple((_(words.STAGE[name]), name) for name in names)
