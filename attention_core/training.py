"""Does it still learn? One attention head, trained with and without 1/sqrt(d_k), for many seeds at once."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .checks import integer, number
from .recall import CLASSES, D_MODEL, D_V, SYMBOLS, Examples, Head, answer, answer_gradients, draw_examples
from .ways import Way, known_optimizer

EVERY = 5  # steps from one report to the next
BATCH, HELD_OUT = 64, 256  # examples a step learns from, and examples that no step ever sees
LEARNT = 0.9  # the accuracy that counts as learnt


@dataclass(frozen=True, eq=False)
class Progress:
    """Hold how far training is; all measured on examples held out, every array of shape (ways, seeds).

    Attributes
    ----------
    step : int
        How many steps are done.
    loss, accuracy : np.ndarray
        The mean cross-entropy in nats, and the share of right answers.
    largest : np.ndarray
        The largest weight, max_j p_j, averaged over the examples.
    gradient : np.ndarray
        Length of the loss's gradient with respect to W_Q and W_K.
    at_scores : np.ndarray
        Length of its gradient with respect to the scaled scores: what softmax lets through.
    """

    step: int
    loss: np.ndarray
    accuracy: np.ndarray
    largest: np.ndarray
    gradient: np.ndarray
    at_scores: np.ndarray


def train(
    d_k: int,
    ways: Mapping[str, Way],
    seeds: Sequence[int],
    optimizer: str = "sgd",
    rate: float = 0.3,
    steps: int = 400,
) -> Iterator[Progress]:
    """Train one head for every way and every seed, and report as it goes.

    A seed has its own symbols, first matrices and examples; all ways get the same. Seeds never influence each other.

    Parameters
    ----------
    d_k : int
        Width of queries and keys.
    ways : mapping of str to Way
        What is compared, such as `scaled_and_not` or `ablation`.
    seeds : sequence of int
        Seeds of the draws.
    optimizer : {"sgd", "adam"}
        Plain gradient descent, or Adam with its usual constants.
    rate : float
        The learning rate.
    steps : int
        How many steps, each on 64 new examples.

    Returns
    -------
    iterator of Progress
        Before the first step, after every 5 steps and after the last. Nothing runs before it is asked for.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    References
    ----------
    Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1.

    Examples
    --------
    >>> from attention_core.ways import scaled_and_not
    >>> [progress.step for progress in train(4, scaled_and_not(4), [0], steps=12)]
    [0, 5, 10, 12]
    """
    known_optimizer(optimizer)
    d_k, steps = integer("d_k", d_k, 1), integer("steps", steps, 0)
    seeds = [integer("seed", seed, 0) for seed in seeds]
    if not (ways and seeds and number("rate", rate) > 0):
        raise ValueError(f"Training needs a way, a seed and a rate above 0, not {len(ways)}, {len(seeds)} and {rate}.")
    return _train(d_k, tuple(ways.values()), seeds, optimizer, rate, steps)


def _train(d_k, ways, seeds, optimizer, rate, steps):
    randoms = [np.random.default_rng(1000 + seed) for seed in seeds]
    head, embedding = _start(d_k, ways, randoms)
    held_out = _beside(draw_examples(np.random.default_rng(777 + seed), HELD_OUT) for seed in seeds)
    scale, factor, larger = np.array([(way.scale, way.rate, way.epsilon) for way in ways]).T[..., None, None, None]
    scale, memory = scale.ravel(), None
    rates, epsilons = Head(rate * factor, rate * factor, rate, rate), Head(larger, larger, 1.0, 1.0)
    for step in range(steps):
        if step % EVERY == 0:
            yield _look(step, head, embedding, held_out, scale)
            batches = [draw_examples(random, EVERY * BATCH) for random in randoms]
        batch = _beside(_part(examples, step % EVERY) for examples in batches)
        gradients, _ = answer_gradients(head, embedding, batch, scale, answer(head, embedding, batch, scale))
        directions, memory = (gradients, None) if optimizer == "sgd" else _adam(gradients, memory, step + 1, epsilons)
        head = _each(lambda matrix, rate, direction: matrix - rate * direction, head, rates, directions)
    yield _look(steps, head, embedding, held_out, scale)


def _start(d_k, ways, randoms):
    """Draw each seed's symbols and first matrices; the entries of q and k have variance 1, times the way's start."""
    shapes = {
        "embedding": (SYMBOLS, D_MODEL), "w_query": (D_MODEL, d_k), "w_key": (D_MODEL, d_k), "w_value": (CLASSES, D_V),
        "w_output": (D_V, CLASSES),
    }
    draws = [{name: random.standard_normal(shape) for name, shape in shapes.items()} for random in randoms]
    drawn = {name: np.stack([draw[name] for draw in draws]) for name in shapes}  # each (seeds, ...)
    starts = np.array([way.start for way in ways])[:, None, None, None]
    head = Head(
        w_query=starts * drawn["w_query"] / math.sqrt(D_MODEL), w_key=starts * drawn["w_key"] / math.sqrt(D_MODEL),
        w_value=np.ones_like(starts) * drawn["w_value"],
        w_output=np.ones_like(starts) * drawn["w_output"] / math.sqrt(D_V),
    )
    return head, drawn["embedding"]


def _look(step, head, embedding, held_out, scale):
    answers = answer(head, embedding, held_out, scale)
    gradients, at_scores = answer_gradients(head, embedding, held_out, scale, answers)
    squares = (gradients.w_query**2 + gradients.w_key**2).sum(axis=(-1, -2))
    through = np.sqrt((at_scores**2).sum(axis=(-1, -2)))
    return Progress(step, answers.loss, answers.accuracy, answers.largest, np.sqrt(squares), through)


def _adam(gradients, memory, step, epsilons):
    """Return Adam's directions and what it remembers: the running means of the gradients and of their squares."""
    zero = _each(np.zeros_like, gradients)
    mean, square = memory or (zero, zero)
    mean = _each(lambda old, new: 0.9 * old + 0.1 * new, mean, gradients)
    square = _each(lambda old, new: 0.999 * old + 0.001 * new**2, square, gradients)
    whole, whole_square = 1 - 0.9**step, 1 - 0.999**step
    directions = _each(
        lambda m, v, larger: m / whole / (np.sqrt(v / whole_square) + 1e-8 * larger), mean, square, epsilons
    )
    return directions, (mean, square)


def _each(function, *heads):
    return Head(*(function(*matrices) for matrices in zip(*(vars(head).values() for head in heads), strict=True)))


def _part(examples, number):
    chosen = slice(number * BATCH, (number + 1) * BATCH)
    return Examples(*(array[:, chosen] for array in vars(examples).values()))


def _beside(examples):
    return Examples(*(np.concatenate(arrays) for arrays in zip(*(vars(e).values() for e in examples), strict=True)))
