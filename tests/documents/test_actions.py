"""Parsing of action fences."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stringd.documents.syntax.actions import Action, ActionBook, Parameter, call_hint, parse_actions
from stringd.documents.syntax.parser import parse

FRAMING = (
    *("Content-Length", "Transfer-Encoding", "TE", "Trailer", "Expect"),
    *("Connection", "Keep-Alive", "Proxy-Connection", "Upgrade"),
)


def book(text: str) -> ActionBook:
    return parse_actions(parse(text).fences)


def read(*lines: str) -> Action:
    found = book("\n".join(("```act.x", *lines, "```")))
    assert found.diagnostics == ()
    return found.actions["x"]


def complaints(*lines: str) -> list[tuple[int, str]]:
    return [(it.line, it.message) for it in book("\n".join(("```act.x", *lines, "```"))).diagnostics]


def parameter(line: str) -> Parameter:
    return read("GET https://api.example/x", line).parameters[0]


def test_actions_are_in_page_order() -> None:
    found = book(
        "```act.zulu\nCLI date\n```\n\n```act.mark-done\nCLI true\n```\n\n```act.b_2\nCLI pwd\n```\n"
    )
    assert list(found.actions) == ["zulu", "mark-done", "b_2"]
    assert [it.line for it in found.actions.values()] == [1, 5, 9]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_http_method(method: str) -> None:
    action = read(f"{method} https://api.example/rows/{{id}}")
    assert (action.method, action.target) == (method, "https://api.example/rows/{id}")


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example/t?format=%l:+%C&m",
        "https://api.example/t?pair={a}|{b}",
        "https://api.example/{ref[0]}/notes#it's",
        'https://api.example/"quoted"\\n',
    ],
)
def test_url_is_not_parsed_as_shell(url: str) -> None:
    assert read(f"GET {url} -H 'A: b'").target == url


@pytest.mark.parametrize(
    ("rest", "headers", "body"),
    [
        ("", (), None),
        (' -H "Authorization: Bearer $KEY"', (("Authorization", "Bearer $KEY"),), None),
        (" -H 'A: 1' -H 'B: it:s'", (("A", "1"), ("B", "it:s")), None),
        (""" -d '{"note":"{note}"}'""", (), '{"note":"{note}"}'),
        (""" -d "{\\"a\\":\\"\\\\n\\"}" """, (), '{"a":"\\n"}'),
        (""" -d 'it'\\''s' """, (), "it's"),
        (" -d ''", (), ""),
        (" -d '{\n \"a\": 1\n}'", (), '{\n "a": 1\n}'),
        (" \\\n  -H 'A: 1' \\\n  -d x", (("A", "1"),), "x"),
    ],
)
def test_first_line_options(rest: str, headers: tuple[tuple[str, str], ...], body: str | None) -> None:
    action = read(f"POST https://api.example/rows{rest}", "", "  n: number")
    assert (action.headers, action.body) == (headers, body)
    assert [it.name for it in action.parameters] == ["n"]


def test_body_is_indented_below_its_name() -> None:
    action = read(
        "POST https://api.example/rows",
        "  note: string (required)",
        "",
        "  body:",
        "    {",
        '      "note": "{note}",',
        "",
        "      body: string",
        "    }",
        "",
        "  after: number",
    )
    assert action.body == '{\n  "note": "{note}",\n\n  body: string\n}'
    assert [it.name for it in action.parameters] == ["note", "after"]


def test_headers_in_a_section_or_among_parameters() -> None:
    action = read(
        "GET https://api.example/me",
        "  Authorization: Bearer $KEY",
        "  q: string",
        "  headers:",
        "    accept: text/plain",
        "    X-Trace: {q}",
    )
    assert action.headers == (
        ("Authorization", "Bearer $KEY"),
        ("accept", "text/plain"),
        ("X-Trace", "{q}"),
    )


