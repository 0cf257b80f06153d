"""Every requirement has a test, and every protocol test has a requirement."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.docs.pages import PAGES, ROOT
from tests.docs.test_links import anchors
from tests.protocol.requirements import GAPS, REQUIREMENTS, Gap, Requirement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).parent
TESTS = HERE.parent
RECORDS: tuple[Requirement | Gap, ...] = (*REQUIREMENTS, *GAPS)
KNOWN = {requirement.id for requirement in REQUIREMENTS}
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def marks(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the marks of a module or test, which are outside of the bodies of functions."""
    match tree:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"), attr="requirement")):
            yield tree
    parts = tree.decorator_list if isinstance(tree, FunctionNode) else ast.iter_child_nodes(tree)
    for part in parts:
        yield from marks(part)


def ids(tree: ast.AST) -> list[str]:
    return [ast.literal_eval(argument) for mark in marks(tree) for argument in mark.args]


@cache
def modules(folder: Path) -> Sequence[tuple[Path, ast.Module]]:
    """The parsed test modules; parsing them all takes a second."""
    return [(file, ast.parse(file.read_text(encoding="utf-8"))) for file in sorted(folder.rglob("test_*.py"))]


def functions_of(module: ast.Module) -> Iterator[FunctionNode]:
    classes = (it for it in module.body if isinstance(it, ast.ClassDef))
    for node in (*module.body, *(it for found in classes for it in found.body)):
        if isinstance(node, FunctionNode) and node.name.startswith("test_"):
            yield node


@cache
def claimed() -> set[str]:
    return {name for _, module in modules(TESTS) for name in ids(module)}


def test_every_requirement_has_a_test() -> None:
    assert sorted(KNOWN - claimed()) == []


def test_every_claimed_requirement_is_known() -> None:
    assert sorted(claimed() - KNOWN) == []


def test_every_protocol_test_claims_a_requirement() -> None:
    tests = modules(TESTS)
    others = ((file, it) for file, it in tests if file.is_relative_to(HERE) and file != Path(__file__))
    silent = [
        f"{file.name}:{test.name}"
        for file, module in others
        for test in functions_of(module)
        if not ids(test)
    ]
    assert silent == []


def test_no_test_claims_a_requirement_twice() -> None:
    doubled = [
        test.name for _, module in modules(TESTS) for test in functions_of(module) if repeated(ids(test))
    ]
    assert doubled == []


def test_ids_are_unique_and_dotted() -> None:
    every = [record.id for record in RECORDS]
    assert repeated(every) == []
    assert [name for name in every if not re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*", name)] == []


def test_every_record_has_source_and_text() -> None:
    said = [(record.source, record.text) for record in RECORDS]
    assert [pair for pair in said if not all(pair)] == []
    assert [gap.id for gap in GAPS if not gap.reason] == []


def test_every_source_is_a_page_of_the_repository() -> None:
    unknown = set()
    for source in {record.source for record in RECORDS}:
        name, _, anchor = source.partition("#")
        page = ROOT / name
        if page not in PAGES or (anchor and anchor not in anchors(page)):
            unknown.add(source)
    assert unknown == set()


def repeated(names: list[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]
