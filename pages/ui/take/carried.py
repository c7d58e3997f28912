"""What a program carries of the core: the functions it uses and all that they depend on, found by the syntax tree."""

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from pages.ui.take.trimmed import trimmed

CORE = "attention_core"


@dataclass(eq=False)
class Carried:
    """Collect definitions, each once and after those that it needs.

    Attributes
    ----------
    plain : set of str
        Modules imported as a whole: "import numpy as np".
    names : dict of str to set of str
        Names imported from modules other than the core's.
    parts : dict of str to str
        The source of each definition by its name.
    homes : dict of str to str
        The module of each.
    """

    plain: set[str] = field(default_factory=set)
    names: dict[str, set[str]] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)

    def add(self, module: str, name: str) -> None:
        """Carry what a name stands for in a module of the core; names that are none of the module's are built in."""
        home, name, node = where(module, name)
        if isinstance(node, ast.Import):
            self.plain.add(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom):
            self.names.setdefault(node.module, set()).add(name)
        elif node is not None and name not in self.parts:
            self.define(home, name, node)
        elif node is not None and self.homes[name] != home and not same(self.source(home, node), self.parts[name]):
            raise ValueError(f"{name} is defined in {home} and in {self.homes[name]}: a program cannot carry both.")

    @staticmethod
    def source(home: str, node: ast.stmt) -> str:
        """Return a definition as the program carries it."""
        return trimmed(text_of(home, node), home.split(".")[-1])

    def define(self, home: str, name: str, node: ast.stmt) -> None:
        """Carry a definition after all that it reads."""
        source = self.source(home, node)
        self.parts[name], self.homes[name] = source, home  # before its own names: a function may call itself
        for read in reads(source):
            if read != name:
                self.add(home, read)
        self.parts[name] = self.parts.pop(name)

    def imports(self) -> list[str]:
        """Return the lines that import."""
        named = [f"from {module} import {', '.join(sorted(self.names[module]))}" for module in sorted(self.names)]
        return sorted(self.plain) + named


def carried(functions: Sequence[Callable], modules: Sequence[str] = ("import numpy as np",)) -> Carried:
    """Collect functions of the core with what they depend on.

    Examples
    --------
    >>> from attention_core.lookup import hard_lookup
    >>> list(carried([hard_lookup]).parts)
    ['Lookup', 'hide', 'hard_lookup']
    """
    found = Carried(set(modules))
    for function in functions:
        found.add(function.__module__, function.__name__)
    return found


def same(one: str, other: str) -> bool:
    """Say whether two definitions differ in their comments at most."""
    return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


@cache
def top_level(module: str) -> dict[str, ast.stmt]:
    """Return what the names of a module stand for: the statement that defines or imports each."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(inspect.getsource(import_module(module))).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                found[node.name] = node
            case ast.Import() | ast.ImportFrom():
                found |= {alias.asname or alias.name: node for alias in node.names}
            case ast.Assign():
                names = [each for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)]
                found |= {each.id: node for each in names}
    return found


def where(module: str, name: str) -> tuple[str, str, ast.stmt | None]:
    """Return the module of the core that defines a name, the name there, and the statement; None for what is built in.

    >>> where("attention_core.attention", "softmax")[0]
    'attention_core.softmax'
    """
    node = top_level(module).get(name)
    if isinstance(node, ast.ImportFrom) and (node.level or node.module.startswith(CORE)):
        return where(f"{CORE}.{node.module}" if node.level else node.module, name)
    if isinstance(node, ast.Assign):
        name = ast.unparse(node.targets[0])  # several names that one statement defines are carried once
    return module, name, node


def text_of(module: str, node: ast.stmt) -> str:
    """Return a definition's source with its decorators and the comment behind it."""
    lines = inspect.getsource(import_module(module)).splitlines()
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    return "\n".join(lines[first - 1 : node.end_lineno]) + "\n"


@cache
def reads(source: str) -> tuple[str, ...]:
    """Return the names that a definition reads, in the order in which it does."""
    names = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    names.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in names if isinstance(node.ctx, ast.Load)))