def test_body_to_and_type_are_ordinary_names() -> None:
    action = read("POST https://api.example/", "  body: string (required)", "  to: path", "  type: string")
    assert action.body is None
    assert [it.name for it in action.parameters] == ["body", "to", "type"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  q: string", {}),
        ("\tq:   string", {}),
        ("  q: string (optional)", {}),
        ("  q: string (required)", {"required": True}),
        ("  q: string(required)", {"required": True}),
        ("  q, -q: string", {"alias": "q"}),
        ("  q, -T: string", {"alias": "T"}),
        ('  q: string "What (e.g. 日本, @row-2) isn\'t"', {"description": "What (e.g. 日本, @row-2) isn't"}),
        ('  q: string "A \\"word\\" in C:\\temp"', {"description": 'A "word" in C:\\temp'}),
        ('  q: string = ""', {"default": ""}),
        ('  q: string = "-23"', {"default": "-23"}),
        ('  q: string = "+180 days"', {"default": "+180 days"}),
        (
            '  q: string (required) "Town" = "$CITY"',
            {"required": True, "description": "Town", "default": "$CITY"},
        ),
        ('  q: string = "{who} ({what})"', {"default": "{who} ({what})"}),
        ('  q: number = "10"', {"type": "number", "default": "10"}),
        ("  q: boolean", {"type": "boolean"}),
        ("  q: path", {"type": "path"}),
        ("  q, -r: tuple (required)", {"type": "tuple", "alias": "r", "required": True}),
        ("  q: number (min:1, max:2.5)", {"type": "number", "minimum": 1.0, "maximum": 2.5}),
        ("  q: number (required,min:-5)", {"type": "number", "required": True, "minimum": -5.0}),
        ("  q: string (open|closed | half open)", {"choices": ("open", "closed", "half open")}),
        ("  q: string ()", {}),
    ],
)
def test_parameter_lines(line: str, expected: dict[str, Any]) -> None:
    assert parameter(line) == replace(parameter("  q: string"), **expected)


def test_bare_parameter_defaults() -> None:
    assert parameter("  q: string") == Parameter(
        name="q",
        alias=None,
        type="string",
        required=False,
        description="",
        default=None,
        minimum=None,
        maximum=None,
        choices=(),
    )


@pytest.mark.parametrize(
    "line",
    [
        "q: string",
        "  q string",
        "  q: strng",
        "  q: String",
        "  q: string required",
        "  q: string = 10",
        '  q: string = "open',
        "  q, -ab: string",
        "  1q: string",
        "  q: stringy",
        "  -H 'A: b'",
    ],
)
def test_unrecognized_line_is_a_warning(line: str) -> None:
    assert complaints("GET https://api.example/x", "", line) == [(4, f"{line.strip()} is not understood")]


@pytest.mark.parametrize(
    ("lines", "number", "part"),
    [
        (["FETCH https://api.example/x"], 2, "act.x is not an action: expected GET, POST"),
        (["get https://api.example/x"], 2, "act.x is not an action"),
        (["", "GET"], 3, "act.x is not an action"),
        ([], 1, "act.x is not an action"),
        (["GET https://api.example/x --data 1"], 2, "--data is not understood"),
        (["GET https://api.example/x -d"], 2, "-d is not understood"),
        (["GET https://api.example/x -d 'open"], 2, "'open is not understood"),
        (["GET https://api.example/x -H 'no colon'"], 2, "no colon is not a header"),
        (["GET https://api.example/x -H 'A: b\nC: d'"], 2, "is not a header"),
        (["POST https://api.example/x -d a", "  body:", "    b"], 3, "the body exists already"),
        (["GET https://api.example/x", "  headers:", "    A: b", "    none"], 5, "none is not a header"),
        (["GET https://api.example/x -H 'Host: {x}.example'"], 2, "Host can't hold a value"),
        (["GET https://api.example/x", "  Host: a, $B"], 3, "Host can't hold a value"),
        *(
            (["POST https://api.example/x", f"  {name}: {{x}}"], 3, f"{name} can't be set by an action")
            for name in FRAMING
        ),
        (["CLI date", "  q: string", "  q: number"], 4, "q is declared already"),
        (["CLI date", "  q, -a: string", "  r, -a: string"], 4, "-a is declared already"),
        (["CLI date", "  q: string (rquired)"], 3, "q: constraint rquired is not understood"),
        (["CLI date", "  q: number (min:x)"], 3, "q: constraint min:x is not understood"),
        (["CLI date", "  q: string", "  body:"], 4, "body: is not understood"),
    ],
)
def test_invalid_declaration_is_a_warning_with_its_line(lines: list[str], number: int, part: str) -> None:
    assert [at for at, message in complaints(*lines) if part in message] == [number]


