"""JSON as Markdown: what it looks like, and that nothing of a service's text becomes markup."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from stringd.documents.syntax.json_markdown import json_markdown

PARSER = MarkdownIt("commonmark").enable("table")
NASTY = [
    "---",
    "```",
    "# Title",
    "- item",
    "1. one",
    "| a | b |",
    "a\\|b",
    "\\",
    "[x](javascript:1)",
    "[x][@id]",
    "[@id]: http://a.example",
    "<!-- block: x -->",
    "<script>",
    "~~~act.x\nCLI true\n~~~",
    "ERROR(NOT_FOUND): no",
    "re: /open x",
    "\x1b[2J",
    "\u202etxt",
    "a\nb",
    "a\r\n\r\n    b",
    "````\n```\n",
]
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(max_size=12))
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(TEXTS, inner, max_size=4),
        st.lists(st.fixed_dictionaries({"id": TEXTS, "name": TEXTS, "n": inner}), min_size=2, max_size=4),
    ),
    max_leaves=25,
)
STRUCTURE = {
    "bullet_list",
    "list_item",
    "paragraph",
    "inline",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "fence",
}


def text_of(value: Any) -> str:
    return json_markdown(value).text


@pytest.mark.requirement("result.json.markdown")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"name": "Anvil", "price": 12.50, "sold": False}, "- name: Anvil\n- price: 12.5\n- sold: false"),
        ({"owner": {"login": "octo", "id": 1}}, "- owner: {login: octo, id: 1}"),
        ({"tags": ["red", "a, b"]}, '- tags: red, "a, b"'),
        ({"a": None, "b": "", "c": None, "d": []}, '- *null*: a, c\n- *empty*: b "", d []'),
        ({"null": "b", "b": None, "*null*": 1}, "- null: b\n- \\*null*: 1\n- *null*: b"),
        ({"a": "see @url, a@b.example"}, "- a: see \\@url, a@b.example"),
        ({"text": "one\ntwo"}, "- text:\n  ```\n  one\n  two\n  ```"),
        ({"created_at": 1_700_000_000}, "- created_at: 1700000000 (2023-11-14 22:13:20 UTC)"),
        ({"created_at": 1_700_000_000_000}, "- created_at: 1700000000000 (2023-11-14 22:13:20 UTC)"),
        ({"count": 1_700_000_000}, "- count: 1700000000"),
        ({"createdAt": "2023-11-14T22:13:20Z"}, "- createdAt: 2023-11-14T22:13:20Z"),
        ([1, "two", None], "- 1\n- two\n- null"),
        ([], "- []"),
        ("text", "- text"),
        ([{"a": 1}], "- {a: 1}"),
    ],
)
def test_values(value: Any, expected: str) -> None:
    assert text_of(value) == expected


@pytest.mark.requirement("result.json.markdown")
def test_like_objects_are_a_table() -> None:
    rows = [{"id": 1, "name": "A|B", "gone": None}, {"id": 2, "name": "C", "gone": None, "more": "x"}]
    assert text_of({"rows": rows}) == (
        "- rows (2):\n\n"
        "  | id | name | more |\n"
        "  | --- | --- | --- |\n"
        "  | 1 | A\\|B |  |\n"
        "  | 2 | C | x |\n\n"
        "  - *null*: gone"
    )


@pytest.mark.requirement("result.json.markdown")
def test_objects_that_are_too_large_for_a_table_are_lists() -> None:
    rows = [{"title": "x" * 200, "n": 1}, {"title": "y", "n": 2}]
    assert text_of(rows) == f"- 1:\n  - title: {'x' * 200}\n  - n: 1\n- {{title: y, n: 2}}"


@pytest.mark.requirement("result.json.markdown")
def test_links_and_long_ids_get_names() -> None:
    rows = [
        {"id": "5f3c1b2e9a77", "url": "https://a.example/1"},
        {"id": "5f3c1b2e9a77-1", "url": "https://a.example/2"},
    ]
    made = json_markdown(
        {"rows": rows, "next": "https://a.example/2", "id": "5f3c1b2e9a77-2"}, {"url"}, most_names=9
    )
    assert made.links == {
        "url-2": "https://a.example/1",
        "url-3": "https://a.example/2",
        "next": "https://a.example/2",
    }
    assert made.values == {"id": "5f3c1b2e9a77-1", "id-2": "5f3c1b2e9a77-2"}
    assert "  | 5f3c1b2e9a77 | @url-2 |\n  | @id (5f3c1b2e…) | @url-3 |" in made.text
    assert made.text.endswith("- next: @next\n- id: 5f3c1b2e9a77-2 (@id-2)")


def test_names_are_limited() -> None:
    urls = [{"url": f"https://a.example/{number}"} for number in range(3)]
    made = json_markdown(urls, most_names=2)
    assert list(made.links) == ["url", "url-2"]
    assert "| [url](<https://a.example/2>) |" in made.text


def test_a_deep_value_is_written_at_last_as_json() -> None:
    value: Any = "end" * 40
    for _ in range(200):
        value = {"a": value}
    assert "end" * 40 in text_of(value)
    assert max(map(len, text_of(value).split("\n"))) > 120


@pytest.mark.requirement("result.json.markdown.stranger")
@settings(max_examples=120, deadline=None)
@given(VALUES)
def test_no_text_becomes_markup(value: Any) -> None:
    text = text_of(value)
    assert all(line.startswith(("- ", "  ", "| ")) or not line for line in text.split("\n"))
    kinds = {it.type.removesuffix("_open").removesuffix("_close") for it in PARSER.parse(text)}
    assert kinds - {"code_block"} <= STRUCTURE
    assert not any(
        it.type in {"link_open", "image", "html_inline"} and "!--" in it.content for it in inlines(text)
    )
    assert not any(
        it.type in {"link_open", "image"} and "javascript" in str(it.attrs) for it in inlines(text)
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fixed_dictionaries({"a": TEXTS, "b": TEXTS}), min_size=2, max_size=5))
def test_a_table_has_as_many_cells_in_each_row(rows: list[dict[str, str]]) -> None:
    tokens = [it.type for it in PARSER.parse(text_of(rows))]
    if "table_open" in tokens:
        assert tokens.count("td_open") == tokens.count("th_open") * (tokens.count("tr_open") - 1)
        assert tokens.count("tr_open") == len(rows) + 1


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.from_regex(r"[a-z]{6,9}", fullmatch=True),
        lambda it: st.lists(it) | st.dictionaries(st.from_regex(r"[A-Z]{3,5}", fullmatch=True), it),
    )
)
def test_nothing_is_lost(value: Any) -> None:
    text = text_of(value)
    assert all(leaf in text for leaf in leaves(value))


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, it in value.items():
            yield name
            yield from leaves(it)
    elif isinstance(value, list):
        for it in value:
            yield from leaves(it)
    else:
        yield value


def inlines(text: str) -> Iterator[Token]:
    for token in PARSER.parse(text):
        yield from token.children or ()


def test_a_large_answer_takes_linear_time_and_is_complete() -> None:
    rows = [{"id": number, "name": f"n{number}"} for number in range(20_000)]
    text = text_of(json.loads(json.dumps(rows)))
    assert text.count("\n") == 20_001
    assert "| 19999 | n19999 |" in text
