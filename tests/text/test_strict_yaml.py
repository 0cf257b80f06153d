"""Strict YAML: values with their lines; the rest of the language is refused."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd.plugin.strict_files import FileInvalid, Value, read_yaml

DEEPEST = 8


def read(text: str) -> Value:
    node = read_yaml(text, DEEPEST)
    assert node is not None
    return Value(node, "the file")


def refusal(attempt: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(FileInvalid) as caught:
        attempt()
    return caught.value.line, caught.value.message


def test_values_know_their_lines() -> None:
    value = read("a: 1\nb:\n  - x\n  - c: |\n      text\n")
    values = value.mapping(("a", "b"))
    assert [values["a"].line, values["b"].line] == [1, 3]
    assert [it.line for it in values["b"].items()] == [3, 4]
    assert value.data() == {"a": 1, "b": ["x", {"c": "text\n"}]}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("2026-11-18", "2026-11-18"),
        ("Infinity", "Infinity"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("012", 12),
        ("0x1F", 31),
        ("-1.5e3", -1500.0),
        ("True", True),
        ("~", None),
        ("", None),
        ("'true'", "true"),
        ('"1.0"', "1.0"),
    ],
)
def test_plain_words_mean_what_they_mean_in_yaml_1_2(written: str, value: Any) -> None:
    read_back = read(f"a: {written}").data()["a"]
    assert (type(read_back), read_back) == (type(value), value)


def test_texts_are_told_from_numbers() -> None:
    values = read("a: 1.10\nb: '1.10'\nc: yes\nd: null").entries()
    assert refusal(values["a"].text) == (1, 'a must be a text; in quotes: "1.10"')
    assert refusal(values["d"].text)[0] == 4
    assert [values["b"].text(), values["c"].text(), values["a"].as_written()] == ["1.10", "yes", "1.10"]
    assert refusal(values["c"].truth) == (3, "c must be true or false")


@pytest.mark.parametrize("written", [".inf", "-.Inf", ".nan", "1e999", "9" * 400])
def test_numbers_are_finite(written: str) -> None:
    value = read(f"\na: {written}").entries()["a"]
    assert refusal(value.number) == (2, "a must be a number")
    assert refusal(value.data)[0] == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: 2\na: 3", 3, "a is given twice in the file"),
        ("x: {a: 1,\n a: 2}", 2, "a is given twice in x"),
        ("? [a]\n: b", 1, "a key must be a text"),
        ("a: &x 1", 1, "anchors and tags are not supported"),
        ("a: 1\nb: *x", 2, "anchors and tags are not supported"),
        ("a: !!str 1", 1, "anchors and tags are not supported"),
        ("a: 1\n--- \nb: 2", 2, "another document begins here"),
        ("[" * 9, 1, "it is nested too deeply"),
        ("a: 1\nb: \x00", 2, "a character that YAML does not allow"),
        ("a: 1\nb: \ud800", 2, "a character that YAML does not allow"),
        ("a: 1\n b: 2", 2, "not YAML: mapping values are not allowed"),
        ("a:\n\tb: 1", 2, "not YAML: a line is indented with a tab; use blanks"),
        ("a:\n  - b\n \t- c\n", 3, "not YAML: a line is indented with a tab; use blanks"),
        ("a: [1,\n2\n", 2, "not YAML: "),
        ("%YAML " + "9" * 5000 + ".1\n---\n", 1, "not YAML"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    found, said = refusal(lambda: read(text).data())
    assert said.startswith(message)
    assert found == line


def test_a_document_without_content_has_no_value() -> None:
    assert [read_yaml(it, DEEPEST) for it in ("", "# nothing\n", "---\n...\n")][:2] == [None, None]


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("ab01: -[]{},\n\t'\"#&*!|>?%@`~.\\\x07é") | st.characters(), max_size=80))
@example("- - - - - - - - - - - -")
@example("? ? ? a")
def test_no_text_raises_anything_else(text: str) -> None:
    with contextlib.suppress(FileInvalid):
        node = read_yaml(text, DEEPEST)
        json.dumps(Value(node, "it").data() if node else None, allow_nan=False)
