"""Programs to take home: what they carry of the core, how they are written, and that a notebook is the same program."""

import ast
import importlib
import io
import json
import pkgutil
import tokenize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core
from attention_core import attention_gradients, multi_head_attention, scaled_dot_product_attention, tiled_attention
from attention_core.attention import hide
from attention_core.lookup import hard_lookup
from attention_core.saturation import saturation
from attention_core.wrong_masks import masked_weights
from pages.ui.language import Language
from pages.ui.take.carried import Carried, carried
from pages.ui.take.notebook import as_notebook
from pages.ui.take.program import Program, as_numpy, as_tensor, as_torch, printed
from pages.ui.take.trimmed import CHECKS, RETURNS, trimmed

CHECKED = {"checks", "precision"}  # modules of the core whose functions a program does without


def definitions():
    """All functions and classes of the core that can be asked for."""
    for module in pkgutil.iter_modules(attention_core.__path__):
        if module.name not in CHECKED:
            home = importlib.import_module(f"attention_core.{module.name}")
            yield from (each for name, each in vars(home).items()
                        if not name.startswith("_") and getattr(each, "__module__", "") == home.__name__
                        and callable(each))


def loaded(*functions):
    """The functions as a program carries them."""
    found, names = carried(functions), {"__name__": "program"}
    source = "\n".join([*found.imports(), *found.parts.values()])
    exec(compile(source, "program", "exec"), names)
    return [names[function.__name__] for function in functions]


def random(seed=0):
    return np.random.default_rng(seed)


# carried and trimmed


def test_every_definition_of_the_core_can_be_carried():
    for each in definitions():
        loaded(each)


def test_definitions_come_after_what_they_need():
    for each in definitions():
        seen = set(dir(__builtins__)) | {"np"}
        found = carried([each])
        for name, source in found.parts.items():
            decorators = [d for node in ast.walk(ast.parse(source)) for d in getattr(node, "decorator_list", [])]
            needed = {node.id for d in decorators for node in ast.walk(d) if isinstance(node, ast.Name)}
            assert needed & set(found.parts) <= seen
            seen.add(name)


def test_what_is_carried_checks_nothing():
    for each in definitions():
        tree = ast.parse("\n".join(carried([each]).parts.values()))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        called = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
        plain = {name for name in RETURNS if "." not in name and name.strip("_") == name}
        assert not called & (plain | CHECKS - {"leading_axes"}), each


def test_lines_stay_short_and_docstrings_are_one_line():
    for each in definitions():
        for source in carried([each]).parts.values():
            assert max(map(len, source.splitlines())) <= 120
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    assert "\n" not in (ast.get_docstring(node) or "").strip()


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5), st.booleans(), st.sampled_from("-bf"))
def test_attention_as_carried_is_attention_to_the_last_bit(seed, n, m, causal, kind):
    own, back = loaded(scaled_dot_product_attention, attention_gradients)
    query, key, value = (random(seed).normal(size=shape) for shape in ((2, n, 3), (2, m, 3), (2, m, 2)))
    mask = {"-": None, "b": random(seed).random((n, m)) < 0.6, "f": random(seed).normal(size=(n, m))}[kind]
    right, found = scaled_dot_product_attention(query, key, value, mask, causal), own(query, key, value, mask, causal)
    for name in ("scores", "scaled", "weights", "output"):
        assert np.array_equal(getattr(right, name), getattr(found, name))
    grad = random(seed).normal(size=right.output.shape)
    right, found = (f(query, key, value, grad, mask, causal) for f in (attention_gradients, back))
    assert all(np.array_equal(getattr(right, name), getattr(found, name)) for name in ("query", "key", "value"))


@pytest.mark.parametrize("way", ["zero", "after", "wrong_axis", "inverted", "padded_rows"])
def test_wrong_ways_as_carried_are_wrong_alike(way):
    own, = loaded(masked_weights)
    scaled, allowed = random().normal(size=(4, 4)), random(1).random((4, 4)) < 0.6
    padding = np.array([True, True, True, False])
    found, expected = (f(scaled, allowed, way, padding) for f in (own, masked_weights))
    assert np.array_equal(found, expected, equal_nan=True)


def test_other_functions_as_carried_are_the_same():
    x, *w = (random(seed).normal(size=shape) for seed, shape in enumerate([(3, 4)] + [(4, 4)] * 4))
    own, tiles, best = loaded(multi_head_attention, tiled_attention, hard_lookup)
    assert np.array_equal(own(x, x, *w, 2).output, multi_head_attention(x, x, *w, 2).output)
    assert np.array_equal(tiles(x, x, x, tile=2), tiled_attention(x, x, x, tile=2))
    assert np.array_equal(best(x @ x.T, x).best, hard_lookup(x @ x.T, x).best)


