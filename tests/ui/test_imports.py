"""The import arrows of the lab, read from its syntax trees: app.py, pages/*.py -> pages/ui -> attention_core."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = sorted(ROOT.glob("attention_core/**/*.py"))
PAGES = [ROOT / "app.py", *sorted(ROOT.glob("pages/*.py"))]
UI = sorted(ROOT.glob("pages/ui/**/*.py"))
PRODUCT = CORE + PAGES + UI
PURE = [
    "charts", "theme", "language", "words", "derivations", "kinds", "tables.matrix", "tables.worked",
    "tables.arithmetic", "tables.sums", "typed.entry", "typed.tokens", "typed.unreadable", "typed.sizes",
    "judge.reference", "fields", "contents", "legal", "classroom.plan", "classroom.plans", "classroom.prepared",
    "classroom.prediction", "classroom.predictions", "classroom.tally", "classroom.rooms", "classroom.codes",
    "classroom.qr", "classroom.names",
]
MUTATING = {"update", "pop", "popitem", "clear", "setdefault", "__setitem__", "__delitem__", "__setattr__"}


def name_of(path):
    return str(path.relative_to(ROOT))


def modules(tree, package=""):
    """Dotted names of all modules that a file imports, also by `from a import b` and by a call with a literal."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, [package if node.level else "", node.module or ""]))
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and called(node) in ("__import__", "import_module") and node.args:
            found.add(getattr(node.args[0], "value", "an import that cannot be read"))
    return found


def called(call):
    return getattr(call.func, "id", None) or getattr(call.func, "attr", None)


def owner(call):
    """What stands before the dot of a call: re.compile compiles no code."""
    return getattr(getattr(call.func, "value", None), "id", None)


def tops(names):
    return {name.split(".")[0] for name in names}


def imports(path, package=""):
    return modules(ast.parse(path.read_text()), package)


def query_params(tree):
    """Lines that touch st.query_params."""
    return [
        node.lineno for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("query_params", "experimental_get_query_params")
        or isinstance(node, ast.ImportFrom) and any(alias.name == "query_params" for alias in node.names)
    ]


def state_writes(tree):
    """Lines that use st.session_state in any way but a plain read: state[x], state.x, x in state, state.get(x)."""
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "session_state" for alias in node.names):
            found.append(node.lineno)
        if not (isinstance(node, ast.Attribute) and node.attr == "session_state"):
            continue
        use = above[node]
        reads = (
            isinstance(use, ast.Subscript | ast.Attribute) and isinstance(use.ctx, ast.Load)
            and getattr(use, "attr", None) not in MUTATING
            or isinstance(use, ast.Compare) and all(isinstance(op, ast.In | ast.NotIn) for op in use.ops)
        )
        if not reads:
            found.append(node.lineno)
    return found


