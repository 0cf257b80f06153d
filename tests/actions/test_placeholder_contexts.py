"""Placeholders in any context of a command: the program gets the exact value, or nothing runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stringd.actions.shell.analysed_command import analyse_command
from stringd.errors import Refusal
from tests.actions.cli_actions import Shelf, declared

# Each of them runs a program where it is evaluated: as commands, as a number, as a name, by another language.
HOSTILE = [
    "z[$(touch p)]",
    "$(touch p)",
    "`touch p`",
    "; touch p",
    "touch p",
    "&& touch p #",
    "'; touch p; '",
    '"; touch p; "',
    "\ntouch p\n",
    "([0]=$(touch p))",
    "touch p|",
    "n",
    "*",
    "~",
    "a b\tc",
    "{a,b}",
    "$HOME",
    "\\",
    "\\n%s%n",
    "-c",
    "-e touch p",
    "--",
    "=",
    "!",
    "EOF",
    "é日本🙂\u2028",
    "\x01\x7f",
    "",
]
VALUES = st.sampled_from(HOSTILE) | st.lists(st.sampled_from(HOSTILE), max_size=4).map("".join)
# The programs append what they receive: their arguments, a variable of their environment, their input.
PROGRAMS = {
    "words": """printf '%s\\0' "$@" >> "$HOME/received" """,
    "named": """printf '%s\\0' "$X" >> "$HOME/received" """,
    "input": """cat >> "$HOME/received"; printf '\\0' >> "$HOME/received" """,
}
# Commands in which a value is data, and what the program receives where `V` is the value.
DATA = {
    "words {v}": "V",
    'words "{v}"': "V",
    "words '{v}'": "V",
    "words $'{v}'": "V",
    "words a{v}'b'": "aVb",
    'words "${NOTHING:-{v}}"': "V",
    "words ${NOTHING:-{v}}": "V",
    'words "$(printf %s {v}; printf .)"': "V.",
    "X={v} named": "V",
    "env X={v} named": "V",
    "export X='{v}'; named": "V",
    "input <<< {v}": "V\n",
    'input <<< "a{v}"': "aV\n",
    "input <<EOF\n{v}\nEOF\n": "V\n",
    "input <<'EOF'\n$x {v}\nEOF\n": "$x V\n",
    "printf %s {v} | input": "V",
    "cat <(printf %s {v}) | input": "V",
    "printf %s {v} > file; input < file; rm file": "V",
    'x={v}; words "$x"': "V",
    'x=a; x+={v}; words "$x"': "aV",
    'local_() { local x={v}; words "$x"; }; local_': "V",
    'a=(1 {v}); words "${a[1]}"': "V",
    'a=([3]={v}); words "${a[@]}"': "V",
    'printf -v x %s {v}; words "$x"': "V",
    'for i in {v}; do words "$i"; done': "V",
    'set -- {v}; words "$1"': "V",
    'given() { words "$@"; }; given {v}': "V",
    "case {v} in '{v}') words {v};; esac": "V",
    "[[ {v} == '{v}' ]] && words {v}": "V",
    "[ {v} = '{v}' ] && words {v}": "V",
    "bash -c 'words \"$1\"' _ {v}": "V",
    "sh -c 'words \"$@\"' _ {v}": "V",
    "X={v} sh -c 'words \"$X\"'": "V",
    "bash -c 'x=$1; f() { words \"$x\"; }; f' _ {v}": "V",
    "X={v}; eval 'words \"$X\"'": "V",
    "printf '%s\\0' {v} | xargs -0 words": "V",
    "printf '%s\\0' {v} | xargs -0 sh -c 'words \"$1\"' _": "V",
    "find . -maxdepth 0 -exec sh -c 'words \"$1\"' _ {v} \\;": "V",
    "timeout 60 words {v}": "V",
    "nice -n 1 words {v}": "V",
    "command words {v}": "V",
    'X={v} awk \'BEGIN { printf "%s", ENVIRON["X"] }\' | input': "V",
    "perl -e 'print $ARGV[0]' -- {v} | input": "V",
}
# Commands in which it would be evaluated; some of them take numbers.
EVALUATED = [
    "a=([{v}]=5)",
    "a+=([{v}]=5)",
    "a[ {v} ]=1",
    "a[{v} + 1]=1",
    "a[$(echo {v})]=1",
    "words $(( {v} ))",
    "words $(( $(echo {v}) ))",
    "(( x = {v} ))",
    "declare -i n; n={v}",
    "declare -i n={v}",
    "n={v}; words $((n))",
    "let n={v}",
    "words ${?:{v}} ${#:{v}} ${HOME:0:{v}}",
    "[[ {v} -gt 1 ]]",
    "[[ -v {v} ]]",
    "[ -v {v} ]",
    "test -v '{v}'",
    "printf -v {v} x",
    "read {v} <<< x",
    "declare -a a={v}",
    "x={v}; words ${x@P} ${!x}",
    'bash -c "words {v}"',
    "bash -c 'words {v}'",
    "bash -c 'eval \"$1\"' _ {v}",
    "printf %s {v} | sh",
    "sh <<< {v}",
    "sh <(printf %s {v})",
    "printf %s {v} | xargs -0 sh -c",
    "printf %s {v} | xargs -0 -I% sh -c %",
    'env -S "words {v}"',
    'script -qc "words {v}" /dev/null',
    'flock file -c "words {v}"',
    "compgen -W {v}",
    "mapfile -C {v} -c 1 a <<< x",
    "find . -maxdepth 0 -exec sh -c '{v}' \\;",
    "awk '{v}'",
    'awk "BEGIN { print {v} }"',
    "python3 -c '{v}'",
    "perl -ne 1 {v}",
    "eval {v}",
    "trap {v} EXIT",
    "source <(printf %s {v})",
    "PS4={v}; set -x; words",
    "x={v}; PS4='${x@P}'; set -x; words",
    "words >& {v}",
    "words >& a{v}",
    "printf %s {v} > file; sh file",
    "printf %s {v} > file; . ./file",
    "tee file <<< {v}; sh < file",
    "tar cfI /dev/null {v} .",
    "strace -o {v} words",
    "python3 -m timeit {v}",
    "RANDOM={v}",
    "{v}",
    "{v} a",
    "alias words={v}",
]
# Where a command can stand in another one; `@` makes names that are not the outer one's.
AROUND = [
    "( C\n)",
    "{ C\n}",
    "if true; then C\nfi",
    "if false; then :; elif true; then C\nelse :; fi",
    "while true; do C\nbreak; done",
    "for i@ in 1; do C\ndone",
    "for (( i@=0; i@<1; i@++ )); do C\ndone",
    "case a in (b) ;; a|c) C\n;; esac",
    "f@() { C\n}; f@",
    "function f@ { C\n}; f@",
    "true && C",
    "false || { C\n}",
    "! { C\n}",
    # Behind a bracket bash takes it for a program.
    "true; time { C\n}",
    "x@=$( C\n)",
    "a@=([1]=\"$( C\n)\" 'x')",
    'true "$( C\n)"',
    'true "it\'s ${NOTHING:-$( C\n)}"',
    "true ${NOTHING:-$( C\n)}",
    "true $(( 1 )) # it's \"\n C",
    "[[ -z $( C\n) ]]",
    "true > /dev/null <<< $( C\n)",
    "cat <(C\n) > /dev/null",
    "cat <<A@ > /dev/null\n$( C\n)\nA@\n",
    "cat <<'A@' <<B@ > /dev/null\nit's $(\nA@\n$( C\n)\nB@\n",
    "{ C\n} 2>&1 | cat",
    "true | { C\n}",
    "case $( C\n) in *) ;; esac",
    "true \\\n; C",
]


@pytest.fixture(scope="module")
def shelf() -> Iterator[Shelf]:
    """A home with the programs, which the shell finds."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as tools:
        for name, text in PROGRAMS.items():
            (Path(tools) / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (Path(tools) / name).chmod(0o755)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", tools, prepend=":")
            yield Shelf(home=Path(home))


def nested(command: str, around: list[str]) -> str:
    """A command in others."""
    for depth, outer in enumerate(around):
        command = outer.replace("@", str(depth)).replace("C", command)
    return command


def received(shelf: Shelf, command: str, value: str) -> list[str]:
    """What the programs receive of a command that is run."""
    record = shelf.home / "received"
    record.unlink(missing_ok=True)
    shelf.run(declared(command, "v: string (required)"), {"v": value})
    text = record.read_bytes().decode() if record.exists() else ""
    record.unlink(missing_ok=True)
    assert list(shelf.home.iterdir()) == []
    return text.split("\0")[:-1]


STANDING = st.lists(st.sampled_from(AROUND), max_size=3)
SAFE = sorted(DATA)


@pytest.mark.requirement("action.cli.value")
@pytest.mark.parametrize("command", SAFE)
def test_data_contexts(shelf: Shelf, command: str) -> None:
    for value in ("".join(HOSTILE), *HOSTILE[:4], ""):
        expected = DATA[command].replace("V", value)
        assert received(shelf, command, value) == [expected]


@pytest.mark.parametrize("outer", AROUND)
def test_nested_commands(shelf: Shelf, outer: str) -> None:
    value = "".join(HOSTILE)
    assert received(shelf, nested("words {v}", [outer]), value) == [value]


@pytest.mark.long
@pytest.mark.requirement("action.cli.value")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(command=st.sampled_from(SAFE), around=STANDING, value=VALUES)
@example(command="words {v}", around=AROUND[-4:-1], value="".join(HOSTILE))
def test_data_is_passed_unchanged_in_nested_commands(
    shelf: Shelf, command: str, around: list[str], value: str
) -> None:
    expected = DATA[command].replace("V", value)
    assert received(shelf, nested(command, around), value) == [expected]


@pytest.mark.requirement("action.cli.evaluators")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(command=st.sampled_from(EVALUATED), around=STANDING, value=VALUES)
def test_evaluated_value_is_refused_in_nested_commands(
    shelf: Shelf, command: str, around: list[str], value: str
) -> None:
    with pytest.raises(Refusal) as refused:
        received(shelf, nested(command, around), value)
    assert refused.value.code in {"NOT_TRUSTED", "INVALID_PARAMS"}
    assert list(shelf.home.iterdir()) == []


@pytest.mark.parametrize("command", EVALUATED)
def test_refused_contexts_would_evaluate_the_value(shelf: Shelf, command: str) -> None:
    line = analyse_command(command, declared(command, "v: string (required)").parameters)
    assert line.findings or any(it.value == "a whole number" for it in line.constraints.values())
