"""The display of a question is unambiguous: property tests."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.cli.approve.question_text import CONTINUED, question_page
from stringd.text.unambiguous_text import unambiguous

CHARACTERS = st.one_of(
    st.characters(codec="utf-8"),
    st.sampled_from("ab :⟨⟩│┃┊•\n\t\r\x1b\u202e\u200b\u0301\u3164é漢(?) 1)[]U+"),
)
TEXT = st.text(CHARACTERS, max_size=60)
LINE = st.text(CHARACTERS.filter(lambda it: ord(it) >= 0x20), min_size=1, max_size=60)
WIDTH = st.integers(min_value=1, max_value=100)
ESCAPE = re.compile(r"⟨U\+([0-9A-F]{4,6})⟩")


def question(**fields: Any) -> dict[str, Any]:
    nobody = dict.fromkeys(("user_id", "topic", "request_id", "expires", "expires_at"))
    return {"title": "T", "body": "", "details": {}, "choices": [], "asked_by": "x", **nobody, **fields}


def original(shown: str) -> str:
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)), shown)


def read(lines: list[str]) -> dict[str, Any]:
    """Reconstruct the question from its display."""
    joined: list[str] = []
    for line in lines:
        if line.startswith(CONTINUED):
            joined[-1] += line.removeprefix(CONTINUED)
        else:
            joined.append(line)
    found = question(title=original(joined.pop(0).removeprefix("┃ ")))
    body: list[str] = []
    last = None
    for line in joined:
        if line.startswith("│ "):
            text = original(line.removeprefix("│ "))
            if last is None:
                body.append(text)
            else:
                found["details"][last] += f"\n{text}"
        elif line.startswith("• "):
            name, _, value = line.removeprefix("• ").partition(": ")
            last = original(name)
            found["details"][last] = original(value)
        elif choice := re.match(r"\d+\) ", line):
            found["choices"].append(original(line[choice.end() :]))
    found["body"] = "\n".join(body)
    return found


@pytest.mark.long
@pytest.mark.requirement("approve.escapes")
@settings(max_examples=400, deadline=None)
@given(LINE, TEXT, st.dictionaries(LINE, TEXT, max_size=3), st.lists(LINE, max_size=3), WIDTH)
def test_question_can_be_reconstructed_from_the_display(
    title: str, body: str, details: dict[str, str], choices: list[str], width: int
) -> None:
    asked = question(title=title, body=body, details=details, choices=choices)
    assert read(question_page(asked, width, whole=True)) == asked


@pytest.mark.requirement("approve.escapes")
@settings(max_examples=400, deadline=None)
@given(LINE, TEXT, WIDTH)
def test_display_neither_controls_nor_overflows_the_terminal(title: str, body: str, width: int) -> None:
    for line in question_page(question(title=title, body=body), width, whole=True):
        assert line.isprintable()
        columns = sum(2 if unicodedata.east_asian_width(it) in "WF" else 1 for it in line)
        assert columns < max(width, 20) or ESCAPE.search(line)


@pytest.mark.requirement("approve.escapes")
@settings(max_examples=400, deadline=None)
@given(TEXT, TEXT)
def test_different_texts_never_look_the_same(one: str, other: str) -> None:
    assert (unambiguous(one) == unambiguous(other)) == (one == other)


@pytest.mark.requirement("approve.escapes")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, as typed", "plain text, as typed"),
        ("naïve Größe Ελλάδα हिन्दी", "naïve Größe Ελλάδα हिन्दी"),
        ("a\u0301\u0301\u0301", "a\u0301\u0301⟨U+0301⟩"),
        (" \u0301", " ⟨U+0301⟩"),
        ("x ", "x⟨U+0020⟩"),
        ("\u3164\u2800\u00a0\ufeff", "⟨U+3164⟩⟨U+2800⟩⟨U+00A0⟩⟨U+FEFF⟩"),
        ("⟨U+0041⟩", "⟨U+27E8⟩U+0041⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
    ],
)
def test_what_is_escaped(text: str, shown: str) -> None:
    assert unambiguous(text) == shown
