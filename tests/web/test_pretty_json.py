"""Pretty-printing never changes the meaning of JSON."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd_web.pretty_json import InvalidJson, pretty_json

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(alphabet=st.characters()),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)), max_leaves=20
)


def pairs(text: str) -> Any:
    """What JSON says, with the order and the repetition of its names, and its numbers as they are written."""
    return json.loads(text, object_pairs_hook=tuple, parse_int=str, parse_float=str)


@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 0, 3]))
def test_meaning_is_unchanged(value: object, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    shown = pretty_json(text)
    assert pairs(shown) == pairs(text)
    assert pretty_json(shown) == shown


@given(text=st.text(alphabet='[]{},:"\\u0019ae. \n-', max_size=30))
def test_accepts_exactly_what_python_accepts(text: str) -> None:
    try:
        said = pairs(text)
    except ValueError:
        with pytest.raises(InvalidJson):
            pretty_json(text)
    else:
        assert pairs(pretty_json(text)) == said


def test_each_value_is_on_its_own_line() -> None:
    assert pretty_json('[1.0,{"a":"b, c: [","d":[ ] ,"e":{\n}}]') == (
        '[\n  1.0,\n  {\n    "a": "b, c: [",\n    "d": [],\n    "e": {}\n  }\n]'
    )


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', "[1e400]", "[9007199254740993, 0.10]", '["\\ud800"]', '["\\/"]']
)
def test_only_whitespace_changes(text: str) -> None:
    assert "".join(pretty_json(text).split()) == "".join(text.split())


@pytest.mark.long
@pytest.mark.requirement("web.json.time")
@pytest.mark.parametrize(
    "text",
    [
        "[" * 5_000_000 + "]" * 5_000_000,
        '{"a":' * 900_000 + "1" + "}" * 900_000,
        '"\\' * 5_000_000,
        '"' * 9_999_999,
        "[" + ",".join(["1.50"] * 1_000_000) + "]",
        '["' + "\\u00fc" * 1_500_000 + '"]',
        " " * 10_000_000 + "x",
    ],
    ids=["arrays", "objects", "escapes", "quotes", "numbers", "letters", "blanks"],
)
def test_large_json_is_formatted_quickly(text: str) -> None:
    began = time.monotonic()
    with suppress(InvalidJson):
        assert len(pretty_json(text)) <= 5 * len(text) + 100_000
    assert time.monotonic() - began < 15
