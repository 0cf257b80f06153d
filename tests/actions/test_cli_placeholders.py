"""Placeholders in a command line, and what the program gets in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.actions.answers import Answer
from stringd.errors import Refusal
from tests.actions.cli_actions import Shelf, declared

AWKWARD = "a \"b\" 'c' $(echo PWN) ; x"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(home=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("{v}", [AWKWARD]),
        ('"{v}"', [AWKWARD]),
        ("'{v}'", [AWKWARD]),
        ("$'{v}\\t'", [f"{AWKWARD}\t"]),
        ('$"{v}"', [AWKWARD]),
        ("\"name = '{v}'\"", [f"name = '{AWKWARD}'"]),
        ('"{\\"t\\":\\"{v}\\"}"', [f'{{"t":"{AWKWARD}"}}']),
        ("--mode={v}", [f"--mode={AWKWARD}"]),
        ("out/{v}/log", [f"out/{AWKWARD}/log"]),
        ("{v}{v}", [AWKWARD * 2]),
        ('"$(printf %s {v})"', [AWKWARD]),
        ('"$(printf %s "{v}")"', [AWKWARD]),
        ("\"$(printf %s '{v}')\"", [AWKWARD]),
        ('"$(printf %s "$(printf %s {v})")"', [AWKWARD]),
        ('"`printf %s {v}`"', [AWKWARD]),
        ('"`printf %s \\"{v}\\"`"', [AWKWARD]),
        ('"$(case {v} in a*) printf %s {v};; esac)" {v}', [AWKWARD] * 2),
        ('"$(cat <<<{v})"', [AWKWARD]),
        ('"${NOTHING:-{v}}" ${NOTHING:-{v}}', [AWKWARD] * 2),
        ('"${NOTHING:-a}{v}"', [f"a{AWKWARD}"]),
        ("one # it's {v}\nprintf '%s\\0' {v}", ["one", AWKWARD]),
        ("one#{v}", [f"one#{AWKWARD}"]),
    ],
)
def test_value_is_passed_unchanged(shelf: Shelf, arguments: str, expected: list[str]) -> None:
    assert shelf.words(arguments, {"v": AWKWARD}) == expected


@pytest.mark.parametrize("assigned", ["Q={v}", 'Q="{v}"', "Q='{v}'", "Q=a{v}"])
def test_an_assignment_before_a_command(shelf: Shelf, assigned: str) -> None:
    answer = shelf.answer(f"{assigned} python3 -c 'import os; print(os.environ[\"Q\"])'", {"v": AWKWARD})
    assert answer.text == f"{'a' if 'a{' in assigned else ''}{AWKWARD}"


@pytest.mark.parametrize("delimiter", ["EOF", "'EOF'", '"EOF"', "\\EOF", "'E O F'"])
def test_heredoc_body(shelf: Shelf, delimiter: str) -> None:
    end = delimiter.strip("'\"\\")
    command = f'X=5\ncat <<{delimiter}; printf %s {{v}}\nit\'s "{{v}}" $X `echo 1` \\\\\n{end}'
    expands = delimiter == "EOF"
    middle = "5 1 \\" if expands else "$X `echo 1` \\\\"
    assert shelf.answer(command, {"v": AWKWARD}).text == f'it\'s "{AWKWARD}" {middle}\n{AWKWARD}'


def test_value_cannot_terminate_a_heredoc(shelf: Shelf) -> None:
    assert shelf.answer("cat <<'EOF'\n{v}\nEOF", {"v": "a\nEOF\ntouch x"}).text == "a\nEOF\ntouch x"
    assert list(shelf.home.iterdir()) == []


@pytest.mark.requirement("action.cli.declared")
@pytest.mark.parametrize(
    "text",
    [
        "'{{v}}'",
        "'{{range .}}{{.v}}{{end}}'",
        '"%{http_code}"',
        "'{other}'",
        "{a,b}",
        '"${v}"',
        "\\{v}",
        '"{ v }"',
        "'.[] | {v: .v}'",
        "'\\frac{1}{2} P_{kw}'",
        "\"f'{mid}'\"",
    ],
)
def test_other_braces_are_unchanged(shelf: Shelf, text: str) -> None:
    assert shelf.words(text, {"v": "VALUE"}) == shelf.words(text, {})


@pytest.mark.requirement("action.cli.arithmetic")
@pytest.mark.parametrize(
    "arguments", ["$(( {n} + 1 ))", "$((1-{n}))", "$[{n}+1]", '"$(({n}))"', "${A:{n}:1}"]
)
def test_arithmetic_accepts_only_numbers(shelf: Shelf, arguments: str) -> None:
    command = f"A=abcdef; printf %s {arguments}"
    for number in ("2", "-3", "007"):
        numeric = command.replace("{n}", f"({int(number)})")
        assert shelf.answer(command, {"n": number}).text == shelf.answer(numeric).text
    for hostile in ("a[$(touch x)]", "1;touch x", "1 + 1", "x", "1.5", ""):
        with pytest.raises(Refusal, match="n: the shell does arithmetic with it") as refused:
            shelf.answer(command, {"n": hostile})
        assert refused.value.code == "INVALID_PARAMS"
    assert list(shelf.home.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "(( {n} > 1 )) && echo yes",
        "for (( i=0; i<{n}; i++ )); do echo; done",
        "a[{n}]=1",
        "a[x{n}]+=1",
        "echo ${a[{n}]}",
        'echo "$(( ${a:-{n}} ))"',
        "cat <<EOF\n$(({n}))\nEOF",
    ],
)
def test_text_is_refused_in_arithmetic_contexts(shelf: Shelf, command: str) -> None:
    with pytest.raises(Refusal, match="whole number"):
        shelf.answer(command, {"n": "a[$(touch x)]"})
    assert list(shelf.home.iterdir()) == []


@pytest.mark.requirement("action.cli.not_given")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [("a {v} b", ["a", "b"]), ('a "{v}" b', ["a", "", "b"]), ("--x{v}", ["--x"]), ("'{v}' b", ["", "b"])],
)
def test_missing_optional_value_leaves_no_word(shelf: Shelf, arguments: str, words: list[str]) -> None:
    action = declared(f"printf '%s\\0' {arguments}", "v: string (optional)")
    answer = shelf.run(action, {})
    assert isinstance(answer, Answer)
    assert answer.text.split("\0")[:-1] == words


@pytest.mark.requirement("action.cli.not_given")
def test_empty_value_is_an_empty_word(shelf: Shelf) -> None:
    assert shelf.words("a {v} b", {"v": ""}) == ["a", "", "b"]


def test_tuple_parts(shelf: Shelf) -> None:
    values = {"ref": ("12", "a b", "")}
    assert shelf.words('{ref[0]} "x{ref[1]}" {ref[2]} {ref[3]}', values) == ["12", "xa b", "", ""]


def test_booleans_and_numbers_as_words(shelf: Shelf) -> None:
    assert shelf.words("{a} {b} {c}", {"a": True, "b": 5, "c": 1.5}) == ["true", "5", "1.5"]


def test_modifiers(shelf: Shelf) -> None:
    (shelf.home / "a b").write_bytes(b"$(x)\n")
    (shelf.home / "binary").write_bytes(b"\xff")
    words = shelf.words('{f|file} "{f|base64file}" {f|base64} {f|file|base64}', {"f": "a b"})
    assert words == ["$(x)\n", "JCh4KQo=", "YSBi", "JCh4KQo="]
    with pytest.raises(Refusal, match="binary is not UTF-8 text"):
        shelf.words("{f|file}", {"f": "binary"})