def test_command_extends_to_the_first_parameter() -> None:
    action = read(
        'CLI python3 -c "',
        "try:",
        "    import sys",
        "    print({path: 1}, '{{x}}')",
        "  Accept: everything",
        '" {path}   ',
        "",
        "  path: path (required)",
    )
    assert action.target.startswith('python3 -c "\ntry:\n    import sys\n    print({path: 1}')
    assert action.target.endswith('\n  Accept: everything\n" {path}')
    assert action.headers == ()
    assert [it.name for it in action.parameters] == ["path"]


def test_crlf_reads_like_lf() -> None:
    text = "```act.x\nPOST https://api.example/x\n  q: string (required)\n  body:\n    {q}\n```\n"
    assert book(text.replace("\n", "\r\n")) == book(text)
    assert book(text).actions["x"].body == "{q}"


def test_templates_are_found_by_action_and_role() -> None:
    found = book(
        "```act.a.response\nOne\n```\n\n```act.a\nCLI date\n```\n\n```act.a.error\nTwo\n```\n\n"
        "````act.a.response.j2\n```\nThree\n```\n````\n"
    )
    assert found.templates == {
        ("a", "response"): "One\n",
        ("a", "error"): "Two\n",
        ("a", "response.j2"): "```\nThree\n```\n",
    }
    assert found.diagnostics == ()


def test_duplicates_and_orphans_are_warnings() -> None:
    found = book("```act.a\nCLI one\n```\n```act.a\nCLI two\n```\n```act.b.response\nx\n```\n")
    assert found.actions["a"].target == "one"
    assert found.templates == {}
    assert [(it.line, it.message) for it in found.diagnostics] == [
        (4, "act.a exists already"),
        (7, "act.b.response belongs to no action"),
    ]


@pytest.mark.parametrize("info", ["act.", "act.A", "act.1", "act.a b", "act.a.other", "xact.a", "act"])
def test_other_fences_are_prose(info: str) -> None:
    assert book(f"```{info}\nCLI date\n```\n") == ActionBook(actions={}, templates={})


def test_hint_shows_required_parameters() -> None:
    found = book(
        "```act.search\nGET https://api.example/?q={q}\n  q: string (required)\n  n: number\n```\n"
        "```act.list\nCLI ls\n```\n"
    )
    assert call_hint(found.actions.values()) == "[actions] /act.search --q <string> | /act.list"
    assert call_hint([]) is None


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "line",
    [
        "GET u " + "'" * 99_999,
        "GET u " + "\\" * 99_999,
        'GET u -d "' + "\\a" * 99_999,
        "GET u" + " x" * 20_000,
    ],
)
def test_long_first_lines_are_read_in_linear_time(line: str) -> None:
    assert book(f"```act.x\n{line}\n```\n").actions["x"].target == "u"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "line", ["  q: string" + " " * 99_999 + "x", '  q: string "' + '\\"' * 50_000, "  body:\n" * 9_999]
)
def test_long_lines_are_read_in_linear_time(line: str) -> None:
    assert book(f"```act.x\nGET u\n{line}\n```\n").actions["x"].target == "u"
