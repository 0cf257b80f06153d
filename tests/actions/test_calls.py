"""Parsing of the arguments of an action call into values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from msgspec import structs

from stringd.actions.arguments.action_call import Call, read_call
from stringd.actions.environment.action_environment import Environment
from stringd.actions.environment.topic_variables import AvailableVariables
from stringd.actions.values.typed_values import Value
from stringd.api.provenance import BY_HAND, attributed
from stringd.api.sessions import NamedValue
from stringd.documents.syntax.actions import Action, parse_actions
from stringd.documents.syntax.declared_variables import DeclaredVariable
from stringd.documents.syntax.forms import CONFIRMING
from stringd.documents.syntax.parser import parse
from stringd.errors import Refusal
from tests.actions.acting import Stage, act
from tests.actions.service import Service
from tests.documents.standing import standing

TWO = ("  city, -c: string (required)", "  days, -d: number")


def action(*parameters: str) -> Action:
    book = parse_actions(parse(act("x", "GET https://api.example/x", *parameters)).fences)
    assert book.diagnostics == ()
    return book.actions["x"]


def call(
    typed: str,
    *parameters: str,
    variables: Mapping[str, str] | None = None,
    values: Mapping[str, NamedValue] | None = None,
    environment: Environment | None = None,
) -> Call:
    session = standing(Path("/home"))
    known = attributed(variables or {}, BY_HAND)
    session.state = structs.replace(session.state, variables=known, values=attributed(values or {}, BY_HAND))
    given = structs.replace(environment or Environment(), variables=AvailableVariables(usable=known))
    return read_call(action(*(parameters or TWO)), typed, session, given)


def given(typed: str, *parameters: str, **known: str) -> Mapping[str, Value]:
    return call(typed, *parameters, variables=known).values


def refusal(
    typed: str,
    *parameters: str,
    variables: Mapping[str, str] | None = None,
    values: Mapping[str, NamedValue] | None = None,
    environment: Environment | None = None,
) -> Refusal:
    with pytest.raises(Refusal) as caught:
        call(typed, *parameters, variables=variables, values=values, environment=environment)
    return caught.value


@pytest.mark.requirement("flags.forms")
@pytest.mark.parametrize(
    "typed",
    [
        "--city Oslo --days 3",
        "--city=Oslo --days=3",
        "-c Oslo -d 3",
        "-c=Oslo 3",
        "Oslo 3",
        "3 --city Oslo",
        "--days 3 Oslo",
        "days=3 city=Oslo",
        "days=3 Oslo",
        "--city Bergen --city Oslo 3",
        "-- Oslo 3",
        "--city Oslo -- 3",
        """'Os'lo "3" """,
    ],
)
def test_call_spellings(typed: str) -> None:
    assert given(typed) == {"city": "Oslo", "days": 3}


@pytest.mark.requirement("flags.quotes")
@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ('"a  b"', "a  b"),
        ("'it\"s \\n'", 'it"s \\n'),
        (r'"say \"hi\" \\ \n"', r'say "hi" \ \n'),
        ('"two\nlines"', "two\nlines"),
        ('--city "two \nlines"', "two \nlines"),
        ('--city ""', ""),
        ("--city ''", ""),
        ("--city=", ""),
        ("--city='--days'", "--days"),
        ('"--days"', "--days"),
        ("-- --days", "--days"),
        ("city=a=b", "a=b"),
        ("x=a", "x=a"),
        ('"city=a"', "city=a"),
        ("-33.87", "-33.87"),
        ("--city -5", "-5"),
        ("--city -3dB", "-3dB"),
        ("--city -", "-"),
        ("--city true", "true"),
        ("--city '+180 days'", "+180 days"),
        ("😀日本", "😀日本"),
        (r"C:\dir", r"C:\dir"),
    ],
)
def test_values_are_unquoted(typed: str, value: str) -> None:
    assert given(typed) == {"city": value}


@pytest.mark.requirement("flags.quotes.open")
@pytest.mark.parametrize("typed", ["it's", '--city "a', "'", 'a "b\nc'])
def test_unterminated_quote_is_refused(typed: str) -> None:
    assert refusal(typed).code == "INVALID_PAYLOAD"


@pytest.mark.requirement("flags.one_line")
@pytest.mark.parametrize("typed", ["Oslo\n/act.x Rome", "\nOslo", '"a"\n"b"'])
def test_line_break_outside_quotes_is_refused(typed: str) -> None:
    assert refusal(typed).code == "INVALID_PAYLOAD"


@pytest.mark.requirement("flags.undeclared")
@pytest.mark.parametrize(
    "typed", ["--town Oslo", "-x 1", "-C Oslo", "--City Oslo", "a 1 c", "--town=a", "-foo"]
)
def test_unknown_flag_error_lists_declared_flags(typed: str) -> None:
    refused = refusal(typed)
    assert refused.code == "INVALID_PAYLOAD"
    assert refused.context == ("declared: --city, -c <string>, --days, -d <number>",)


@pytest.mark.requirement("flags.boolean")
@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("--all", {"all": True}),
        ("-a", {"all": True}),
        ("--all=false", {"all": False}),
        ("--all TRUE", {"all": True}),
        ("--all x.md", {"all": True, "path": "x.md"}),
        ("x.md -a", {"all": True, "path": "x.md"}),
        ("--path x.md", {"path": "x.md"}),
    ],
)
def test_bare_flag_is_true_without_an_operand(typed: str, value: dict[str, Value]) -> None:
    assert given(typed, "  path: path", "  all, -a: boolean") == value


@pytest.mark.requirement("flags.bare")
@pytest.mark.parametrize("typed", ["--city", "--city --days 3", "Oslo -d", "--city -c Oslo --days"])
def test_flag_without_required_value_is_refused(typed: str) -> None:
    refused = refusal(typed)
    assert refused.code == "INVALID_PARAMS"
    assert refused.message.endswith("received a flag without a value")


@pytest.mark.requirement("action.help")
@pytest.mark.parametrize(
    "typed", ["--help", "-h", "Oslo --help", "--days -h", "--city --help", "--city=a -h x"]
)
def test_help_flag_in_any_position(typed: str) -> None:
    assert call(typed).wants_help


@pytest.mark.parametrize("typed", ["-- --help", '"--help"', "--city=-h"])
def test_quoted_help_is_a_value(typed: str) -> None:
    assert not call(typed).wants_help


@pytest.mark.requirement("action.params")
@pytest.mark.parametrize(
    ("line", "typed", "expected"),
    [
        ("n: number", "many", "a number, received 'many'"),
        ("n: number", '""', "a number, received ''"),
        ("n: number", "0x1f", "a number"),
        ("n: number", "nan", "a number"),
        ("n: number", "1e999", "a number"),
        ("n: number (min:1, max:5)", "6", "a number of at least 1 and at most 5, received '6'"),
        ("n: number (min:-1)", "-- -1.5", "a number of at least -1"),
        ("n: string (max:3)", "four", "a string of at most 3 characters, received 'four'"),
        ("n: string (min:1)", '""', "a string of at least 1 character"),
        ("n: string (a|b)", "c", "one of a, b, received 'c'"),
        ("n: boolean", "maybe", "true or false"),
        ("n: tuple", "a,b", "an @shortcut of an earlier answer or \"(a, b)\", received 'a,b'"),
        ("n: list (a|b)", "a,c", "any of a, b, received 'a,c'"),
        ("n: list (max:1)", "a,b", 'a list such as a,b or ["a", "b"] of at most 1 element, received'),
        ("n: list", "'[a, b]'", "a list such as"),
        ("n: json", "{a:1}", "JSON, received '{a:1}'"),
        ("n: json", "''", "JSON, received ''"),
        ("n: json", "'[NaN]'", "JSON, received '[NaN]'"),
        ("n: list", "'[-Infinity]'", "a list such as"),
        ("n: list", "'[1e999]'", "a list such as"),
    ],
)
def test_invalid_value_error_names_the_parameter(line: str, typed: str, expected: str) -> None:
    refused = refusal(typed, f"  {line}")
    assert refused.code == "INVALID_PARAMS"
    assert refused.message.startswith(f"n: expected {expected}")


@pytest.mark.requirement("action.numbers")
@pytest.mark.parametrize(
    ("typed", "number"),
    [("37.50", 37.5), ("007", 7), ("+5", 5), ("12345678901234567890", 12345678901234567890), (".5", 0.5)],
)
def test_numbers_keep_their_spelling(typed: str, number: float) -> None:
    value = given(typed, "  n: number")["n"]
    assert (value, str(value)) == (number, typed)


@pytest.mark.requirement("parameter.tuple")
@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ('"(acme/app, 7)"', ("acme/app", "7")),
        ("(acme/app,7)", ("acme/app", "7")),
        ("""'("a, b", c\\"d, )'""", ("a, b", 'c\\"d', "")),
        ("'(one)'", ("one",)),
        ("'(,)'", ("", "")),
        ("'({x}, <x>)'", ("Oslo", "<x>")),
    ],
)
def test_a_tuple_can_be_typed(typed: str, value: tuple[str, ...]) -> None:
    assert given(typed, "  ref: tuple (required)", x="Oslo") == {"ref": value}


@pytest.mark.requirement("parameter.tuple.empty")
def test_empty_tuple_has_no_elements_and_is_not_enough_where_one_is_required() -> None:
    for typed in ("'()'", "'( )'"):
        assert given(typed, "  ref: tuple") == {"ref": ()}
        refused = refusal(typed, "  ref: tuple (required)")
        assert refused.code == "INVALID_PARAMS"
        assert refused.message.endswith(f'or "(a, b)", received {typed}')


@pytest.mark.requirement("parameter.list")
@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("a,b", ("a", "b")),
        ("'a, \"b, c\" , d'", ("a", "b, c", "d")),
        ("""'["a, b", 1, {"c": null}]'""", ("a, b", "1", '{"c": null}')),
        ("'[2.50, -0, 1E3]'", ("2.50", "-0", "1E3")),
        ("--tags a,b --tags c", ("a", "b", "c")),
        ("-t a -t a", ("a", "a")),
        ("''", ()),
        ("{x}", ("Oslo", "Rome")),
        ("@pair", ("p", "q,r")),
    ],
)
def test_lists(typed: str, value: tuple[str, ...]) -> None:
    values = call(
        typed, "  tags, -t: list", variables={"x": "Oslo,Rome"}, values={"pair": ("p", "q,r")}
    ).values
    assert values == {"tags": value}


@pytest.mark.requirement("parameter.list.bounds")
@pytest.mark.parametrize(
    "typed", ["--ids a,b", "--ids a --ids b", "--ids a --ids b,a", "@pair", "--ids a --ids @pair"]
)
@pytest.mark.parametrize("constraints", ["min:2, max:3", "a|b, min:2, max:3"])
def test_bounds_of_a_list_count_the_elements_of_all_its_flags(typed: str, constraints: str) -> None:
    values = call(typed, f"  ids: list ({constraints})", values={"pair": ("a", "b")}).values
    assert isinstance(ids := values["ids"], tuple)
    assert set(ids) == {"a", "b"}


@pytest.mark.requirement("parameter.list.bounds")
@pytest.mark.parametrize(
    ("typed", "received"),
    [
        ("--ids a", "'a'"),
        ("--ids a,b,a,b", "'a,b,a,b'"),
        ("--ids a --ids b --ids a --ids b", "4 elements together"),
        ("--ids a,b --ids a,b", "4 elements together"),
        ("--ids '' --ids a", "1 element together"),
        ("@one", "@one, 1 element"),
        ("--ids @three --ids a", "4 elements together"),
    ],
)
@pytest.mark.parametrize("choices", ["", "a|b, "])
def test_list_out_of_its_bounds_is_refused(typed: str, received: str, choices: str) -> None:
    known: dict[str, NamedValue] = {"one": "a", "three": ("a", "b", "a")}
    refused = refusal(typed, f"  ids: list ({choices}min:2, max:3)", values=known)
    kind = "any of a, b, " if choices else 'a list such as a,b or ["a", "b"] of '
    assert refused.code == "INVALID_PARAMS"
    expected = f"{kind}at least 2 elements and at most 3 elements"
    assert refused.message == f"ids: expected {expected}, received {received}"


@pytest.mark.requirement("parameter.list.bounds")
@pytest.mark.parametrize("typed", ["--ids a --ids c", "@pair"])
def test_undeclared_element_of_a_list_is_refused(typed: str) -> None:
    refused = refusal(typed, "  ids: list (a|b, max:3)", values={"pair": ("a", "c")})
    assert refused.message.startswith("ids: expected any of a, b")


@pytest.mark.long
@pytest.mark.requirement("parameter.json")
def test_json_keeps_its_spelling(stage: Stage, service: Service) -> None:
    stage.open(
        act(
            "x",
            f"POST {service.url}/rows?q={{filter}}",
            "  body:",
            '    {"filter": {filter}, "text": "{filter}", "tags": {tags}, "joined": "{tags}"}',
            "  filter: json",
            "  tags: list",
        ),
        act("x.response.j2", "{{ params.filter.a[1] }} {{ params.tags|length }}"),
        act("y", f"PUT {service.url}/rows", "  filter: json", "  tags: list"),
    )
    typed = """ --filter ' {"a": [1.0,"é\\""]}' --tags a,b"""
    assert stage.send(f"/act.x{typed}") == 'é" 2'
    text = '{"a": [1.0,"é\\""]}'
    filtered = f'{{"filter": {text}, "text": {json.dumps(text, ensure_ascii=False)}'
    assert service.last.body.decode() == f'{filtered}, "tags": ["a", "b"], "joined": "a,b"}}'
    assert unquote(service.last.target) == f"/rows?q={text}"
    stage.send(f"/act.y{typed}")
    assert service.last.body.decode() == f'{{"filter": {text}, "tags": ["a", "b"]}}'


@pytest.mark.requirement("parameter.list.words")
def test_an_unquoted_list_in_a_command_is_a_word_for_each_element(stage: Stage) -> None:
    stage.open(
        act(
            "x",
            "CLI printf '%s|' {tags} \"{tags}\" a{tags} {tags[1]} {filter}",
            'a=({tags}); b={tags}; echo "${#a[@]} $b"',
            "  tags: list",
            "  filter: json",
        )
    )
    assert stage.send("""/act.x '$(id), "b c"' '{"a": "$(id)"}'""") == (
        '$(id)|b c|$(id),b c|a$(id),b c|b c|{"a": "$(id)"}|2 $(id),b c'
    )
    stage.open(act("y", "CLI sort {tags}", "  tags: list"), name="sort.md")
    told = "tags: the program would take '--compress-program=x' as an option."
    assert told in stage.send("/act.y 'page.md, --compress-program=x'")
    stage.send("/open page.md")
    assert stage.send("/act.x '' 1") == "|a||1|0 "


@pytest.mark.requirement("parameter.fallback")
def test_an_optional_parameter_falls_back_to_the_variable_of_its_name() -> None:
    lines = "  city: string", '  days: number = "3"', "  id: string (required)", "  n: number"
    known = {"city": "Oslo", "days": "9", "id": "7", "n": "5"}
    made = call("", *lines, variables=known)
    assert made.values == {"city": "Oslo", "days": 3, "n": 5}
    assert [it.name for it in made.missing] == ["id"]
    assert given("--city Rome", *lines, **known)["city"] == "Rome"
    assert given("--city ''", *lines, **known)["city"] == ""


def test_a_variable_that_does_not_fit_its_parameter_is_named() -> None:
    refused = refusal("", "  n: number", variables={"n": "many"})
    assert refused.message == "n: expected a number, received 'many'"
    assert refused.context[0] == "It is the variable {n} of the topic."


def test_no_variable_confirms_a_call() -> None:
    confirming = replace(action("  q: string"), parameters=(CONFIRMING,))
    session = standing(Path("/home"))
    known = attributed({"confirm": "true"}, BY_HAND)
    session.state = structs.replace(session.state, variables=known)
    environment = Environment(variables=AvailableVariables(usable=known))
    assert not read_call(confirming, "", session, environment).confirmed


@pytest.mark.requirement("variable.values")
@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("{x}", "Oslo"),
        ("<x>", "Oslo"),
        ("'<x>'", "Oslo"),
        ("in-{x}-now", "in-Oslo-now"),
        ("<y>", "<y>"),
        ("a<x>", "a<x>"),
        (r"\<x>", "<x>"),
        (r"\{x}", "{x}"),
        (r"'\{x}'", "{x}"),
        (r'"\\{x}"', r"\Oslo"),
        ("{{x}}", "{{x}}"),
        ("$5", "$5"),
        ("$", "$"),
        ("'$(id)'", "$(id)"),
        (r"\$HOME", "$HOME"),
        ('{"a":1}', "{a:1}"),
        ("""'{"a": 1}'""", '{"a": 1}'),
    ],
)
def test_variables_in_values(typed: str, value: str) -> None:
    assert given(typed, x="Oslo") == {"city": value}


def test_variable_contents_are_not_expanded() -> None:
    assert given("{x}", x="{y} $HOME 'a", y="no") == {"city": "{y} $HOME 'a"}


@pytest.mark.requirement("variable.undefined", "variable.secret")
@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("{y}", "UNDEFINED_VARIABLE"),
        ("a{y}b", "UNDEFINED_VARIABLE"),
        ("$HOME", "INVALID_VARIABLE"),
        ("'a $KEY'", "INVALID_VARIABLE"),
    ],
)
def test_callers_cannot_pass_reserved_references(typed: str, code: str) -> None:
    assert refusal(typed, environment=Environment(secrets={"KEY": "s3cret"})).code == code


@pytest.mark.requirement("value_shortcut")
@pytest.mark.parametrize(
    ("line", "typed", "value"),
    [
        ("ref: tuple", "@row-1", ("7", "in")),
        ("ref: tuple", "@post", ("9",)),
        ("ref: string", "@post", "9"),
        ("ref: number", "@post", 9),
        ("ref: string", "--ref @post", "9"),
        ("ref: string", "'@post said'", "@post said"),
        ("ref: string", r"\@post", "@post"),
        ("ref: string", "a@post", "a@post"),
    ],
)
def test_shortcuts_of_earlier_replies_are_values(line: str, typed: str, value: Value) -> None:
    known: dict[str, NamedValue] = {"row-1": ("7", "in"), "post": "9"}
    assert call(typed, f"  {line}", values=known).values == {"ref": value}


@pytest.mark.requirement("value_shortcut.unknown")
def test_unknown_shortcut_error_suggests_the_nearest() -> None:
    refused = refusal("@row-2", "  ref: tuple", values={"row-1": ("7", "in")})
    assert refused.code == "INVALID_PARAMS"
    assert "nearest: @row-1" in refused.context


def test_tuple_is_not_a_string() -> None:
    assert refusal("@row-1", "  ref: string", values={"row-1": ("7", "in")}).code == "INVALID_PARAMS"


@pytest.mark.requirement("action.default_value")
def test_defaults_apply_to_missing_parameters() -> None:
    lines = (
        '  city: string (required) = "Oslo"',
        '  days: number = "3"',
        '  note: string = ""',
        '  who: string = "{x} ({y})"',
        "  else: string",
    )
    assert given("", *lines, x="a", y="b") == {"city": "Oslo", "days": 3, "note": "", "who": "a (b)"}
    assert given("--days 4", *lines, x="a", y="b")["days"] == 4


@pytest.mark.requirement("env.default")
def test_secret_as_default() -> None:
    line = '  city: string = "$CITY"'
    declared = (DeclaredVariable(name="CITY", description="Where you are"),)
    refused = refusal("", line, environment=Environment(declared=declared))
    assert (refused.code, refused.message) == ("ENV_REQUIRED", "$CITY is not set: Where you are")
    environment = Environment(secrets={"CITY": "{x} $X"})
    assert call("", line, environment=environment).values == {"city": "{x} $X"}
    assert call("Rome", line).values == {"city": "Rome"}


@pytest.mark.requirement("action.missing")
def test_missing_parameters_are_reported() -> None:
    assert call("").missing
    assert call("").is_bare
    assert not call("--").is_bare
    with pytest.raises(Refusal, match="city: expected a string, received nothing") as caught:
        call("--days 3").require_all()
    assert caught.value.code == "INVALID_PARAMS"
    assert caught.value.context == ("Usage: /act.x --city <string> [--days <number>]",)


SAY = act("say", "CLI echo {what}", '  what, -w: string (required, max:9) "What to say"', '  n: number = "1"')
CALL = "/act.say --what <string> [--n <number>]"
SCHEMA = f"""Action: say
---
{CALL}

