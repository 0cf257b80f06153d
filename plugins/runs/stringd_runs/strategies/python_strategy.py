"""Strategies in Python: a module with a variable `strategy`, whose flows can be async functions."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Mapping
from hashlib import sha256
from types import ModuleType

from stringd.plugin.strict_files import FileInvalid, Items, Members, Node
from stringd_runs.strategies.strategy_format import StrategySource, node_of

_VARIABLE = "strategy"


def read_python(source: StrategySource) -> Node:
    """Run the module, and return the value of its variable, with lines as far as it is a literal."""
    tree = _parsed(source)
    variables = vars(_run(source, tree))
    written = _assigned(tree)
    if _VARIABLE not in variables:
        raise FileInvalid(1, f"the module has no variable called {_VARIABLE}")
    return _located(variables[_VARIABLE], written, written.lineno if written else 1)


def _parsed(source: StrategySource) -> ast.Module:
    try:
        return ast.parse(source.text, str(source.path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", None) or str(error) or "it is nested too deeply"
        raise FileInvalid(line, f"not Python: {reason}") from error


def _run(source: StrategySource, tree: ast.Module) -> ModuleType:
    """Run a module that no import statement can name."""
    digest = sha256(f"{source.path}\n{source.text}".encode()).hexdigest()[:16]
    module = ModuleType(f"stringd strategy {digest}")
    module.__file__ = str(source.path)
    # Dataclasses look their module up by name.
    sys.modules[module.__name__] = module
    try:
        exec(compile(tree, str(source.path), "exec", dont_inherit=True), vars(module))  # noqa: S102
    except BaseException as error:
        message = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise FileInvalid(_line_of(error, source), message) from error
    finally:
        sys.modules.pop(module.__name__, None)
    return module


def _line_of(error: BaseException, source: StrategySource) -> int:
    """Return the innermost line of the module in a traceback."""
    frames = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code.co_filename == str(source.path)]
    return lines[-1] if lines else 1


def _assigned(tree: ast.Module) -> ast.expr | None:
    """Return the expression that is last assigned to the variable."""
    for statement in reversed(tree.body):
        if isinstance(statement, ast.AnnAssign):
            targets: list[ast.expr] = [statement.target]
        else:
            targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(isinstance(it, ast.Name) and it.id == _VARIABLE for it in targets):
            return statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return None


def _located(value: object, written: ast.expr | None, line: int) -> Node:
    """Return a value as a node with the lines of the expression that it is written as."""
    line = written.lineno if written else line
    if isinstance(value, Mapping) and isinstance(written, ast.Dict):
        places = {key.value: (key, it) for key, it in _pairs(written) if isinstance(key, ast.Constant)}
        members = []
        for key, it in value.items():
            place = places.get(key)
            key_line = place[0].lineno if place else line
            members.append((node_of(key, key_line), _located(it, place[1] if place else None, line)))
        return Members(line=line, members=members)
    if isinstance(value, list) and isinstance(written, ast.List) and len(value) == len(written.elts):
        items = [_located(it, place, line) for it, place in zip(value, written.elts, strict=True)]
        return Items(line=line, items=items)
    return node_of(value, line)


def _pairs(written: ast.Dict) -> list[tuple[ast.expr | None, ast.expr]]:
    return list(zip(written.keys, written.values, strict=True))
