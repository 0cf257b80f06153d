"""Any value survives encoding as a single value: in a call, a URL, JSON, a form or a query."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.actions.arguments.action_call import read_call
from stringd.actions.environment.action_environment import Environment
from stringd.actions.http.action_request import build_request
from stringd.actions.values.placeholders import PlaceholderFiller
from stringd.actions.values.secret_taint import Taint
from stringd.actions.values.typed_values import Value
from stringd.api.http import HttpRequest
from stringd.documents.syntax.actions import Action, parse_actions
from stringd.documents.syntax.parser import parse
from tests.actions.acting import act
from tests.documents.standing import standing

SECRETS = {"KEY": "the secret"}
# What is syntax somewhere is drawn far more often than by chance.
HOSTILE = st.sampled_from(
    [
        '"',
        "'",
        "\\",
        "{a}",
        "{{a}}",
        "${a}",
        "$KEY",
        "%41",
        "/",
        "..",
        "?",
        "#",
        "&",
        "=",
        "\n",
        "\0",
        "|file",
        "<a>",
    ]
)
ENCODABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.lists(HOSTILE | ENCODABLE, max_size=8).map("".join)


def declared(line: str, *parameters: str) -> Action:
    book = parse_actions(parse(act("x", line, *parameters)).fences)
    assert book.diagnostics == ()
    return book.actions["x"]


def sent(line: str, value: Value, *more: str) -> HttpRequest:
    action = declared(line, *more, "  a: string")
    filling = PlaceholderFiller({"a": value}, SECRETS, pytest.fail, Taint())
    return build_request(action, {"a": value}, filling).request


def quoted(value: str) -> str:
    """A value as a careful caller types it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    for mark in "{<$":
        escaped = escaped.replace(mark, f"\\{mark}")
    return f'"{escaped}"'


@settings(deadline=None)
@given(VALUES)
def test_quoting_round_trips(value: str) -> None:
    action, session = declared("CLI x", "  a: string", "  b: string"), standing(Path("/home"))
    for typed in (f"--a {quoted(value)} b", f"b=b a={quoted(value)}", f"--a={quoted(value)} -- b"):
        call = read_call(action, typed, session, Environment(secrets=SECRETS))
        assert call.values == {"a": value, "b": "b"}


@settings(deadline=None)
@given(VALUES)
def test_value_is_one_url_component(value: str) -> None:
    if value in {".", ".."}:
        return
    url = urlsplit(sent("GET https://api.example/rows/{a}/notes?q={a}&k=$KEY#top", value).url)
    assert (url.netloc, url.fragment) == ("api.example", "")
    assert [unquote(part) for part in url.path.split("/")] == ["", "rows", value, "notes"]
    assert parse_qs(url.query, keep_blank_values=True) == {"q": [value], "k": ["the secret"]}


@settings(deadline=None)
@given(VALUES)
def test_value_is_one_field_of_query_body_and_form(value: str) -> None:
    left_over = urlsplit(sent("GET https://api.example/rows", value).url)
    assert parse_qs(left_over.query, keep_blank_values=True) == {"a": [value]}
    assert json.loads(sent("POST https://api.example/rows", value).body or b"") == {"a": value}
    form = sent("POST https://api.example/rows -d 'x=1&a={a}&k=$KEY'", value).body or b""
    assert parse_qs(form.decode(), keep_blank_values=True) == {"x": ["1"], "a": [value], "k": ["the secret"]}


@settings(deadline=None)
@given(VALUES)
def test_value_is_one_json_string(value: str) -> None:
    body = sent("""POST https://api.example/rows -d '{"a":"<{a}>","b":{a},"k":"$KEY"}'""", value).body or b""
    assert json.loads(body) == {"a": f"<{value}>", "b": value, "k": "the secret"}


@settings(deadline=None)
@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans())
def test_numbers_and_booleans_are_json_ones(number: Value) -> None:
    body = sent("""POST https://api.example/rows -d '{"a":{a}}'""", number).body or b""
    assert json.loads(body) == {"a": number}
