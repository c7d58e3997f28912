"""One definition of the core as a program carries it: with its comments, without its checks of what goes in.

The core asks of every argument whether it can be used, and widens numbers that might overflow. A program that holds its
own numbers needs neither, and is a third as long. Every rewriting leaves the text as it is written around it.
"""

import ast
from collections.abc import Iterator
from functools import cache

Edit = tuple[int, int, str]  # first byte, byte after the last, what takes their place

# A check returns what it was given: which of its arguments come back, or what takes the place of the call.
# A name that several modules use stands behind its module's.
RETURNS = {
    "real_array": "{1}", "plain_array": "np.asarray({1})", "integer": "{1}", "number": "{1}", "flag": "{1}",
    "choice": "{1}", "axis_index": "{0}", "mask_array": "{0}", "weight_array": "{0}, -1", "_mask_like": "{2}",
    "common_dtype": "float", "times": "{2} @ {4}", "_word_list": "{0}", "known_optimizer": "{0}",
    "_widths": "np.asarray({0}, float)",
    "attention_inputs": "{0}, {1}, {2}, {3}, {4}", "_distribution": "({0}, {1})", "additive._network": "{2}, {3}, {4}",
    "factored._matrix": "{1}", "hull._plane": "{1}",
}
REST = {  # these return their arguments from here on
    "widen": 2, "narrow": 1, "multi_head._inputs": 0, "counterfactual._inputs": 0, "one_model._inputs": 0,
}
CHECKS = {"same_size", "leading_axes", "refuse_non_finite"}  # these return nothing that anybody uses
LONGEST = 120  # characters of a line
PURE = {"magnitude", "score_bound", "_bound", "_gradient_bound", "max", "len"}  # an unused result of these can go


@cache
def trimmed(source: str, module: str = "") -> str:
    """Rewrite a definition until no rule applies.

    Parameters
    ----------
    source : str
        A function or a class.
    module : str
        The module that it stands in, without its package.

    Examples
    --------
    >>> print(trimmed('''def double(x):
    ...     \"""Double it.
    ...
    ...     Slowly.
    ...     \"""
    ...     x = real_array("X", x, "n d")
    ...     return 2 * x  # (n, d)
    ... '''))
    def double(x):
        \"""Double it.\"""
        return 2 * x  # (n, d)
    """
    text = source.encode()
    while True:
        edit = next(edits(ast.parse(text), text, module), None)
        if edit is None:
            return text.decode().rstrip().replace('"""\n\n    ', '"""\n    ', source.lstrip().startswith("def"))
        first, last, instead = edit
        text = text[:first] + instead.encode() + text[last:]


def edits(tree: ast.Module, text: bytes, module: str) -> Iterator[Edit]:
    """Find what can be rewritten; only the first is used, as it moves the others."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield from short_docstring(node, starts, text)
        if isinstance(node, ast.Call):
            yield from checked(node, starts, text, module)
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple):
            yield *span(node, starts), segment(node.value, starts, text)[1:-1].rstrip(",")
        if isinstance(node, ast.Assign):
            yield from itself(node, starts, text)
        if isinstance(node, ast.Try) and all(isinstance(each.body[-1], ast.Raise) for each in node.handlers):
            yield *lines(node, starts), dedented(node.body, starts, text)
        if isinstance(node, (ast.Expr, ast.If, ast.For)) and guards(node):
            yield *lines(node, starts), ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from unused(node, starts, text)


def span(node: ast.AST, starts: list[int]) -> tuple[int, int]:
    """Return the bytes of an expression."""
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def lines(node: ast.stmt, starts: list[int]) -> tuple[int, int]:
    """Return the bytes of a statement's whole lines, its comment too."""
    return starts[node.lineno - 1], starts[node.end_lineno]


def segment(node: ast.AST, starts: list[int], text: bytes) -> str:
    """Return the text of an expression."""
    first, last = span(node, starts)
    return text[first:last].decode()


def short_docstring(node: ast.FunctionDef | ast.ClassDef, starts: list[int], text: bytes) -> Iterator[Edit]:
    """Keep the first line of a docstring."""
    docstring = (ast.get_docstring(node) or "").strip()
    if "\n" in docstring:
        quoted = '"""' + docstring.splitlines()[0]
        quoted += '"""' if len(quoted) + node.body[0].col_offset <= LONGEST - 3 else '\n    """'
        yield *span(node.body[0], starts), ('r' if "\\" in quoted else "") + quoted


def checked(node: ast.Call, starts: list[int], text: bytes, module: str) -> Iterator[Edit]:
    """Put what a check returns in its place."""
    name = getattr(node.func, "id", None)
    name = f"{module}.{name}" if f"{module}.{name}" in {*RETURNS, *REST} else name
    arguments = [segment(each, starts, text) for each in node.args]
    if name == "weight_array" and len(arguments) > 1:
        yield *span(node, starts), ", ".join(arguments)
    elif name in RETURNS:
        yield *span(node, starts), RETURNS[name].format(*arguments)
    elif name in REST:
        yield *span(node, starts), f"({', '.join(arguments[REST[name]:])},)"


def itself(node: ast.Assign, starts: list[int], text: bytes) -> Iterator[Edit]:
    """Drop names that are assigned themselves: x = x, or one of several."""
    target, value = node.targets[0], node.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = list(zip(target.elts, value.elts, strict=True))
    written = [tuple(segment(each, starts, text) for each in pair) for pair in pairs]
    kept = [(to, of) for to, of in written if to != of]
    if not kept:
        yield *lines(node, starts), ""
    elif len(kept) < len(written):
        yield *span(node, starts), " = ".join(", ".join(side) for side in zip(*kept, strict=True))


def guards(node: ast.stmt) -> bool:
    """Say whether a statement does nothing but refuse; x = x is what is left of a check."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == ast.unparse(node.value)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Name) or getattr(getattr(node.value, "func", None), "id", None) in CHECKS
    if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise) and not node.orelse:
        return all(isinstance(each, ast.Assign) for each in node.body[:-1])
    return isinstance(node, (ast.If, ast.For)) and all(map(guards, [*node.body, *node.orelse]))


def dedented(body: list[ast.stmt], starts: list[int], text: bytes) -> str:
    """Return statements one level further out."""
    written = text[starts[body[0].lineno - 1]:starts[body[-1].end_lineno]].decode()
    return "".join(line.removeprefix("    ") for line in written.splitlines(keepends=True))


def unused(node: ast.FunctionDef, starts: list[int], text: bytes) -> Iterator[Edit]:
    """Drop names that nobody reads any more, one by one or among several."""
    read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    for each in ast.walk(node):
        if not isinstance(each, ast.Assign):
            continue
        target, value = each.targets[0], each.value
        if isinstance(target, ast.Name) and target.id not in read and harmless(value):
            yield *lines(each, starts), ""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            pairs = list(zip(target.elts, value.elts, strict=True))
            kept = [pair for pair in pairs if getattr(pair[0], "id", None) in read or not harmless(pair[1])]
            if kept and len(kept) < len(pairs) and all(isinstance(to, ast.Name) for to, _ in pairs):
                sides = (", ".join(segment(part, starts, text) for part in side) for side in zip(*kept, strict=True))
                yield *span(each, starts), " = ".join(sides)


def harmless(value: ast.expr) -> bool:
    """Say whether nothing is missed where a value is not computed."""
    calls = [call for call in ast.walk(value) if isinstance(call, ast.Call)]
    return all(getattr(call.func, "id", None) in PURE for call in calls)
