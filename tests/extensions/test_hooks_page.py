"""docs/reference/hooks.md lists every hook, every name in `stringd.plugin`, and what each is made of."""

from __future__ import annotations

import dataclasses
import inspect
import re
from enum import Enum

import pytest

from tests.docs.pages import text_of
from tests.extensions.test_records import CLASSES, EXPORTED, HOOKS, RECORDS

PAGE = text_of("docs/reference/hooks.md")
HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)(?:\([^`]*\))?` \|(?P<rest>.*)\|$", re.MULTILINE)
PARTS = HEADING.split(PAGE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
EXCEPTIONS = {name for name, it in CLASSES.items() if issubclass(it, Exception)} - {"RequestRefused"}
MADE_OF_MEMBERS = [name for name in CLASSES if name not in RECORDS.keys() | EXCEPTIONS]


def rows(heading: str) -> dict[str, str]:
    """What the tables below a heading say, by the name in their first column."""
    return {row[1]: row["rest"] for row in ROW.finditer(SECTIONS[f"`{heading}`"])}


def test_it_has_every_hook_with_its_parameters_and_no_other() -> None:
    signatures = {
        f"`{name}({', '.join(inspect.signature(hook).parameters)})`" for name, hook in HOOKS.items()
    }
    assert {heading for heading in SECTIONS if heading.startswith("`stringd_")} == signatures
    overview = PAGE.partition("\n## ")[0]
    assert [signature for signature in signatures if f"| [{signature}](#" not in overview] == []


def test_it_has_every_exported_name_and_no_other() -> None:
    described = {heading.strip("`") for heading in SECTIONS if re.fullmatch(r"`[A-Z]\w+`", heading)}
    functions = {row[1] for row in ROW.finditer(SECTIONS["Functions and marks"])}
    assert described | functions == EXPORTED.keys()
    assert described & functions == set()


@pytest.mark.parametrize("name", RECORDS)
def test_it_has_every_field_of_a_record_and_its_default(name: str) -> None:
    fields = {field.name: field for field in dataclasses.fields(RECORDS[name])}
    described = rows(name)
    assert list(described) == list(fields)
    optional = {name for name, field in fields.items() if has_default(field)}
    assert {field for field, text in described.items() if "Default: " in text} == optional


@pytest.mark.parametrize("name", MADE_OF_MEMBERS)
def test_it_has_every_member_of_the_other_classes(name: str) -> None:
    made = CLASSES[name]
    members = made.__members__ if issubclass(made, Enum) else vars(made)
    assert rows(name).keys() == {member for member in members if not member.startswith("_")}


def has_default(field: dataclasses.Field[object]) -> bool:
    return not (field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING)
