"""Searching for words in a page's text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.documents.pages.page_search import find


def found(text: str, wanted: str) -> list[str]:
    return [text[start:end] for start, end in find(text, wanted)]


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("Some Words.", "some words", ["Some Words"]),
        ("one two one", "one", ["one", "one"]),
        ("aaaa", "aa", ["aa", "aa"]),
        ("Straße STRASSE", "strasse", ["Straße", "STRASSE"]),
        ("İstanbul, Ὀδυσσεύς", "ὀδυσσεύσ", ["Ὀδυσσεύς"]),
        ("e\u0301te\u0301 vu", "été vu", ["e\u0301te\u0301 vu"]),
        ("été", "e\u0301te\u0301", ["été"]),
        (unicodedata.normalize("NFD", "한국어 책"), "책", [unicodedata.normalize("NFD", "책")[:1]]),
        ("a **bold** word", "bold word", ["bold** word"]),
        ("a **bold** word", "**bold**", ["**bold**"]),
        ("*It* is _here_ now", "it is here now", ["It* is _here_ now"]),
        ("snake_case and __init__", "snake_case", ["snake_case"]),
        ("call `__init__` first", "call __init__ first", ["call `__init__` first"]),
        ("call `__init__` first", "__init__", ["__init__"]),
        ("2 * 3 and 2*3", "2 * 3", ["2 * 3"]),
        ("2 * 3 and 2*3", "2*3", ["2*3"]),
        ("see [the guide][@guide] now", "the guide now", ["the guide][@guide] now"]),
        ("see [the guide][@guide] now", "@guide", ["@guide"]),
        ("see [the guide](guide.md) now", "the guide now", ["the guide](guide.md) now"]),
        ("see [the guide](guide.md) now", "guide.md", ["guide.md"]),
        ("see [the **big** guide](guide.md) now", "[the big guide]", ["[the **big** guide]"]),
        ("see [the _big_ guide][@guide] now", "[the big guide]", ["[the _big_ guide]"]),
        ("an array[0] here", "array[0]", ["array[0]"]),
        (r"a \*star\*", "a *star*", [r"a \*star\*"]),
        ("one line\nand the next", "line and", ["line\nand"]),
        ("one line\r\nand the next", "line and", ["line\r\nand"]),
        ("> one line\n> and the next", "line and", ["line\n> and"]),
        ("> one line\n> and the next", "line > and", ["line\n> and"]),
        ("> one line\n> and the next", "> and", ["> and"]),
        ("one line\n>", ">", [">"]),
        ("- one line\n  and the next", "line and", ["line\n  and"]),
        ("one   two\u00a0three", "one two three", ["one   two\u00a0three"]),
        ("one two", "one    two", ["one two"]),
        ("one\n\ntwo", "one two", []),
        ("one\n- two", "one two", []),
        ("one\n  - two", "one two", []),
        ("# one\n## two", "one two", []),
        ("| one |\n| two |", "| |", []),
        ("", "one", []),
        ("one", "two", []),
    ],
)
def test_matching_ignores_case_markup_and_whitespace(text: str, wanted: str, expected: list[str]) -> None:
    assert found(text, wanted) == expected


@settings(max_examples=300, deadline=None)
@given(st.text(min_size=1, max_size=60), st.data())
def test_every_word_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    words = text.split()
    if words:
        word = data.draw(st.sampled_from(words))
        matches = list(find(text, word))
        assert matches
        assert all(0 <= start < end <= len(text) for start, end in matches)


@pytest.mark.parametrize(
    "unit", ["*", "_", "`", "[", "]", "\\", " ", "\n", "> ", "](", "* ", "`a", "\u0301", "- "]
)
def test_any_text_is_searched_quickly(unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "\n\nend"
    assert found(text, "end") == ["end"]