--what, -w <string>  required  at most 9 characters  What to say
--n <number>         optional  (default: "1")"""


@pytest.mark.requirement("action.spellings", "action.list", "action.help", "action.missing", "action.unknown")
def test_call_spellings_in_a_topic(stage: Stage) -> None:
    shown = stage.open(SAY, act("list", "GET https://user:key@api.example/x -H 'A: $KEY' -d '{\"a\":1}'"))
    assert shown == "Opened page.md\n---\n[actions] /act.say --what <string> | /act.list\n\n# Page"
    for word in ("/act", "/action", "/ACT", "//act"):
        assert stage.send(word) == f"Actions\n---\n{CALL}\n/act.list"
    for word in ("/act.say", "/act say", "/action.say", "/action say", "/Act.Say"):
        assert stage.send(f"{word} hi") == "hi"
        assert stage.send(word) == stage.send(f"{word} --help") == SCHEMA
    assert stage.code("/act.say --") == "INVALID_PARAMS"
    assert stage.send("/act.sy hi") == (
        "ERROR(ACTION_NOT_FOUND): Action not found: sy\nactions: /act.say, /act.list\nnearest: /act.say"
    )
    assert stage.code("/help.say") == "COMMAND_UNSUPPORTED"


def test_page_without_actions_and_no_page(stage: Stage) -> None:
    assert stage.code("/act") == "INVALID_TARGET"
    stage.open("Nothing here.")
    assert stage.send("/act") == "Actions\n---\n(none)"
    assert stage.code("/act.x") == "ACTION_NOT_FOUND"


@pytest.mark.parametrize(
    "cmd", ["/act\nsay hi", "/act.say\nhi", "/act say\n--what hi", "/act.say hi\n/act.say ho"]
)
def test_body_below_a_call_is_refused(stage: Stage, cmd: str) -> None:
    stage.open(SAY)
    assert stage.code(cmd) == "INVALID_PAYLOAD"


def test_multi_line_value(stage: Stage) -> None:
    stage.open(act("say", 'CLI printf %s "{what}"', "  what: string (required)"))
    assert stage.send('/act.say "one  \n\n two"') == "one  \n\n two"
