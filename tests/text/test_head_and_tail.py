"""A bounded buffer that keeps the head and the tail of its input."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stringd.text.head_and_tail import HeadTailBuffer, dropped_from, limited


@given(st.lists(st.binary(max_size=40)), st.integers(1, 40))
def test_head_and_tail_are_those_of_the_stream(pieces: list[bytes], half: int) -> None:
    buffer, stream = HeadTailBuffer(2 * half), b"".join(pieces)
    for piece in pieces:
        buffer.add(piece)
    assert buffer.received == len(stream)
    copy = buffer.copy()
    head, dropped, tail = buffer.take()
    assert copy.take() == (head, dropped, tail)
    assert len(head) + dropped + len(tail) == len(stream)
    assert stream.startswith(head)
    assert stream.endswith(tail)
    assert (len(head), len(tail)) == (min(half, len(stream)), min(half, max(len(stream) - half, 0)))
    assert buffer.take() == (b"", 0, b"")


def test_memory_is_bounded() -> None:
    buffer = HeadTailBuffer(1000)
    for _ in range(1000):
        buffer.add(b"x" * 1000)
    assert len(buffer) < 300_000
    assert buffer.is_full


def test_text_is_whole_unless_something_was_dropped() -> None:
    buffer = HeadTailBuffer(8)
    buffer.add("abcéfg".encode())
    assert buffer.take_text() == "abcéfg"
    buffer.add(b"a" * 10 + b"z" * 4)
    assert buffer.take_text() == "aaaa\n[... 6 bytes of output left out ...]\nzzzz"


def test_a_long_text_loses_its_middle() -> None:
    assert limited("abcdef", 6) == "abcdef"
    assert limited("abcdefgh", 6) == "abc\n[... 2 characters of output left out ...]\nfgh"


def test_a_second_cut_counts_what_the_first_one_dropped() -> None:
    buffer = HeadTailBuffer(8)
    buffer.add("aaaé".encode() + b"x" * 10 + "ézzz".encode())
    first = buffer.take_text()
    assert first == "aaa\ufffd\n[... 12 bytes of output left out ...]\n\ufffdzzz"
    assert limited(first, 6) == "aaa\n[... 18 bytes of output left out ...]\nzzz"
    assert dropped_from(first) == "12 bytes"
    assert limited(limited("a" * 1000 + "z" * 1000, 100), 60) == (
        f"{'a' * 30}\n[... 1940 characters of output left out ...]\n{'z' * 30}"
    )
    assert dropped_from("[... 3 bytes of output left out ...]") == ""
