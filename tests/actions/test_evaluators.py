"""Which places for values the shell does not have the last word about."""

from __future__ import annotations

import time

import pytest

from stringd.actions.evaluators import evaluated


@pytest.mark.requirement("action.cli.evaluators")
@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("eval {x}", "eval"),
        ('eval "ls {x}"', "eval"),
        ("bash -c '{x}'", "bash"),
        ('bash -ec "a; echo {x}"', "bash"),
        ("/bin/sh -c {x}", "sh"),
        ("true && sh -c 'echo {x}'", "sh"),
        ("let n={x}", "let"),
        ("[[ {x} -gt 1 ]]", "[["),
        ("[[ 1 -lt {x} ]] && echo", "[["),
        ("python3 -c \"print('{x}')\"", "python3"),
        ("python3 -I -c 'print({x})'", "python3"),
        ("perl -ne 'print if /{x}/'", "perl"),
        ("node -e '{x}'", "node"),
        ("awk '{print} /{x}/'", "awk"),
        ("cat a | jq '.[{x}]'", "jq"),
        ("declare {x}=1", "declare"),
        ("trap '{x}' EXIT", "trap"),
        ("su -c {x} nobody", "su"),
        ("bash <<< {x}", "bash"),
        ("ssh {x}", "ssh"),
        ("ssh -p 22 host 'ls; cat {x}'", "ssh"),
        ('a && ssh "$HOST" ls "{x}"', "ssh"),
    ],
)
def test_what_evaluates(command: str, program: str) -> None:
    assert [(slot.name, it) for slot, it in evaluated(command, {"x"})] == [("x", program)]


@pytest.mark.parametrize(
    "command",
    [
        "echo {x}",
        "bash ./script {x}",
        "bash -c 'echo \"$1\"' _ {x}",
        "Q={x} python3 -c 'import os; print(os.environ[\"Q\"])'",
        "python3 -c 'import sys; print(sys.argv)' {x}",
        "python3 ./a.py -c {x}",
        "[[ {x} == y ]]",
        "[ {x} -gt 1 ]",
        "jq . {x}",
        "awk '{print}' {x}",
        "retrieval {x}",
        "ssh host ls | grep {x}",
        "ssh-keygen {x}",
        "cat <<< {x}",
        "echo '{other}'; eval y",
        "bash -c '{{x}}'",
    ],
)
def test_what_does_not(command: str) -> None:
    assert list(evaluated(command, {"x"})) == []


def test_long_commands_take_no_time() -> None:
    command = "bash -c 'a" + ' -c "' * 2000 + "{x}" * 20
    started = time.monotonic()
    assert len(list(evaluated(command, {"x"}))) == 20
    assert time.monotonic() - started < 5
