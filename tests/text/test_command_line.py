"""Parsing of commands, and their labels."""

from __future__ import annotations

import pytest

from stringd.api.commands import CommandLine
from stringd.text.command_line import label, parse_command


@pytest.mark.parametrize(
    ("text", "word", "arguments", "body"),
    [
        ("/info", "info", "", None),
        ("/INFO", "info", "", None),
        ("//info", "info", "", None),
        ("///info", "/info", "", None),
        ("/", "", "", None),
        ("/open  a   b", "open", "a   b", None),
        ("/open\ta", "open", "a", None),
        ("/write x\n\n  body \n", "write", "x", "\n  body \n"),
        ("/write x \r\nbody", "write", "x", "body"),
    ],
)
def test_parsed(text: str, word: str, arguments: str, body: str | None) -> None:
    assert parse_command(text) == CommandLine(text=text, word=word, arguments=arguments, body=body)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/info", "/info"),
        ("/write x\nsecret body", "/write x"),
        ("/" + "x" * 79, "/" + "x" * 79),
        ("/" + "x" * 80, "/" + "x" * 76 + "..."),
        ("/a\rb\x1b[31m\u2028c", "/ab[31mc"),
        ("/a\tb", "/a\tb"),
    ],
)
def test_label(text: str, shown: str) -> None:
    assert label(text) == shown
