"""The estimated cost of parsing a text is at least its real cost.

It decides what is read on the event loop, what in a thread, and what where it can be stopped.
"""

from __future__ import annotations

import gc
import time
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd.documents.syntax.parsed_document import parse_document
from stringd.documents.syntax.parsing_cost import AT_ONCE, parsing_effort
from tests.documents.kinds import KINDS, Make, repeated
from tests.documents.pieces import PIECES

pytestmark = pytest.mark.long

# How far the reckoning may be off. Frontmatter full of brackets was read two hundred times as long.
MOST = 25
FRONTMATTER = ["{", "[", "{[", "[{", "[[],", "{},", "a,", "? ", "- a\n", "a: b\n", "a: 'b'\n", "&a ", "- - "]
OPENINGS = ["---\n", "---\na: ", "---\na: [", "\ufeff---\n", "-----\n---a\n", "---\r"]
CLOSINGS = ["\n---\nx", "\n...\nx", "\n   ------- \t\nx", "\r---"]
PROSE = "Some words in a line of prose as people write it, about eighty characters each.\n"


def seconds(text: str) -> float:
    """Return the processor time of reading."""
    gc.collect()
    began = time.thread_time()
    parse_document(text)
    return time.thread_time() - began


@cache
def longest() -> float:
    """Return how long anything may take that is read at once."""
    prose = PROSE * (4 * AT_ONCE // parsing_effort(PROSE))
    return MOST * min(seconds(prose) for _ in range(3)) / 4


def takes_a_moment(text: str) -> bool:
    """Tell whether a text is read as fast as was reckoned, on a machine that does other things too."""
    return any(seconds(text) < longest() for _ in range(3))


def at_once(make: Make) -> str:
    """Return the longest text of a kind, or nearly so, that is still read at once."""
    size = AT_ONCE
    while size and parsing_effort(make(size)) > AT_ONCE:
        size = size * 4 // 5
    return make(size)


@pytest.mark.requirement("documents.apart")
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
def test_text_parsed_inline_is_fast(make: Make) -> None:
    text = at_once(make)
    assert parsing_effort(text) > AT_ONCE or takes_a_moment(text)


@pytest.mark.requirement("documents.apart", "documents.frontmatter.long")
@pytest.mark.parametrize("closing", CLOSINGS)
@pytest.mark.parametrize("opening", OPENINGS)
def test_frontmatter_parsed_inline_is_fast(opening: str, closing: str) -> None:
    for piece in FRONTMATTER:
        assert takes_a_moment(at_once(repeated(piece, opening, closing))), piece


@pytest.mark.requirement("documents.apart")
@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join), st.sampled_from(["", "---\n"]))
@example("- a\n", "")
@example("$$", "")
def test_any_repetition_parsed_inline_is_fast(piece: str, opening: str) -> None:
    text = at_once(repeated(piece, opening, "\n---\nx" if opening else ""))
    assert parsing_effort(text) > AT_ONCE or takes_a_moment(text)


@pytest.mark.requirement("documents.frontmatter.long")
def test_frontmatter_of_nothing_but_brackets_is_a_warning() -> None:
    sheet = parse_document("---\na: " + "{[" * 20_000 + "\n---\n# Heading\n")
    assert sheet.parsed.frontmatter == {}
    assert sheet.body == "# Heading\n"
    assert [it.message for it in sheet.diagnostics] == [
        "frontmatter has too many brackets for its length and is not read"
    ]