def test_a_name_with_two_meanings_is_refused():
    both = Carried()
    both.add("attention_core.multi_head", "_split")
    with pytest.raises(ValueError, match="_split is defined in .*mistakes and in .*multi_head"):
        both.add("attention_core.mistakes", "_split")


def test_a_definition_that_differs_in_its_comment_only_is_one():
    both = Carried()
    both.add("attention_core.variance", "CHUNK")
    both.add("attention_core.saturation", "CHUNK")
    assert list(both.parts) == ["CHUNK"]


@pytest.mark.parametrize("source, expected", [
    ("def f(x):\n    x = real_array('X', x, 'n')\n    return x  # (n,)\n", "def f(x):\n    return x  # (n,)"),
    ("def f(a, b):\n    a, b = g(a), flag('b', b)\n    return a, b\n", "def f(a, b):\n    a = g(a)\n    return a, b"),
    ("def f(x):\n    if x < 0:\n        why = 'no'\n        raise ValueError(why)\n    return x\n",
     "def f(x):\n    return x"),
    ("def f(x):\n    try:\n        y = g(x)\n    except ValueError:\n        raise TypeError\n    return y\n",
     "def f(x):\n    y = g(x)\n    return y"),
    ("def f(x):\n    dtype = common_dtype(x)\n    return h(*narrow(dtype, x, x))\n", "def f(x):\n    return h(x, x)"),
    ("def f(x):\n    return 'é' + choice('k', x, 'ab')  # é\n", "def f(x):\n    return 'é' + x  # é"),
])
def test_a_check_goes_and_the_rest_stays_as_it_is_written(source, expected):
    assert trimmed(source) == expected


# programs


def small(**instead):
    fields = {
        "title": "Why?", "says": ("It is **2**.",), "inputs": {"scores": np.array([[1.0, -np.inf]]), "row": 0},
        "uses": (hide,), "body": "hidden = hide(scores, None)", "torch": "hidden = scores", "shows": (("h", "hidden"),),
    }
    return Program(**fields | instead)


def test_the_parts_stand_in_order():
    text = as_numpy(small())
    places = [text.index(part) for part in ("# Why?", "import numpy", "def hide", "scores = np", "hidden =", "print(")]
    assert places == sorted(places)


def test_a_title_stays_in_its_comment():
    assert as_numpy(small(title="Why?\nimport os")).startswith("# Why? import os\n")


def test_torch_reads_the_same_numbers():
    text = as_torch(small())
    assert "scores = torch.tensor([[1.0, -torch.inf]])" in text
    assert "set_default_dtype(torch.float64)" in text
    assert "import numpy" not in text and "attention_core" not in text


def comments(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


@given(st.lists(st.text(), min_size=1, max_size=4), st.sampled_from([as_numpy, as_torch]))
def test_what_a_reader_types_is_a_literal_and_nothing_else(words, write):
    """The tree of the program is the same whatever was typed, but for the constants; and no comment holds it."""
    typed, plain = (write(small(inputs={"tokens": each})) for each in (words, ["x"] * len(words)))
    shapes = [
        [(type(node).__name__, getattr(node, "id", None)) for node in ast.walk(ast.parse(text))]
        for text in (typed, plain)
    ]
    assert shapes[0] == shapes[1]
    value = next(node.value for node in ast.parse(typed).body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "tokens")
    assert ast.literal_eval(value) == words
    assert comments(typed) == comments(plain)


@given(st.text(max_size=20))
def test_a_label_is_printed_as_it_is(label):
    call = ast.parse(printed(label, "x[0]")).body[0].value
    assert ast.literal_eval(call.args[0]) == label


def test_wide_arrays_are_broken_and_mean_the_same():
    array = random().normal(size=(2, 40))
    text = as_numpy(small(inputs={"scores": array}))
    assert max(map(len, text.splitlines())) <= 120
    names = {}
    exec(text.split("\nhidden")[0], names)
    assert np.array_equal(names["scores"], array)
    assert as_tensor(np.array([True]), "a") == "a = torch.tensor([True])"


# notebooks


def code_of(made):
    return "\n".join(cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
                     for cell in json.loads(made)["cells"] if cell["cell_type"] == "code")


def test_a_notebook_is_valid_and_the_same_program():
    nbformat = pytest.importorskip("nbformat")
    program = small(uses=(saturation, hide))
    made = as_notebook(Language("en"), program)
    nbformat.validate(nbformat.reads(made, as_version=4))
    assert ast.dump(ast.parse(code_of(made))) == ast.dump(ast.parse(as_numpy(program)))
    assert made == as_notebook(Language("en"), program)
    assert "**2**" in made and "softmax" in made and json.loads(made)["metadata"]["kernelspec"]["name"] == "python3"


def test_a_notebook_speaks_the_pages_language():
    assert as_notebook(Language("id"), small()) != as_notebook(Language("en"), small())
