"""docs/reference/hooks.md has every hook and every name of `stringd.plugin` and its submodules."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from enum import Enum

import pytest

from stringd import plugin
from tests.docs.pages import text_of
from tests.extensions.test_records import CLASSES, EXPORTED, HOOKS, RECORDS

PAGE = text_of("docs/reference/hooks.md")
HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)(?:\([^`]*\))?` \|(?P<rest>.*)\|$", re.MULTILINE)
PARTS = HEADING.split(PAGE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
EXCEPTIONS = {name for name, it in CLASSES.items() if issubclass(it, Exception)} - {"RequestRefused"}
SUBMODULES = sorted(it.name for it in pkgutil.iter_modules(plugin.__path__))
# The page of errors lists the members of `ErrorCode`.
UNLISTED = EXCEPTIONS | {"ErrorCode"}
MADE_OF_MEMBERS = [name for name in CLASSES if name not in RECORDS.keys() | UNLISTED]


def row_of(name: str, named: object) -> str:
    """A row for a name, as its docstring describes it."""
    parameters = f"({', '.join(inspect.signature(named).parameters)})" if inspect.isroutine(named) else ""
    summary = (inspect.getdoc(named) or "").partition("\n")[0]
    return f"| `{name}{parameters}` | {summary} |"


def rows(heading: str) -> dict[str, str]:
    """What the tables below a heading say, by the name in their first column."""
    return {row[1]: row["rest"] for row in ROW.finditer(SECTIONS[f"`{heading}`"])}


def test_page_lists_exactly_the_hooks_with_parameters() -> None:
    signatures = {
        f"`{name}({', '.join(inspect.signature(hook).parameters)})`" for name, hook in HOOKS.items()
    }
    assert {heading for heading in SECTIONS if heading.startswith("`stringd_")} == signatures
    overview = PAGE.partition("\n## ")[0]
    assert [signature for signature in signatures if f"| [{signature}](#" not in overview] == []


def test_page_lists_exactly_the_exported_names() -> None:
    described = {heading.strip("`") for heading in SECTIONS if re.fullmatch(r"`[A-Z]\w+`", heading)}
    functions = {row[1] for row in ROW.finditer(SECTIONS["Functions and marks"])}
    assert described | functions == EXPORTED.keys()
    assert described & functions == set()


@pytest.mark.parametrize("name", SUBMODULES)
def test_page_lists_exactly_the_names_of_submodules(name: str) -> None:
    """Missing names are printed as the rows to add."""
    module = importlib.import_module(f"stringd.plugin.{name}")
    described = rows(f"stringd.plugin.{name}").keys()
    missing = [row_of(it, getattr(module, it)) for it in module.__all__ if it not in described]
    assert "\n".join(missing) == ""
    assert described == set(module.__all__)


def test_submodules_and_their_functions_have_docstrings() -> None:
    modules = {name: importlib.import_module(f"stringd.plugin.{name}") for name in SUBMODULES}
    members = {
        f"{name}.{it}": getattr(module, it) for name, module in modules.items() for it in module.__all__
    }
    made = {name: it for name, it in members.items() if inspect.isclass(it) or inspect.isroutine(it)}
    assert [name for name, it in (modules | made).items() if not inspect.getdoc(it)] == []


def test_page_states_the_api_version() -> None:
    major, minor = plugin.API_VERSION
    assert f"version {major}.{minor} of `stringd.plugin`" in PAGE


@pytest.mark.parametrize("name", RECORDS)
def test_page_lists_record_fields_with_defaults(name: str) -> None:
    fields = {field.name: field for field in dataclasses.fields(RECORDS[name])}
    described = rows(name)
    assert list(described) == list(fields)
    optional = {name for name, field in fields.items() if has_default(field)}
    assert {field for field, text in described.items() if "Default: " in text} == optional


@pytest.mark.parametrize("name", MADE_OF_MEMBERS)
def test_page_lists_members_of_the_other_classes(name: str) -> None:
    made = CLASSES[name]
    members = made.__members__ if issubclass(made, Enum) else vars(made)
    assert rows(name).keys() == {member for member in members if not member.startswith("_")}


def has_default(field: dataclasses.Field[object]) -> bool:
    return not (field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING)
