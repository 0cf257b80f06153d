"""Response templates in the short template language."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.actions.templates.jobs import run_template
from stringd.actions.templates.template_run import FileToSave
from stringd.actions.values.typed_values import read_number
from tests.actions.template_runs import fault, rendered

ROWS = {
    "rows": [
        {"id": 7, "box": {"n": "a"}, "tags": ["x", "y"]},
        {"id": 8.5, "box": {"n": "b"}, "tags": [], "done": True},
    ],
    "a-b": {"0": "zero"},
    "none": None,
}


@pytest.mark.requirement("template.path")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Response.body.rows[0].id", "7"),
        ("Response.body.rows.0.id", "7"),
        ("Response.body.rows[0].tags.1", "y"),
        ("Response.body.rows.1.tags[0]", ""),
        ("Response.body.rows[9].id", ""),
        ("Response.body.rows.id", ""),
        ("Response.body.rows[1].done", "true"),
        ("Response.body.rows[1].id", "8.5"),
        ("Response.body.a-b.0", "zero"),
        ('Response.body["a-b"][0]', "zero"),
        ("Response.body.none", ""),
        ("Response.body.no.such.thing", ""),
        ("$.rows[0].id", "7"),
        ("Response.status", "200"),
        ("Response.headers.Content-Type", "application/json"),
        ("Response.body.rows[0].box", '{"n": "a"}'),
        ("Response.body.items", ""),
        ("Response.body.__class__", ""),
    ],
)
def test_paths(path: str, text: str) -> None:
    assert rendered(f"<{{{path}}}>", ROWS).text == f"<{text}>"
    assert rendered(f"{{x}} = {{{path}}}", ROWS).variables == {"x": text}


@pytest.mark.requirement("template.body")
@pytest.mark.parametrize(("body", "text"), [("plain", "plain"), ([1, "a"], '[1, "a"]'), (None, "")])
def test_whole_body(body: object, text: str) -> None:
    assert rendered("{Response.body}", body).text == text


def test_keys_named_like_methods() -> None:
    body = {"items": [1], "keys": {"get": "g"}, "count": 3}
    assert (
        rendered("{Response.body.items[0]}{Response.body.keys.get}{Response.body.count}", body).text == "1g3"
    )


@pytest.mark.requirement("template.unknown")
@pytest.mark.parametrize(
    "text",
    [
        "{nope} {nope.a} {nope[0]} {@nope}",
        "{{city}} {{ 7 * 7 }} {% if x %} {# c #}",
        '{"json": {"a": 1}} {a b} {} { x } ${nope} $0.05 P_{kw}',
        "{x} = nothing that is known",
        "{x} =",
        "{@x} = plain words",
        "for: example, this line",
        "to: bob@example.com",
        "decode: base64",
        "next: /act.more --page 2",
        "a save: b",
    ],
)
def test_other_text_is_output(text: str) -> None:
    made = rendered(text, ROWS, variables={"city": "Seoul"})
    assert (made.text, made.variables, made.values, made.saves) == (text, {}, {}, ())


@pytest.mark.requirement("template.assign")
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("Response.body.rows[0].id", "7"),
        ("{Response.body.rows[0].id}", "7"),
        ('"literal"', "literal"),
        ('"{who} and {Response.body.rows[0].id}"', "Ann and 7"),
        (r'"a \"b\" \\ \n"', r'a "b" \ \n'),
        ("{who}", "Ann"),
        ("{city}", "Seoul"),
        ("{Response.body.rows[0].id},{Response.body.rows[1].id}", "7,8.5"),
        ("{who} ({city})", "Ann (Seoul)"),
    ],
)
def test_assignments(expression: str, value: str) -> None:
    made = rendered(
        f"{{x}} = {expression}\n\nvalue {{x}}\n", ROWS, params={"who": "Ann"}, variables={"city": "Seoul"}
    )
    assert (made.text, made.variables) == (f"value {value}", {"x": value})


@pytest.mark.requirement("template.shadow")
def test_assignment_precedes_parameter_precedes_variable() -> None:
    params, variables = {"a": "parameter", "b": "parameter"}, {"b": "variable", "c": "variable"}
    made = rendered('{a} {b} {c}\n{a} = "new"\n{a}', params=params, variables=variables)
    assert made.text == "parameter parameter variable\nnew"


def test_template_cannot_change_runtime_settings() -> None:
    made = rendered('{_timeout} = "0.001"\n{x} = "1"\n{_timeout}')
    assert (made.text, made.variables) == ("0.001", {"x": "1"})


@pytest.mark.parametrize(
    ("value", "text"), [(read_number("37.50"), "37.50"), (True, "true"), (("a", "b"), "a,b"), ("", "")]
)
def test_parameters_render_as_given(value: str, text: str) -> None:
    assert rendered("<{v}>", params={"v": value}).text == f"<{text}>"


def test_missing_parameter_is_empty() -> None:
    made = rendered("{x} = {v}\n<{v}{v.a}> {w}", params={"v": None})
    assert (made.text, made.variables) == ("<> {w}", {"x": ""})
    assert rendered("<{{ params.v }}>", role="response.j2", params={"v": None}).text == "<>"


def test_tuple_parts() -> None:
    assert rendered("{ref[1]}-{ref.0}-{ref[5]}", params={"ref": ("a", "b")}).text == "b-a-"


def test_values_are_not_rendered_as_templates() -> None:
    hostile = "{city} {{ 7*7 }} {% for %} {Response.status} {@x}\nend:\nsave: x\nto: y"
    made = rendered("{v} {Response.body}", hostile, params={"v": hostile}, variables={"city": "Seoul"})
    assert made.text == f"{hostile} {hostile}"


@pytest.mark.requirement("template.loop")
def test_loops() -> None:
    template = "# Rows\nfor: r in Response.body.rows\n  - {r.id} {r.box.n} {r.tags[0]}\nend:\nend of it"
    assert rendered(template, ROWS).text == "# Rows\n  - 7 a x\n  - 8.5 b \nend of it"


@pytest.mark.parametrize(
    ("loop", "body", "text"),
    [
        ("for: x in Response.body", ["a", "b"], "ab"),
        ("for: x in {Response.body}", ["a", "b"], "ab"),
        ("for: x in $.a.b", {"a": {"b": [1, 2]}}, "12"),
        ("for: x in a.b", {"a": {"b": [1, 2]}}, "12"),
        ("for: x in Response.body", {"k": "v", "l": "w"}, "vw"),
        ("for: x in Response.body", "text", ""),
        ("for: x in Response.body.missing", {}, ""),
        ("for: x in Response.body", None, ""),
        ("  for:  x  in  Response.body ", ["a"], "a"),
    ],
)
def test_loop_sources(loop: str, body: object, text: str) -> None:
    assert rendered(f"{loop}\n{{x}}\nend:", body).text.replace("\n", "") == text


def test_nested_loops() -> None:
    template = "for: r in $.rows\nfor: t in r.tags\n{r.id}{t}\nend:\nend:\n{r.id}"
    assert rendered(template, ROWS).text == "7x\n7y\n{r.id}"


@pytest.mark.requirement("template.shortcut")
def test_value_shortcuts_are_numbered_across_loops() -> None:
    template = (
        "for: r in $.rows\n{@row} = ({r.id}, {r.box.n})\n- {@row}\nend:\n"
        "for: r in $.rows\n{@row} = {r.id}\n- {@row}\nend:\n"
        '{@row} = Response.body.rows[1].id\n{@one} = ("a, b", {Response.status})\n{@row} {@one}'
    )
    made = rendered(template, ROWS)
    assert made.text == "- @row-1\n- @row-2\n- @row-3\n- @row-4\n@row @one"
    assert made.values == {
        "row-1": ("7", "a"),
        "row-2": ("8.5", "b"),
        "row-3": "7",
        "row-4": "8.5",
        "row": "8.5",
        "one": ("a, b", "200"),
    }


def test_composite_shortcut_is_one_string() -> None:
    made = rendered("{@at} = {Response.body.lat},{Response.body.lon}", {"lat": -33.87, "lon": 151.21})
    assert made.values == {"at": "-33.87,151.21"}


@pytest.mark.requirement("template.save")
@pytest.mark.parametrize(
    "path", ["data[0].b64", "$.data.0.b64", "Response.body.data[0].b64", "{$.data[0].b64}"]
)
def test_saving(path: str) -> None:
    template = f"save: {path}\ndecode: base64\nto: {{file}}\nSaved: {{file}}"
    made = rendered(template, {"data": [{"b64": "/wAB\naGk="}]}, params={"file": "out/a b.png"})
    assert made.text == "Saved: out/a b.png"
    assert made.saves == (FileToSave(path="out/a b.png", data=b"\xff\x00\x01hi"),)


def test_saving_text_and_json_and_in_loops() -> None:
    body = {"a": "é", "rows": [{"n": "1"}, {"n": "2"}]}
    template = "save: a\nto: a.txt\nfor: r in rows\n  save: r\n  to: {r.n}.json\nend:"
    saves = rendered(template, body).saves
    assert [(it.path, it.data.decode()) for it in saves] == [
        ("a.txt", "é"),
        ("1.json", json.dumps({"n": "1"})),
        ("2.json", json.dumps({"n": "2"})),
    ]


@pytest.mark.requirement("template.error")
@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\nfor: r in $.rows\nb", "line 3: for: r has no end:"),
        ("a\nend:", "line 2: end: without for:"),
        ("a\nsave: a\nx", "line 2: save: needs a line below it, to: and a file"),
        ("save: rows\ndecode: rot13\nto: x", "line 1: decode: rot13 is not known, base64 is"),
        ("{$.rows}\nsave: nothing\nto: x", "line 2: there is nothing to save at that path of the answer"),
        ('{f} = ""\nsave: rows\nto: {f}', "line 2: to: names no file"),
        ("save: rows\ndecode: base64\nto: x", "what is to be saved as x is not base64"),
    ],
)
def test_template_errors(template: str, message: str) -> None:
    assert fault(template, ROWS) == f"The action has run, but its template failed: {message}."


def test_crlf_lines() -> None:
    assert rendered("{x} = $.a\r\nfor: r in rows\r\n- {r.id}\r\nend:\r\n", ROWS).text == "- 7\n- 8.5"


PIECES = [
    *("{x} = ", "{@r} = ", "for: a in ", "for: class in ", "end:", "save: ", "to: ", "decode: base64"),
    *("Response.body", "$.rows", "a.id", '"text"', "(", ", ", ")", "\n", " ", "]", "é"),
    *("{a}", "{a.id}", "{@r}", "{$.rows[1].id}", "{city}", "{page}", "{Response}", "{{x}}", "{% x %}", "{#"),
]
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), max_size=6).map("\n".join)


@given(template=LINES)
def test_any_text_renders_or_names_a_faulty_line(template: str) -> None:
    made = run_template(
        template, False, {"status": 200, "headers": {}, "body": ROWS}, {}, {}, {"city": "Seoul"}
    )
    assert "text" in made or re.match(r"line \d+: (end:|for:|save:|to:|there is nothing)", made["error"])