def definitions(tree):
    """Lines that define a function or a class; lambdas may stay."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return [node.lineno for node in ast.walk(tree) if isinstance(node, kinds)]


def dangers(tree):
    """Lines that would run or unpickle data, or show a visitor's text as markup."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in ("eval", "exec", "compile") and owner(node) != "re":
            found.append(node.lineno)
        if isinstance(node, ast.keyword):
            unpickles = node.arg == "allow_pickle" and getattr(node.value, "value", True) is not False
            if unpickles or node.arg == "unsafe_allow_html":
                found.append(node.lineno)
    pickles = tops(modules(tree)) & {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    return found + sorted(pickles)


def lines_where(look, paths):
    return {name_of(path): found for path in paths if (found := look(ast.parse(path.read_text())))}


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_core_imports_only_numpy_and_the_standard_library(path):
    assert tops(imports(path, "attention_core")) <= {"numpy", "attention_core", *sys.stdlib_module_names}


@pytest.mark.parametrize("name", PURE)
def test_pure_modules_never_import_streamlit(name):
    """Neither themselves nor through another file of pages/ui."""
    seen, todo = set(), [f"pages.ui.{name}"]
    assert ROOT.joinpath("pages", "ui", *name.split(".")).with_suffix(".py").exists()
    while todo:
        module = todo.pop()
        path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        if module in seen or not path.exists():
            continue
        seen.add(module)
        found = imports(path, module.rpartition(".")[0])
        assert "streamlit" not in tops(found), f"{name} reaches streamlit through {module}"
        todo += [target for target in found if target.startswith("pages.ui.")]


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_imports_no_other_page(path):
    scripts = {"app", *(f"pages.{page.stem}" for page in PAGES[1:])}
    assert not imports(path, "pages") & scripts


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_imports_neither_torch_nor_plotly(path):
    assert not tops(imports(path, "pages")) & {"torch", "plotly"}


def test_only_share_touches_the_query_parameters():
    assert lines_where(query_params, PRODUCT).keys() <= {"pages/ui/share.py"}


def test_only_share_and_frame_write_the_session_state():
    assert lines_where(state_writes, PRODUCT).keys() <= {"pages/ui/share.py", "pages/ui/frame.py"}


def test_only_the_torch_worker_imports_torch():
    importers = {name_of(path) for path in PRODUCT if "torch" in tops(imports(path))}
    assert importers == {"pages/ui/judge/torch_worker.py"}


def test_the_torch_worker_knows_nothing_of_the_lab():
    worker = ROOT / "pages" / "ui" / "judge" / "torch_worker.py"
    assert not tops(imports(worker)) & {"streamlit", "pages", "attention_core"}


def test_the_core_knows_nothing_of_the_pages():
    assert not any(tops(imports(path)) & {"pages", "app", "streamlit"} for path in CORE)


def test_shared_files_import_no_page():
    scripts = {"app", *(f"pages.{page.stem}" for page in PAGES[1:])}
    assert not any(imports(path, "pages.ui") & scripts for path in UI)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_script_defines_its_page_and_shows_it(path):
    """The page, and nothing else: what it is made of stands in pages/ui."""
    tree = ast.parse(path.read_text())
    page, shown = tree.body[-2:]
    assert definitions(tree) == [page.lineno] and (page.name, called(shown.value)) == ("page", "show_page")
    assert shown.value.args[0].value == ("home" if path.name == "app.py" else path.stem)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_script_has_at_most_90_lines(path):
    assert len(path.read_text().splitlines()) <= 90


@pytest.mark.parametrize("path", CORE + UI, ids=name_of)
def test_a_file_has_at_most_250_lines(path):
    assert len(path.read_text().splitlines()) <= 250


def test_nothing_is_evaluated_unpickled_or_shown_as_raw_markup():
    assert lines_where(dangers, PRODUCT) == {}


@pytest.mark.parametrize(
    ("look", "fault"),
    [
        (query_params, "import streamlit as st\nst.query_params['x'] = 1"),
        (query_params, "from streamlit import query_params"),
        (state_writes, "st.session_state['x'] = 1"),
        (state_writes, "st.session_state.x = 1"),
        (state_writes, "del st.session_state['x']"),
        (state_writes, "st.session_state.update(x=1)"),
        (state_writes, "state = st.session_state"),
        (definitions, "def f(): pass"),
        (dangers, "eval('1')"),
        (dangers, "compile('1', '', 'eval')"),
        (dangers, "builtins.exec('1')"),
        (dangers, "import pickle"),
        (dangers, "np.load(f, allow_pickle=True)"),
        (dangers, "st.markdown(x, unsafe_allow_html=True)"),
    ],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_the_readers_see_a_planted_fault(look, fault):
    assert look(ast.parse(fault))


@pytest.mark.parametrize("fine", ["st.session_state['x']", "'x' in st.session_state", "st.session_state.get('x')"])
def test_a_read_of_the_session_state_is_no_write(fine):
    assert state_writes(ast.parse(fine)) == []


@pytest.mark.parametrize("text", ["import torch.nn", "from torch import nn", "import_module('torch')"])
def test_every_spelling_of_an_import_is_seen(text):
    assert "torch" in tops(modules(ast.parse(text)))
