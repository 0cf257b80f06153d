"""Unpublished output: kept completely if small, otherwise its two ends."""

from __future__ import annotations

import re

import pytest

from stringd.events.unpublished_output import MOST_BYTES, PrintedText

KEY = "s3cret/key+1"
NOTE = re.compile(r"\n\[\.\.\. (\d+) bytes of output left out \.\.\.\]\n")


@pytest.mark.parametrize("piece", [1, 100, 4096, 65536, 10_000_000])
@pytest.mark.parametrize("size", [100, MOST_BYTES, MOST_BYTES + 1, 100_000])
def test_ends_and_count_add_up_to_the_whole(piece: int, size: int) -> None:
    data = b"".join(b"%06d\n" % number for number in range(size // 7 + 1))[:size]
    printed = PrintedText()
    for start in range(0, size, piece):
        printed.add(data[start : start + piece])
    text = printed.take({}, final=True)
    note = NOTE.search(text)
    if size <= MOST_BYTES:
        assert text == data.decode()
    else:
        assert note
        head, tail = text[: note.start()], text[note.end() :]
        assert len(head) + len(tail) == MOST_BYTES
        assert int(note[1]) == size - MOST_BYTES
        assert data.startswith(head.encode())
        assert data.endswith(tail.encode())


def test_taken_text_is_removed() -> None:
    printed = PrintedText()
    printed.add(b"a" * 100_000)
    printed.take({}, final=False)
    printed.add(b"b\n")
    assert printed.take({}, final=False) == "b\n"


def test_split_character_is_shown_once_it_is_complete() -> None:
    printed = PrintedText()
    printed.add("ä".encode()[:1])
    assert printed.take({}, final=False) == ""
    printed.add("ä".encode()[1:])
    assert printed.take({}, final=False) == "ä"


@pytest.mark.parametrize("place", range(0, 2 * len(KEY), 3))
@pytest.mark.requirement("output.masked")
def test_no_part_of_a_secret_is_shown_next_to_a_cut(place: int) -> None:
    half = MOST_BYTES // 2
    text = "x" * (half - place) + KEY + "x" * 50_000 + KEY + "x" * (half - place)
    printed = PrintedText()
    printed.add(text.encode())
    shown = printed.take({KEY: "$KEY"}, final=True)
    assert not any(KEY[start : start + 3] in shown for start in range(len(KEY) - 2))


@pytest.mark.requirement("output.masked")
def test_beginning_of_a_secret_is_withheld_until_the_rest_follows() -> None:
    printed = PrintedText()
    printed.add(f"is {KEY[:5]}".encode())
    assert printed.take({KEY: "$KEY"}, final=False) == "is "
    printed.add(f"{KEY[5:]}\n".encode())
    assert printed.take({KEY: "$KEY"}, final=False) == "$KEY\n"
    printed.add(KEY[:5].encode())
    assert printed.take({KEY: "$KEY"}, final=False) == ""
    assert printed.take({KEY: "$KEY"}, final=True) == KEY[:5]


def test_text_dropped_next_to_a_cut_is_counted() -> None:
    printed = PrintedText()
    printed.add(b"x" * 100_000)
    text = printed.take({KEY: "$KEY"}, final=True)
    note = NOTE.search(text)
    assert note
    assert len(text) - len(note[0]) == 100_000 - int(note[1]) < MOST_BYTES
