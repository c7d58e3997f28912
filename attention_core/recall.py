"""Associative recall: which class goes with the symbol asked for; a head that answers, and its gradients by hand."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import integer, real_array
from .softmax import softmax

SYMBOLS, KEYS, CLASSES = 16, 8, 4  # M symbols exist, n of them are shown, each with one of C classes
D_MODEL, D_V = 16, 8


@dataclass(frozen=True, eq=False)
class Examples:
    """Hold examples of the task, for every seed its own.

    Attributes
    ----------
    symbols : np.ndarray of int, shape (seeds, examples, n)
        The n different symbols that are shown.
    classes : np.ndarray of int, shape (seeds, examples, n)
        The class that goes with each.
    asked : np.ndarray of int, shape (seeds, examples)
        The position, among those shown, of the symbol that is asked for. Its class is the right answer.
    """

    symbols: np.ndarray
    classes: np.ndarray
    asked: np.ndarray


@dataclass(frozen=True, eq=False)
class Head:
    """Hold what one attention head learns; in front stand any axes, such as (ways, seeds).

    Attributes
    ----------
    w_query, w_key : np.ndarray, shape (..., d_model, d_k)
        W_Q and W_K, which turn a symbol's vector into a query and into a key.
    w_value : np.ndarray, shape (..., C, d_v)
        W_V, the value of each class.
    w_output : np.ndarray, shape (..., d_v, C)
        W_O, which turns the output into one number a class.
    """

    w_query: np.ndarray
    w_key: np.ndarray
    w_value: np.ndarray
    w_output: np.ndarray


@dataclass(frozen=True, eq=False)
class Answers:
    """Hold what heads answer, step by step; every array has two axes in front, (ways, seeds), where no other are named.

    Attributes
    ----------
    query, key : np.ndarray, shape (..., M, d_k)
        Of every symbol.
    weights : np.ndarray, shape (..., examples, n)
        Over the symbols shown.
    mixture : np.ndarray, shape (..., examples, C)
        The weights, added up for each class.
    output : np.ndarray, shape (..., examples, d_v)
        The weighted average of the values.
    logits : np.ndarray, shape (..., examples, C)
        One number a class, before the last softmax.
    offered : np.ndarray, shape (seeds, examples, n, C)
        1 where a symbol shown has the class, else 0.
    target : np.ndarray, shape (seeds, examples, C)
        1 for the right class, else 0.
    """

    query: np.ndarray
    key: np.ndarray
    weights: np.ndarray
    mixture: np.ndarray
    output: np.ndarray
    logits: np.ndarray
    offered: np.ndarray
    target: np.ndarray

    @property
    def loss(self) -> np.ndarray:
        """Return the mean cross-entropy in nats, shape (ways, seeds)."""
        largest = self.logits.max(axis=-1, keepdims=True)
        total = np.log(np.exp(self.logits - largest).sum(axis=-1)) + largest[..., 0]  # (ways, seeds, examples)
        return (total - (self.logits * self.target).sum(axis=-1)).mean(axis=-1)

    @property
    def accuracy(self) -> np.ndarray:
        """Return the share of right answers, shape (ways, seeds)."""
        return (self.logits.argmax(axis=-1) == self.target.argmax(axis=-1)).mean(axis=-1)

    @property
    def largest(self) -> np.ndarray:
        """Return the largest weight, max_j p_j, averaged over the examples, shape (ways, seeds)."""
        return self.weights.max(axis=-1).mean(axis=-1)


def draw_examples(random: np.random.Generator, count: int) -> Examples:
    """Draw examples for one seed: different symbols, any classes, any of the symbols asked for.

    Parameters
    ----------
    random : np.random.Generator
        Where the draws come from; it moves on.
    count : int
        How many examples.

    Returns
    -------
    Examples
        With one seed in front.

    Raises
    ------
    TypeError, ValueError
        If count is not a whole number of at least 1.

    Examples
    --------
    >>> draw_examples(np.random.default_rng(0), 3).symbols.shape
    (1, 3, 8)
    """
    count = integer("count", count, 1)
    symbols = random.random((1, count, SYMBOLS)).argsort(axis=-1)[..., :KEYS]
    return Examples(symbols, random.integers(0, CLASSES, (1, count, KEYS)), random.integers(0, KEYS, (1, count)))


def answer(head: Head, embedding: ArrayLike, examples: Examples, scale: ArrayLike) -> Answers:
    """Let heads answer examples.

    The query is the vector of the symbol asked for, the keys those of the symbols shown, the values belong to their
    classes. Every pair of symbols has one score, so the scores are computed once, in a table, and looked up.

    Parameters
    ----------
    head : Head
        With two axes in front, (ways, seeds).
    embedding : array_like, shape (seeds, M, d_model)
        A fixed vector for each symbol.
    examples : Examples
        What is asked.
    scale : array_like, shape (ways,)
        What each way multiplies its scores with, such as 1/sqrt(d_k) or 1.

    Returns
    -------
    Answers
        With loss, accuracy and largest weight for each way and seed.

    Raises
    ------
    TypeError, ValueError
        If the embedding, the scale or a score is not a finite real number.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> head = Head(*(np.zeros((1, 1, *shape)) for shape in ((16, 4), (16, 4), (4, 8), (8, 4))))
    >>> answer(head, random.normal(size=(1, 16, 16)), draw_examples(random, 5), [0.5]).loss.round(4)  # log(4)
    array([[1.3863]])
    """
    embedding = real_array("embedding (X)", embedding, "seeds M d_model")
    scale = real_array("scale", scale, "ways")[:, None, None, None]
    right = np.take_along_axis(examples.classes, examples.asked[..., None], axis=-1)[..., 0]  # (seeds, examples)
    offered, target = np.eye(CLASSES)[examples.classes], np.eye(CLASSES)[right]
    query = embedding @ head.w_query  # (ways, seeds, M, d_k)
    key = embedding @ head.w_key  # (ways, seeds, M, d_k)
    table = (scale * query) @ key.swapaxes(-1, -2)  # (ways, seeds, M, M)
    scaled = table.reshape(len(table), -1)[:, _places(examples)]  # (ways, seeds, examples, n)
    weights = softmax(scaled)  # (ways, seeds, examples, n)
    mixture = np.einsum("wsen,senc->wsec", weights, offered)  # (ways, seeds, examples, C)
    output = mixture @ head.w_value  # (ways, seeds, examples, d_v)
    return Answers(query, key, weights, mixture, output, output @ head.w_output, offered, target)


def answer_gradients(
    head: Head, embedding: ArrayLike, examples: Examples, scale: ArrayLike, answers: Answers
) -> tuple[Head, np.ndarray]:
    """Differentiate the mean loss by hand, from the last step back to the first.

    Parameters
    ----------
    head, embedding, examples, scale
        As `answer` got them.
    answers : Answers
        What it returned.

    Returns
    -------
    Head
        The gradients with respect to the four matrices, in their shapes.
    np.ndarray, shape (ways, seeds, examples, n)
        The gradient with respect to the scaled scores: what softmax lets through.

    Raises
    ------
    TypeError, ValueError
        As `answer` does.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> head = Head(*(np.ones((1, 1, *shape)) for shape in ((16, 4), (16, 4), (4, 8), (8, 4))))
    >>> given = (head, random.normal(size=(1, 16, 16)), draw_examples(random, 5), [0.5])
    >>> gradients, at_scores = answer_gradients(*given, answer(*given))
    >>> gradients.w_query.shape, at_scores.shape
    ((1, 1, 16, 4), (1, 1, 5, 8))
    """
    x_transposed = real_array("embedding (X)", embedding, "seeds M d_model").swapaxes(-1, -2)  # (seeds, d_model, M)
    scale = real_array("scale", scale, "ways")[:, None, None, None]
    grad_logits = (softmax(answers.logits) - answers.target) / answers.target.shape[1]  # (ways, seeds, examples, C)
    grad_output = grad_logits @ head.w_output.swapaxes(-1, -2)  # (ways, seeds, examples, d_v)
    grad_mixture = grad_output @ head.w_value.swapaxes(-1, -2)  # (ways, seeds, examples, C)
    grad_weights = np.einsum("wsec,senc->wsen", grad_mixture, answers.offered)  # (ways, seeds, examples, n)
    average = (answers.weights * grad_weights).sum(axis=-1, keepdims=True)  # (ways, seeds, examples, 1)
    grad_scaled = answers.weights * (grad_weights - average)  # the softmax Jacobian, applied
    grad_table = scale * _sum_by_place(grad_scaled, examples)  # (ways, seeds, M, M)
    gradients = Head(
        w_query=x_transposed @ (grad_table @ answers.key),
        w_key=x_transposed @ (grad_table.swapaxes(-1, -2) @ answers.query),
        w_value=answers.mixture.swapaxes(-1, -2) @ grad_output,
        w_output=answers.output.swapaxes(-1, -2) @ grad_logits,
    )
    return gradients, grad_scaled


def _places(examples):
    """Say where each score stands among all scores of all seeds, (seeds, M, M) read as one row."""
    seeds = np.arange(len(examples.symbols))[:, None, None]
    asked = np.take_along_axis(examples.symbols, examples.asked[..., None], axis=-1)  # (seeds, examples, 1)
    return (seeds * SYMBOLS + asked) * SYMBOLS + examples.symbols  # (seeds, examples, n)


def _sum_by_place(values, examples):
    """Add up, for every pair of symbols, what all examples say about its score."""
    ways, seeds, size = len(values), len(examples.symbols), len(examples.symbols) * SYMBOLS**2
    places = np.arange(ways)[:, None, None, None] * size + _places(examples)  # (ways, seeds, examples, n)
    sums = np.bincount(places.ravel(), values.ravel(), ways * size)
    return sums.reshape(ways, seeds, SYMBOLS, SYMBOLS)
