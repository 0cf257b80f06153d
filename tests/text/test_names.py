"""File names within lines."""

from __future__ import annotations

import os

import pytest

from stringd.text.escaping import printable


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"plain \\ name.md", "plain \\ name.md"),
        ("größe 日本 𝒞.md".encode(), "größe 日本 𝒞.md"),
        (b"two\nlines\r\t\x1b[0m\x7f", r"two\nlines\r\t\x1b[0m\x7f"),
        ("a\x85b\u2028c".encode(), r"a\x85b\u2028c"),
        (b"caf\xe9\xff.md", r"caf\xe9\xff.md"),
    ],
)
def test_names_are_printed_on_one_line(name: bytes, shown: str) -> None:
    assert printable(os.fsdecode(name)) == shown
