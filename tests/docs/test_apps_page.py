"""The reference of apps documents all fields of the records and all commands of the plugin."""

from __future__ import annotations

import re

import pytest
from msgspec import Struct

from stringd_app import App, Context, Param
from stringd_app.install_commands import INSTALL, UNINSTALL
from tests.docs.pages import text_of

PAGE = text_of("docs/reference/apps.md")


def section(heading: str) -> str:
    """What stands below a heading."""
    found = re.search(rf"^##+ {re.escape(heading)}\n(?P<text>(?:(?!#).*\n)*)", PAGE, re.MULTILINE)
    assert found, heading
    return found["text"]


@pytest.mark.parametrize("record", [App, Context, Param], ids=lambda it: it.__name__)
def test_every_field_of_the_records_is_documented(record: type[Struct]) -> None:
    first_columns = re.findall(r"^\| (`[^|]*`) \|", section(f"`{record.__name__}`"), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(first_columns))) == set(record.__struct_fields__)


@pytest.mark.parametrize("command", [INSTALL, UNINSTALL], ids=lambda it: it.name)
def test_every_command_has_its_usage(command: object) -> None:
    assert isinstance(command, type(INSTALL))
    assert f"```text\n{command.usage}\n```" in section(f"/{command.name}")
