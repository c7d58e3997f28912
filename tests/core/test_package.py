"""What holds for the package as a whole: imports, docstrings, examples, sizes."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import attention_core

ROOT = Path(attention_core.__file__).parent
FILES = sorted(ROOT.glob("*.py"))
MODULES = [importlib.import_module(f"attention_core.{m.name}") for m in pkgutil.iter_modules(attention_core.__path__)]
PRIVATE = {"attention_core.checks", "attention_core.precision"}
FUNCTIONS = {
    f"{module.__name__}.{name}": function
    for module in MODULES
    if module.__name__ not in PRIVATE
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
}
HELPERS = {"attention_core.attention.hide", "attention_core.projection.times", "attention_core.masks.allowed_and_bias"}
PUBLIC = {name: function for name, function in FUNCTIONS.items() if name not in HELPERS}


def test_public_names_are_the_designs():
    assert sorted(attention_core.__all__) == sorted(
        "softmax softmax_jacobian entropy scaled_dot_product_attention Attention attention_gradients Gradients project "
        "Projection causal_mask padding_mask sliding_window_mask combine_masks multi_head_attention MultiHead "
        "additive_attention tiled_attention".split()
    )
    assert all(hasattr(attention_core, name) for name in attention_core.__all__)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("softmax", "scores axis=-1"),
        ("softmax_jacobian", "weights"),
        ("entropy", "weights axis=-1"),
        ("scaled_dot_product_attention", "query key value attn_mask=None is_causal=False scale=None"),
        ("attention_gradients", "query key value grad_output attn_mask=None is_causal=False scale=None"),
        ("project", "x w_query w_key w_value"),
        ("causal_mask", "n_queries n_keys=None alignment='top_left'"),
        ("padding_mask", "lengths n_keys"),
        ("sliding_window_mask", "n_queries n_keys=None left=0 right=0"),
        ("combine_masks", "masks"),
        (
            "multi_head_attention",
            "x_query x_key_value w_query w_key w_value w_output num_heads attn_mask=None is_causal=False",
        ),
        ("additive_attention", "query key value w_query w_key v attn_mask=None is_causal=False"),
        ("tiled_attention", "query key value attn_mask=None is_causal=False scale=None tile=(64,64)"),
    ],
)
def test_signatures_are_the_designs(name, parameters):
    found = []
    for p in inspect.signature(getattr(attention_core, name)).parameters.values():
        found.append(p.name if p.default is p.empty else f"{p.name}={p.default!r}".replace(" ", ""))
    assert found == parameters.split()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_numpy_and_the_standard_library_are_imported(path):
    allowed = set(sys.stdlib_module_names) | {"numpy", "attention_core"}
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imported.add(node.module.split(".")[0])
    assert imported <= allowed, imported - allowed


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_run(module):
    results = doctest.testmod(module)
    assert results.failed == 0


NEVER_REFUSE = {
    "scores_by_width", "ikan_makan", "six_words", "two_queries_three_keys", "peak", "without_rescaling",
}


@pytest.mark.parametrize("function", PUBLIC.values(), ids=PUBLIC.keys())
def test_docstrings_are_numpydoc(function):
    doc = inspect.getdoc(function)
    summary = doc.splitlines()[0]
    assert summary.endswith(".") and summary[0].isupper() and (doc.splitlines() + [""])[1] == ""
    sections = re.findall(r"^([A-Z][A-Za-z ]+)\n-+$", doc, flags=re.MULTILINE)
    order = ["Parameters", "Returns", "Raises", "References", "Examples"]
    assert sections == [s for s in order if s in sections], "the sections in numpydoc's order"
    assert {"Returns", "Examples"} <= set(sections)
    documented = re.findall(r"^\*?([a-z_, ]+?)(?: :.*)?$", _section(doc, "Parameters"), flags=re.MULTILINE)
    names = {name.strip() for line in documented for name in line.split(",")}
    for parameter in inspect.signature(function).parameters:
        assert parameter in names, f"{parameter} is not documented"
    assert ("Raises" in sections) == (function.__name__ not in NEVER_REFUSE)
    example = doctest.DocTestParser().get_examples(doc)
    assert example and all(len(e.want.splitlines()) <= 4 for e in example), "examples with a short output"


def _section(doc, name):
    match = re.search(rf"^{name}\n-+\n(.*?)(?=^[A-Z][A-Za-z]+\n-+$|\Z)", doc, flags=re.MULTILINE | re.DOTALL)
    return match[1] if match else ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_and_functions_stay_small(path):
    text = path.read_text()
    tree = ast.parse(text)
    assert ast.get_docstring(tree).count("\n") == 0, "one line says what the file knows"
    assert len(text.splitlines()) <= 250
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= 25, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_nothing_at_module_level_can_be_changed_by_a_session(module):
    for name, thing in vars(module).items():
        if not name.startswith("__"):
            assert not isinstance(thing, (np.ndarray, list, dict, set, np.random.RandomState)), name


def test_results_are_frozen_and_compare_by_identity():
    x = np.eye(2)
    result = attention_core.scaled_dot_product_attention(x, x, x)
    with pytest.raises(AttributeError):
        result.output = x
    assert result == result and result != attention_core.scaled_dot_product_attention(x, x, x)
