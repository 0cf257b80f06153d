"""Parts of JSON values as flags, and values in a body."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.actions.values.nested_flags import FlagText, PathConflict, merged, path_text, split_path
from stringd.testing.process import DaemonProcess
from tests.actions import calling
from tests.actions.acting import Stage, act
from tests.actions.service import Service

NUMBERS = itertools.count(1)
TOOL = act(
    "tool",
    "CALL echo tool",
    "  key, -k: json",
    "  name: string",
    "  count: number",
    "  deep: boolean",
    "  names: list",
    "  kind: string (a|b)",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with a plugin that shows the values it gets."""
    plugins = ("--plugins", str(Path(calling.__file__)))
    running = DaemonProcess(tmp_path_factory.mktemp("nested"), plugins, {}, port=0, data_dir=None)
    running.start()
    try:
        running.register("default", running.home)
        yield running
        assert "Traceback" not in running.stderr()
        assert running.stop() == 0
    finally:
        running.kill()


@pytest.fixture
def tool(stage: Stage) -> Stage:
    """A topic whose page has the action."""
    stage.open(TOOL)
    return stage


def values(stage: Stage, cmd: str) -> object:
    return json.loads(stage.send(cmd))["values"]


@pytest.mark.requirement("call.nested")
@pytest.mark.parametrize(
    ("flags", "key"),
    [
        ("--key.sub 5", {"sub": "typed 5"}),
        ("--key.sub=5 --key.on true", {"sub": "typed 5", "on": "typed true"}),
        ("--key.a.b c --key.a.d 'e f'", {"a": {"b": "typed c", "d": "typed e f"}}),
        ("--key.list[1] b --key.list[0] a", {"list": ["typed a", "typed b"]}),
        ("--key.list a --key.list b", {"list": ["typed a", "typed b"]}),
        ("--key[0].x 1 --key[1].x 2", [{"x": "typed 1"}, {"x": "typed 2"}]),
        ("""--key '{"a": 1}' --key.b 2""", {"a": 1, "b": "typed 2"}),
        (
            """--key.b 2 -k '{"a": {"c": true}}' --key.a.d -1""",
            {"a": {"c": True, "d": "typed -1"}, "b": "typed 2"},
        ),
        ("""--key '[1]' --key[1] 2""", [1, "typed 2"]),
        ("--key.Straße.x-y_z ß", {"Straße": {"x-y_z": "typed ß"}}),
        ("""--key.a ''""", {"a": "typed "}),
    ],
)
def test_flags_build_up_a_value(tool: Stage, flags: str, key: object) -> None:
    assert values(tool, f"/act.tool {flags}") == {"key": key}


@pytest.mark.requirement("call.nested.conflict")
@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--key.a 1 --key.a.b 2", "--key.a twice, once as an object"),
        ("""--key '{"a": 1}' --key.a 2""", "--key.a twice"),
        ("--key.a 1 --key[0] 2", "--key twice, once as an array"),
        ("""--key 5 --key.a 2""", "--key twice, once as an object"),
        ("--key.a[1] 2", "--key.a[1] without the elements before it"),
        ("--key.a[0] 1 --key.a[2] 3 --key.b 4", "3 elements without --key.a[1]"),
        (f"--key '{'[' * 900}{']' * 900}'", "more than 100 levels"),
        ("--key.a[999999].b 2", "--key.a[999999] without the elements before it"),
        (f"--key.a{'.b' * 20_000} 2", "more than 100 levels"),
        (f"--key.a 1 --key '{'[' * 200}{']' * 200}'", "more than 100 levels"),
        ("--key.a --name x", "--key.a without a value"),
    ],
)
def test_flags_that_conflict_are_refused(tool: Stage, flags: str, told: str) -> None:
    reply = tool.daemon.exec(f"/act.tool {flags}", tool.topic)
    assert reply.head["code"] == "INVALID_PARAMS"
    assert f"key: expected JSON, received {told}\n" in reply.content


@pytest.mark.requirement("call.nested.conflict")
@pytest.mark.parametrize(
    "flag", ["--name.a", "--key.", "--key..a", "--key[a]", "--key[-1]", "--key[0", "--kay.a"]
)
def test_other_flags_with_dots_are_unknown(tool: Stage, flag: str) -> None:
    assert tool.code(f"/act.tool {flag} 1") == "INVALID_PAYLOAD"


@pytest.mark.requirement("call.nested")
def test_parts_take_variables_and_named_values(tool: Stage) -> None:
    tool.send('/set {city} = "Bonn"')
    assert values(tool, "/act.tool --key.a {city} --key.b <city>") == {
        "key": {"a": "typed Bonn", "b": "typed Bonn"}
    }
    assert tool.code("/act.tool --key.a {nothing}") == "UNDEFINED_VARIABLE"
    assert tool.code("/act.tool --key.a $KEY") == "INVALID_VARIABLE"
    assert tool.code("/act.tool --key.a @nothing") == "INVALID_PARAMS"
    tool.open(TOOL, act("x", "CALL echo markdown"))
    tool.send("/act.x")
    assert values(tool, "/act.tool --key.a @id-1 --key.b @id-2") == {
        "key": {"a": "typed 7", "b": ["typed 8", "typed 9"]}
    }


