"""pyproject.toml declares exactly the imported dependencies."""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.repository.tree import ROOT, settings, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

# uvicorn finds these by their names; httpcore looks for sniffio at every request, and in vain it takes long.
FOUND_BY_OTHERS = {"httptools", "sniffio", "uvloop", "websockets"}
# Only pytest itself loads the pytest plugin.
THERE_BY_NATURE = {"testing": {"pytest"}}


def imported(path: Path) -> Iterator[str]:
    """The outermost packages that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@cache
def distributions() -> dict[str, str]:
    """Each distribution that the wheel imports, with a module that does."""
    names = packages_distributions()
    found = {}
    for path in sources():
        for package in (
            set(imported(path)) - sys.stdlib_module_names - THERE_BY_NATURE.get(path.parent.name, set())
        ):
            for name in names.get(package, [package]):
                found[canonicalize_name(name)] = str(path.relative_to(ROOT))
    packages = settings()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    own = {canonicalize_name(Path(package).name) for package in packages}
    return {str(name): path for name, path in found.items() if name not in own}


def declared() -> set[str]:
    """What is always there, and what the extras bring that a plugin of the wheel can do without."""
    project = settings()["project"]
    extras = (project["optional-dependencies"][name] for name in ("browser", "cluster", "documents"))
    wanted = [*project["dependencies"], *chain.from_iterable(extras)]
    return {str(canonicalize_name(Requirement(text).name)) for text in wanted}


def test_every_import_is_declared() -> None:
    assert {name: path for name, path in distributions().items() if name not in declared()} == {}


def test_every_dependency_is_used() -> None:
    assert declared() - distributions().keys() - FOUND_BY_OTHERS == set()
