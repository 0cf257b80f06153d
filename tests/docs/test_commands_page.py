"""The reference of commands has exactly one section for each shared command, with its usage."""

from __future__ import annotations

import re

import pytest

from stringd.api.commands import Command
from stringd.commands import stringd_commands
from tests.docs.blocks import blocks
from tests.docs.pages import text_of

PAGE = "docs/reference/commands.md"
SECTION = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!## ).*\n)*)", re.MULTILINE)
COMMANDS = {f"/{command.name}": command for command in stringd_commands()}


def sections() -> dict[str, str]:
    """The text below each heading that is a command."""
    found = SECTION.finditer(text_of(PAGE))
    return {section["title"]: section["body"] for section in found if section["title"].startswith("/")}


def test_commands_and_sections_match() -> None:
    assert sorted(sections()) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_sections_begin_with_the_usage(command: Command) -> None:
    first = next(blocks(sections()[f"/{command.name}"]))
    assert (first.language, first.text) == ("text", f"{command.usage}\n")