@pytest.mark.requirement("call.nested")
def test_parts_reach_http_actions_as_json(stage: Stage, service: Service) -> None:
    service.answer("/x", {})
    stage.open(act("x", f"POST {service.url}/x", "  where: json"))
    stage.send("/act.x --where.city Bonn --where.tags a --where.tags b")
    assert service.last.json() == {"where": {"city": "Bonn", "tags": ["a", "b"]}}


@pytest.mark.requirement("call.body")
def test_body_gives_parameters_by_name(tool: Stage) -> None:
    body = {
        "key": {"a": [1, None, {"b": 1.5}]},
        "name": '{city} @x $KEY\n"q"',
        "count": 2,
        "deep": False,
        "names": ["a,b", 1],
        "kind": "b",
    }
    given = {**body, "names": ["a,b", "1"]}
    assert values(tool, f"/act.tool\n{json.dumps(body)}") == given
    assert values(tool, f"/act.tool --\n\n{json.dumps(body, indent=2)}\n") == given
    assert values(tool, '/act.tool --name "two\nlines"\n{"count": 1, "deep": null}') == {
        "name": "two\nlines",
        "count": 1,
    }
    assert values(tool, '/act.tool\n{"key": null, "names": "a,b", "name": 1.50}') == {
        "key": None,
        "names": ["a", "b"],
        "name": "1.50",
    }
    assert values(tool, '/act.tool --key.b 2\n{"key": {"a": 1}}') == {"key": {"a": 1, "b": "typed 2"}}


@pytest.mark.requirement("call.body.refused")
@pytest.mark.parametrize(
    ("call", "code", "told"),
    [
        ('\n{"nam": 1}', "INVALID_PAYLOAD", "Unknown parameter in the body: nam"),
        ("\n{name: 1}", "INVALID_PAYLOAD", "The body is not JSON"),
        ('\n{"name": "a", "name": "b"}', "INVALID_PAYLOAD", "it has two values for 'name'"),
        ('\n{"count": NaN}', "INVALID_PAYLOAD", "The body is not JSON"),
        ('\n{"count": 1} {"count": 2}', "INVALID_PAYLOAD", "The body is not JSON"),
        ("\n[1]", "INVALID_PAYLOAD", "One command per request"),
        ("\n/act.tool", "INVALID_PAYLOAD", "One command per request"),
        (' --name "a\n{', "INVALID_PAYLOAD", "never closed"),
        ('\n{"count": "many"}', "INVALID_PARAMS", "count: expected a number, received '\"many\"'"),
        ('\n{"name": ["a"]}', "INVALID_PARAMS", "name: expected a string"),
        ('\n{"kind": "c"}', "INVALID_PARAMS", "kind: expected one of a, b"),
        (' --name a\n{"name": "b"}', "INVALID_PARAMS", "received it twice: on the line and in the body"),
        (' --key.a 1\n{"key": {"a": 2}}', "INVALID_PARAMS", "received --key.a twice"),
        ("\n{" + '"key": ' + "[" * 101 + "]" * 101 + "}", "INVALID_PAYLOAD", "more than 100 levels"),
        ("\n{" + '"key": ' + "[" * 5000 + "]" * 5000 + "}", "INVALID_PAYLOAD", "The body is not JSON"),
    ],
)
def test_other_bodies_are_refused(tool: Stage, call: str, code: str, told: str) -> None:
    reply = tool.daemon.exec(f"/act.tool{call}", tool.topic)
    assert reply.head["code"] == code
    assert told in reply.content


KEYS = st.text(st.characters(exclude_characters=".[]= \n\"'", exclude_categories=["C", "Z"]), min_size=1)
JSON = st.recursive(
    st.text(),
    lambda inner: st.lists(inner, min_size=1) | st.dictionaries(KEYS, inner, min_size=1),
    max_leaves=12,
)
FLAGS = ["key.a", "key[0]", "key.a[0]", "key.a.b", "key[1]", "key[0].a"]


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from leaves(child, (*path, key))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from leaves(child, (*path, number))
    else:
        yield path, FlagText(value)


@pytest.mark.long
@pytest.mark.requirement("call.nested")
@settings(max_examples=60, deadline=None)
@given(value=st.dictionaries(KEYS, JSON, min_size=1), data=st.data())
def test_every_value_is_the_sum_of_its_leaves(value: object, data: st.DataObject) -> None:
    parts = list(leaves(value))
    typed = [(path_text("key", path), leaf) for path, leaf in data.draw(st.permutations(parts))]
    read = [(split_path(flag), leaf) for flag, leaf in typed]
    assert merged("key", [], [(it[1], leaf) for it, leaf in read if it]) == value


@pytest.mark.long
@pytest.mark.requirement("call.nested.conflict")
@settings(max_examples=60, deadline=None)
@given(flags=st.lists(st.sampled_from(FLAGS)), base=JSON)
def test_any_flags_make_a_value_or_conflict(flags: list[str], base: object) -> None:
    parts = [(it[1], FlagText("x")) for it in map(split_path, flags) if it]
    with suppress(PathConflict):
        assert json.dumps(merged("key", [base], parts))
