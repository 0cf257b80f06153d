"""docs/reference/console.md has every record, field and function of `stringd_console`, and no others."""

from __future__ import annotations

import inspect
import re

import pytest
from msgspec import NODEFAULT, Struct

import stringd_console
from stringd_console.page_content.shown_values import FILTERS
from tests.docs.pages import text_of
from tests.repository.tree import ROOT

PAGE = text_of("docs/reference/console.md")
PARTS = re.split(r"^##+ (.+)$", PAGE, flags=re.MULTILINE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
NAMES = {name: getattr(stringd_console, name) for name in stringd_console.__all__}
RECORDS = {name: it for name, it in NAMES.items() if inspect.isclass(it) and issubclass(it, Struct)}
CONSOLE = ROOT / "plugins" / "console" / "stringd_console"


def rows(section: str) -> dict[str, str]:
    """Return what a table says, by the first name of each row."""
    return dict(re.findall(r"^\| `([\w-]+)[^|]* \|(.*)\|$", SECTIONS[section], re.MULTILINE))


@pytest.mark.parametrize("name", RECORDS)
def test_every_field_is_described_with_its_default(name: str) -> None:
    record, described = RECORDS[name], rows(f"`{name}`")
    fields, defaults = record.__struct_fields__, record.__struct_defaults__
    assert list(described) == list(fields)
    of_last = zip(reversed(fields), reversed(defaults), strict=False)
    optional = {name for name, default in of_last if default is not NODEFAULT}
    assert {field for field, text in described.items() if "Default: " in text} == optional


def test_every_name_is_described() -> None:
    functions = rows("Functions")
    callables = {name for name, it in NAMES.items() if inspect.isfunction(it)} | {
        "PageTemplates",
        "QuestionCards",
    }
    assert functions.keys() == callables
    types = NAMES.keys() - RECORDS.keys() - callables
    assert [it for it in sorted(types) if f"`{it}`" not in SECTIONS["Functions"]] == []
    filters = SECTIONS["Functions"].partition("The filters of templates are")[2]
    assert re.findall(r"`(\w+)`", filters) == sorted(FILTERS)


def test_described_attributes_are_those_of_the_script() -> None:
    script = (CONSOLE / "static" / "console.js").read_text(encoding="utf-8")
    attributes = re.findall(r"data-([a-z-]+)", SECTIONS["Attributes"])
    assert attributes
    for attribute in attributes:
        first, *rest = attribute.split("-")
        in_script = first + "".join(it.title() for it in rest)
        assert f"dataset.{in_script}" in script or f"data-{attribute}" in script, attribute


def test_every_path_is_described() -> None:
    from stringd_console.console_page import RESERVED_NAMES

    described = set(re.findall(r"^\| `[A-Z]+ /console/([a-z-]+)", SECTIONS["Signing in"], re.MULTILINE))
    assert described == RESERVED_NAMES
