"""The parser of server-sent events."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.text.sse import SseEvent, SseParser


def parse(*chunks: bytes) -> list[tuple[str, str]]:
    parser = SseParser()
    return [(event.name, event.data) for chunk in chunks for event in parser.feed(chunk)]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_kind_of_line_end_is_read(end: bytes) -> None:
    stream = b"event: head\ndata: 1\n\nevent: done\ndata: {}\n\n".replace(b"\n", end)
    assert parse(stream) == [("head", "1"), ("done", "{}")]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b": ping\n\n", []),
        (b": ping\ndata: x\n\n", [("message", "x")]),
        (b"data: a\ndata: b\n\n", [("message", "a\nb")]),
        (b"data:a\n\n", [("message", "a")]),
        (b"data:  a\n\n", [("message", " a")]),
        (b"data\n\n", [("message", "")]),
        (b"data: a: b\n\n", [("message", "a: b")]),
        (b"event: head\n\ndata: x\n\n", [("message", "x")]),
        (b"event: a\nevent: b\ndata: x\n\n", [("b", "x")]),
        (b"id: 7\nretry: 5\nunknown: u\ndata: x\n\n", [("message", "x")]),
        (b"data: x\n", []),
        (b"data: x", []),
        (b"\n\n\n", []),
        ("\ufeffdata: é𝒞\n\n".encode(), [("message", "é𝒞")]),
        ("data: \ufeffx\n\n\ufeffdata: y\n\n".encode(), [("message", "\ufeffx")]),
        (b"data: \xff\n\n", [("message", "\ufffd")]),
        ("data: a\u2028b\x0bc\n\n".encode(), [("message", "a\u2028b\x0bc")]),
    ],
)
def test_fields_follow_the_standard(stream: bytes, events: list[tuple[str, str]]) -> None:
    assert parse(stream) == events


def test_event_is_emitted_at_its_last_byte() -> None:
    parser = SseParser()
    assert parser.feed(b"data: x\r\n") == []
    assert parser.feed(b"\r") == [SseEvent(name="message", data="x")]
    assert parser.feed(b"\ndata: y\n\n") == [SseEvent(name="message", data="y")]


LINES = ["data: é𝒞", "data:x", "data", "event: head", ": ping", "", "", "\ufeffdata: x", "id"]
PIECES = st.lists(
    st.sampled_from([*(line.encode() for line in LINES), b"\r", b"\n", b"\r\n", b"\r\n", b"\xff"]),
    max_size=30,
).map(b"".join)


@given(stream=PIECES, cuts=st.lists(st.integers(0, 120), max_size=12))
def test_events_do_not_depend_on_chunking(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in itertools.pairwise(edges)]
    single_bytes = (stream[at : at + 1] for at in range(len(stream)))
    assert parse(*chunks) == parse(*single_bytes) == parse(stream)


def test_split_crlf_is_one_line_end() -> None:
    stream = b"data: a\r\ndata: b\r\n\r\n"
    for cut in range(len(stream)):
        assert parse(stream[:cut], stream[cut:]) == [("message", "a\nb")]


def test_a_long_line_in_small_pieces_is_read_in_linear_time() -> None:
    size = 4_000_000
    piece = b"x" * 100
    events = parse(b"data: ", *([piece] * (size // len(piece))), b"\n\n")
    assert [len(data) for _, data in events] == [size]
