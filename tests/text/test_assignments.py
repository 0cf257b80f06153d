"""Parsing of the assignments of `/set`."""

from __future__ import annotations

import time

import pytest

from stringd.errors import Refusal
from stringd.text.assignments import parse_assignments


def values(text: str) -> dict[str, str]:
    return {f"${it.name}" if it.secret else it.name: it.value for it in parse_assignments(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ('{x} = "v"', {"x": "v"}),
        ('{x}="v"', {"x": "v"}),
        ("{x} = 'it \"is\"'", {"x": 'it "is"'}),
        ('{x} = ""', {"x": ""}),
        ('$KEY = "s"', {"$KEY": "s"}),
        ('{x} = "a \\"b\\" \\\\ \\n"', {"x": 'a "b" \\ \\n'}),
        ('{x} = "1"\n{y} = "2"\n', {"x": "1", "y": "2"}),
        ('{x} = "1"\r\n{y} = "2"\r\n', {"x": "1", "y": "2"}),
        ('{x} = "1"\n{x} = "2"', {"x": "2"}),
        ('{x} = "two\nlines"', {"x": "two\nlines"}),
        ('{x} = "{y} and $Z"', {"x": "{y} and $Z"}),
        ("```{x}\none\n\n  two\n```", {"x": "one\n\n  two"}),
        ('```$KEY\none\n```\n{y} = "2"', {"$KEY": "one", "y": "2"}),
        ("````{x}\n```\n````", {"x": "```"}),
        ("```{x}\n```", {"x": ""}),
    ],
)
def test_valid_assignments(text: str, expected: dict[str, str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "{x}",
        "{x} = v",
        '{x} = "open',
        '{x} = "a" b',
        '{x} = "a"\nnonsense',
        "```{x}\nnever closed",
        "```{x} = 1\n```",
        '{1x} = "a"',
        '{} = "a"',
        '{x} = "a\0"',
    ],
)
def test_invalid_assignments(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse_assignments(text)
    assert caught.value.code == "INVALID_PAYLOAD"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{x} = "v"', '{x} = "v"'),
        ("{x} = 'say \"hi\"'", '{x} = "say \\"hi\\""'),
        ("```{x}\na\nb\n```", '{x} = "a … (2 lines)"'),
    ],
)
def test_shown_in_one_line(text: str, shown: str) -> None:
    (assignment,) = parse_assignments(text)
    assert str(assignment) == shown


def test_parsing_is_linear() -> None:
    text = "".join(f'{{v{number}}} = "x"\n' for number in range(100_000))
    before = time.process_time()
    assert len(parse_assignments(text)) == 100_000
    assert time.process_time() - before < 5


@pytest.mark.parametrize("text", ['{a} = "1" trailing', "{a} = '1' '2'"])
def test_text_after_a_value_is_quoted_in_the_error(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse_assignments(text)
    assert refused.value.message == f"Something follows the value: {text}"
