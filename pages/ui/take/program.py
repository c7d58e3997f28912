"""An experiment as a program of its own: with NumPy and the core's functions, or with PyTorch; both print the same."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pages.ui.bench.snippet import literal
from pages.ui.take.carried import carried
from pages.ui.take.trimmed import LONGEST

SDPA = "from torch.nn.functional import scaled_dot_product_attention"
EXACT = "torch.set_default_dtype(torch.float64)  # as NumPy does\ntorch.set_printoptions(precision=8)"


@dataclass(frozen=True, eq=False)
class Program:
    """Hold what the programs of one experiment are made of.

    Attributes
    ----------
    title : str
        The question of the page, in its language.
    says : tuple of str
        The page's sentences of these numbers, in Markdown; what a reader typed is escaped in them.
    inputs : dict of str to array, number, text or list
        The numbers that the programs start from. What a reader typed may stand here and nowhere else.
    uses : tuple of functions
        Functions of the core; the NumPy program carries their source.
    body, torch : str
        What each program does between its inputs and its prints; without prints.
    shows : tuple of (str, str)
        Label and expression of all that is printed, the same in both programs. A bare name is a matrix, which gets
        lines of its own.
    formula : str
        What is computed, in LaTeX.
    torch_uses : tuple of functions
        Functions of the core that the PyTorch program carries: draws, of which PyTorch has others.
    torch_shows : tuple of (str, str) or None
        What the PyTorch program prints where it is not the same.
    """

    title: str
    says: tuple[str, ...]
    inputs: dict[str, object]
    uses: tuple[Callable, ...]
    body: str
    torch: str
    shows: tuple[tuple[str, str], ...]
    formula: str = r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V"
    torch_uses: tuple[Callable, ...] = ()
    torch_shows: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, eq=False)
class More:
    """Hold what a closer look adds to a program: inputs, functions, both bodies, prints and sentences."""

    inputs: dict[str, object]
    uses: tuple[Callable, ...]
    body: str
    torch: str
    shows: tuple[tuple[str, str], ...]
    says: tuple[str, ...]


def as_numpy(program: Program) -> str:
    """Write the program that needs NumPy and nothing else.

    Examples
    --------
    >>> from attention_core.attention import hide
    >>> inputs = {"scores": np.array([[1.0, 2.0]]), "allowed": np.array([[True, False]])}
    >>> body, shows = "hidden = hide(scores, allowed)", (("h", "hidden"),)
    >>> print(as_numpy(Program("Hidden", (), inputs, (hide,), body, "", shows)))
    # Hidden
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def hide(scores: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
        \"""Put -inf, whose exp is 0, in the place of scores that are not allowed.\"""
        return scores if allowed is None else np.where(allowed, scores, -np.inf)
    <BLANKLINE>
    <BLANKLINE>
    scores = np.array([[1.0, 2.0]])
    allowed = np.array([[True, False]])
    <BLANKLINE>
    hidden = hide(scores, allowed)
    <BLANKLINE>
    print("h", hidden, sep="\\n")
    <BLANKLINE>
    """
    return joined(program, *numpy_parts(program))


def as_torch(program: Program) -> str:
    """Write the program that leaves the work to PyTorch."""
    return joined(program, *torch_parts(program))


def numpy_parts(program: Program) -> tuple[str, list[str], str, str, str]:
    """Return imports, definitions, inputs, body and prints of the NumPy program."""
    brought = carried(program.uses)
    inputs = [wrapped(value, literal(value, name, kind="")) for name, value in program.inputs.items()]
    prints = [printed(label, expression) for label, expression in program.shows]
    return parts(brought.imports(), brought.parts.values(), inputs, program.body, prints)


def torch_parts(program: Program) -> tuple[str, list[str], str, str, str]:
    """Return imports, definitions, inputs, body and prints of the PyTorch program."""
    brought = carried(program.torch_uses, ("import torch",))
    imports = brought.imports() + [SDPA] * ("scaled_dot_product_attention(" in program.torch)
    inputs = [EXACT, *(as_tensor(value, name) for name, value in program.inputs.items())]
    shows = program.shows if program.torch_shows is None else program.torch_shows
    prints = [printed(label, expression) for label, expression in shows]
    return parts(imports, brought.parts.values(), inputs, program.torch, prints)


def parts(
    imports: Sequence[str], definitions: Sequence[str], inputs: Sequence[str], body: str, prints: Sequence[str],
) -> tuple[str, list[str], str, str, str]:
    """Join the lines of each part."""
    return "\n".join(imports), list(definitions), "\n".join(inputs), body.strip(), "\n".join(prints)


def joined(program: Program, imports: str, definitions: list[str], inputs: str, body: str, prints: str) -> str:
    """Join the parts of a program, with two empty lines around each definition."""
    first = "\n\n\n".join([f"# {one_line(program.title)}\n{imports}", *definitions])
    rest = "\n\n".join(part for part in (inputs, body, prints) if part)
    return first + ("\n\n\n" if definitions else "\n\n") + rest + "\n"


def one_line(text: str) -> str:
    """Return a text that a comment can hold: one line, whatever it was."""
    return " ".join(text.split())


def as_tensor(value: object, name: str) -> str:
    """Write an input of the PyTorch program.

    >>> print(as_tensor(np.array([[0.5, -np.inf]]), "attn_mask"))
    attn_mask = torch.tensor([[0.5, -torch.inf]])
    """
    if not isinstance(value, np.ndarray):
        return literal(value, name)
    return wrapped(value, literal(value, name, "torch.tensor", "").replace("np.", "torch."))


def wrapped(value: object, written: str) -> str:
    """Break the lines of a wide array; a text stays in one piece, as its spaces count."""
    if not isinstance(value, np.ndarray):
        return written
    broken = (
        textwrap.wrap(line, LONGEST, subsequent_indent=" " * (line.rfind("[") + 1), break_on_hyphens=False)
        for line in written.splitlines()
    )
    return "\n".join(line for lines in broken for line in lines)


def printed(label: str, expression: str) -> str:
    """Write the line that prints; a matrix begins on a line of its own.

    >>> print(printed("scores", "scores"))
    print("scores", scores, sep="\\n")
    """
    parts = [text(label), expression] + ['sep="\\n"'] * expression.isidentifier()
    line = f"print({', '.join(parts)})"
    return line if len(line) <= LONGEST else "print(\n    " + ",\n    ".join(parts) + ",\n)"


def text(label: str) -> str:
    """Write a text as Python's literal, in double quotes where it can be.

    >>> print(text("weights of “ikan”"), text('say "a"'))
    "weights of “ikan”" 'say "a"'
    """
    written = repr(label)
    return f'"{written[1:-1]}"' if written[0] == "'" and '"' not in written and "\\'" not in written else written
