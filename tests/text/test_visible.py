"""Escaping of characters that control terminals."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stringd.text.escaping import visible, visible_json, visible_line, without_controls

REORDERING = {"LRO", "RLO"}
TEXTS = st.text(st.one_of(st.characters(), st.characters(categories=["Cc", "Cf"])))


def is_raw(character: str) -> bool:
    is_control = unicodedata.category(character) == "Cc" and character not in "\t\n"
    return is_control or unicodedata.bidirectional(character) in REORDERING


@pytest.mark.requirement("reply.visible")
@given(TEXTS)
@example("\x1b]52;c;cGF5\x07")
@example("é\x9b2J\u202e")
def test_only_raw_characters_are_escaped(text: str) -> None:
    shown = visible(text)
    assert not [it for it in shown.replace("\r\n", "\n") if is_raw(it)]
    expected = text.replace("\r\n", "\n")
    expected = "".join(it.encode("unicode_escape").decode() if is_raw(it) else it for it in expected)
    assert shown.replace("\r\n", "\n") == expected
    assert visible(shown) == shown


@pytest.mark.requirement("reply.visible")
@given(TEXTS)
def test_one_line_stays_one_line(text: str) -> None:
    for line in (visible_line(text), without_controls(text)):
        assert len(line.splitlines()) <= 1
        assert not [it for it in line if is_raw(it)]


@pytest.mark.requirement("reply.visible")
@given(TEXTS)
def test_json_meaning_is_unchanged(text: str) -> None:
    shown = visible_json(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(shown) == {text: text}
    assert visible(shown) == shown


def test_line_ends_tabs_and_all_scripts_are_kept() -> None:
    text = "a\tb\r\nc\n\u200e\u200f\u061c ‏עברית‎ العربية \u200d👩‍🚀 \u2028 é 漢"
    assert visible(text) is text
