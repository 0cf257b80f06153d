"""Rendering of arbitrary bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.plugin.text import HeadTailBuffer
from tests.bash.views import shown

PIECES = [
    b"text",
    b"\r",
    b"\n",
    b"\b",
    b"\x1b",
    b"\x1b[",
    b"\x1b[31m",
    b"\x1b[K",
    b"\x1b[2J",
    b"\x1b[5;5H",
    b"\x1b[2A",
]
PIECES += [
    b"\x1b]0;t\x07",
    b"\x1bP",
    b"\x1b\\",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    "漢é".encode(),
    b"\xff",
    b"\x1b[4:3m",
]
pieces = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=8)), max_size=30)


@settings(deadline=None)
@given(pieces, pieces)
def test_any_bytes_can_be_shown(first: list[bytes], second: list[bytes]) -> None:
    for text in shown(b"".join(first), b"".join(second)):
        text.encode()
        assert not set(text) & set(map(chr, [*range(9), 11, 12, *range(14, 32), 127]))


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=200), st.integers(0, 200))
def test_plain_text_is_unchanged_at_any_split(text: str, split: int) -> None:
    data = text.encode()
    assert "".join(shown(data[:split], data[split:])) == text


def test_an_escape_sequence_may_be_split_anywhere() -> None:
    data = b"a\x1b[31mred\x1b]0;title\x1b\\\x1b[0mz"
    for split in range(len(data)):
        assert "".join(shown(data[:split], data[split:])) == "aredz"


def test_head_and_tail_are_kept() -> None:
    (text,) = shown(b"a" * 1000 + b"z" * 1000, limit=20)
    assert text == "aaaaaaaaaa\n[... 1980 bytes of output left out ...]\nzzzzzzzzzz"


@pytest.mark.parametrize(("text", "unfinished"), [(b"", False), (b"line\n", False), (b"Password: ", True)])
def test_an_unfinished_line_is_known(text: bytes, *, unfinished: bool) -> None:
    buffer = HeadTailBuffer()
    buffer.add(text)
    assert buffer.is_mid_line is unfinished


def test_line_drawing_lasts_until_switched_off() -> None:
    assert shown(b"\x1b(0lqk\x1b(B lqk\r\n") == ["┌─┐ lqk"]
    assert shown(b"\x1b[2J\x1b(0q", b"\x1b[Hqq", b"\x1b[H\x1b(Bq") == ["─", "──", "q─"]
