"""What the bench holds to the light: inputs of one attention, drawn or carried over, and the code that makes them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attention_core import checks, padding_mask
from pages.ui.bench.snippet import inputs_of, snippet_of
from pages.ui.judge.reference import rounded

MASKS = ("none", "causal", "bool", "float", "padding")
SCALES = {"default": None, "zero": 0.0, "negative": -0.5, "large": 200.0}  # 200: exp of a score overflows float64
MOST = {"n": 12, "m": 12, "d_k": 12, "d_v": 12, "heads": 4, "batch": 3}


@dataclass(frozen=True, eq=False)
class Experiment:
    """Hold the inputs of one attention. The third axis from the end, where there is one, counts the heads.

    Attributes
    ----------
    name : str
        What it is called: an id, not a sentence.
    query, key, value : np.ndarray, shapes (..., n, d_k), (..., m, d_k), (..., m, d_v)
        Q, K and V, heads already apart.
    grad_output : np.ndarray, shape (..., n, d_v)
        The gradient of a loss with respect to the output.
    attn_mask : np.ndarray or None
        Boolean (True = may attend) or float (added).
    is_causal : bool
        Whether query i sees keys 0..i only.
    scale : float or None
        None is 1 / sqrt(d_k).
    """

    name: str
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    grad_output: np.ndarray
    attn_mask: np.ndarray | None = None
    is_causal: bool = False
    scale: float | None = None

    @property
    def heads(self) -> int:
        """Count the heads; 1 where there is no axis of them."""
        lead = np.broadcast_shapes(*(a.shape[:-2] for a in (self.query, self.key, self.value)))
        return lead[-1] if lead else 1

    @property
    def lead(self) -> tuple[int, ...]:
        """All axes of the scores before the last two."""
        masked = () if self.attn_mask is None else self.attn_mask.shape[:-2]
        return np.broadcast_shapes(*(a.shape[:-2] for a in (self.query, self.key, self.value)), masked)

    def arguments(self) -> dict:
        """Return what `scaled_dot_product_attention` takes."""
        return {
            "query": self.query, "key": self.key, "value": self.value, "attn_mask": self.attn_mask,
            "is_causal": self.is_causal, "scale": self.scale,
        }

    def question(self, dtype: str = "float64", backend: str = "math") -> dict:
        """Return what `reference.sdpa_many` takes as one question."""
        return {**self.arguments(), "dtype": dtype, "backend": backend}

    def in_dtype(self, dtype: str) -> "Experiment":
        """Round every array to a dtype; the core computes half precision in float32."""
        wide = np.float64 if dtype == "float64" else np.float32
        names = ["query", "key", "value", "grad_output"]
        if self.attn_mask is not None and self.attn_mask.dtype.kind == "f":
            names.append("attn_mask")
        return replace(self, **{name: rounded(getattr(self, name), dtype).astype(wide) for name in names})

    def describe(self) -> str:
        """Name shapes and options in the words of the code, which are those of every language."""
        arrays = zip("QKV", (self.query, self.key, self.value), strict=True)
        shapes = (f"{name} {array.shape}" for name, array in arrays)
        mask = [] if self.attn_mask is None else [f"attn_mask {self.attn_mask.dtype} {self.attn_mask.shape}"]
        causal = ["is_causal"] if self.is_causal else []
        scale = [] if self.scale is None else [f"scale={self.scale:g}"]
        return ", ".join([*shapes, *mask, *causal, *scale])

    def snippet(self, dtype: str = "float64", mistake: str | None = None) -> str:
        """Write a program that makes these inputs to the last digit and calls the core.

        Parameters
        ----------
        dtype : str
            One of `reference.TOLERANCES`.
        mistake : str, optional
            One of `MISTAKES`, to be shown beside the core.

        Examples
        --------
        >>> one = np.ones((1, 1))
        >>> print(given("ones", one, one, one).snippet().splitlines()[6])
        query = np.array([[1.0]], dtype="float64")
        """
        return snippet_of(self.in_dtype(dtype), dtype, mistake)

    def inputs(self) -> str:
        """Write the inputs to the last digit, without the core and without any answer."""
        return inputs_of(self)


def given(name, query, key, value, attn_mask=None, is_causal=False, scale=None, seed: int = 0) -> Experiment:
    """Return an experiment on arrays from elsewhere; the gradient of its output is drawn.

    >>> given("page", np.eye(2), np.eye(2), np.ones((2, 3))).describe()
    'Q (2, 2), K (2, 2), V (2, 3)'
    """
    query, key, value = (np.asarray(a, dtype=float) for a in (query, key, value))
    mask = None if attn_mask is None else np.atleast_2d(attn_mask)
    bare = Experiment(name, query, key, value, np.empty(0), mask, bool(is_causal), scale)
    shape = (*bare.lead, query.shape[-2], value.shape[-1])
    return replace(bare, grad_output=np.random.RandomState(seed).standard_normal(shape))


def drawn(
    seed: int, n: int = 3, m: int = 4, d_k: int = 5, d_v: int = 5, heads: int = 1, batch: int = 1,
    mask: str = "none", scale: str = "default",
) -> Experiment:
    """Draw an experiment of four axes (batch, heads, rows, columns), as PyTorch's fused path wants them.

    Parameters
    ----------
    seed : int
        Of ``np.random.RandomState``. Q, K, V, the output's gradient and the mask are drawn in this order.
    n, m, d_k, d_v : int
        Queries, keys and widths, 1 to 12.
    heads, batch : int
        1 to 4 and 1 to 3.
    mask : {"none", "causal", "bool", "float", "padding"}
        "bool" hides four of ten pairs; "float" adds normal numbers and hides one of four; "padding" hides the last
        keys of each sequence of the batch.
    scale : {"default", "zero", "negative", "large"}
        1 / sqrt(d_k), 0, -0.5 or 200.

    Returns
    -------
    Experiment

    Raises
    ------
    TypeError, ValueError
        If an argument is none of these.

    Examples
    --------
    >>> drawn(0, n=2, heads=2, mask="padding").describe()
    'Q (1, 2, 2, 5), K (1, 2, 4, 5), V (1, 2, 4, 5), attn_mask bool (1, 1, 1, 4)'
    """
    sizes = {"n": n, "m": m, "d_k": d_k, "d_v": d_v, "heads": heads, "batch": batch}
    for name, size in sizes.items():
        if checks.integer(name, size, at_least=1) > MOST[name]:
            raise ValueError(f"{name} must be at most {MOST[name]}, not {size}.")
    mask, scale = checks.choice("mask", mask, MASKS), checks.choice("scale", scale, tuple(SCALES))
    random = np.random.RandomState(seed)
    shapes = ((n, d_k), (m, d_k), (m, d_v), (n, d_v))
    query, key, value, grad_output = (random.standard_normal((batch, heads, *shape)) for shape in shapes)
    name = f"seed={seed}" + ("" if mask == "none" else f" mask={mask}") + ("" if scale == "default" else f" {scale}")
    return Experiment(
        name, query, key, value, grad_output, _mask(random, mask, n, m, batch), mask == "causal", SCALES[scale]
    )


def _mask(random, kind, n, m, batch):
    if kind == "bool":
        return random.random_sample((n, m)) < 0.6
    if kind == "float":
        return np.where(random.random_sample((n, m)) < 0.75, random.standard_normal((n, m)), -np.inf)
    if kind == "padding":
        return padding_mask(random.randint(1, m + 1, size=batch), m)[:, None]  # (batch, 1, 1, m)
    return None


def random_experiment(seed: int, masks: tuple[str, ...] = MASKS, least: int = 1) -> Experiment:
    """Draw the sizes, from `least` to 7, and the options too.

    >>> random_experiment(7).describe() == random_experiment(7).describe()
    True
    """
    random = np.random.RandomState(seed)
    n, m, d_k, d_v = (int(size) for size in random.randint(least, 8, size=4))
    heads, batch = int(random.randint(1, 4)), int(random.randint(1, 3))
    mask, scale = masks[random.randint(len(masks))], tuple(SCALES)[random.randint(len(SCALES))]
    return drawn(seed, n, m, d_k, d_v, heads, batch, mask, scale)


def many(count: int, seed: int) -> Iterator[Experiment]:
    """Draw experiments one after the other; seed s gives those of seeds s, s + 1, ..."""
    return (random_experiment(seed + number) for number in range(count))
