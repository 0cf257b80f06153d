"""Input that was echoed is not shown as output, however many lines it has."""

from __future__ import annotations

import pytest

from stringd_bash.echoed_input import without_echo
from tests.bash.conftest import Topic

PYTHON = ">>> "
BLOCK = "for i in 1, 2:\n    print(i)\n\nprint('end')"


@pytest.mark.requirement("bash.output.echo.lines")
def test_lines_sent_to_a_repl_are_not_shown(topic: Topic) -> None:
    assert topic("python3 -q").output == PYTHON
    assert topic("a = 1\nb = 2\nprint(a + b)").output == "3\n>>> "
    assert topic(BLOCK).output == "1\n2\nend\n>>> "
    assert topic("a").output == "1\n>>> "
    topic.events("//keys ^D")


@pytest.mark.requirement("bash.output.echo.lines")
@pytest.mark.parametrize("program", ["cat", "read a; read b; echo $a; echo $b", "sh -c 'cat; echo over'"])
def test_lines_that_the_terminal_echoes_are_not_shown(topic: Topic, program: str) -> None:
    assert topic(program).state == "waiting"
    assert topic("one\ntwo").output == "one\ntwo"
    topic.events("//reset")


@pytest.mark.requirement("bash.output.echo.lines")
@pytest.mark.parametrize(
    ("shown", "typed", "prompt", "kept"),
    [
        ("a\n>>> b\n>>> c\n3\n>>> ", "a\nb\nc", ">>> ", "3\n>>> "),
        ("a\nsays b\n>>> b\n>>> ", "a\nb", ">>> ", "says b\n>>> "),
        ("a\nOut[1]: 1\nIn [2]: b\nIn [3]: ", "a\nb", "In [1]: ", "Out[1]: 1\nIn [3]: "),
        ("select\n   ...> 1;\n1\nsqlite> ", "select\n1;", "sqlite> ", "1\nsqlite> "),
        ("a\n-----\n>>> \n>>> ", "a\n", ">>> ", "-----\n>>> "),
        ("a\nb\na\nb\n", "a\nb", "", "a\nb\n"),
        ("x\na\n>>> b\n>>> ", "a\nb", ">>> ", "x\na\n>>> b\n>>> "),
        ("a\nfirst b\nsecond b\n? ", "a\nb", "? ", "first b\nsecond b\n? "),
        ("a\n>>> ", "a", ">>> ", ">>> "),
        ("", "a\nb", ">>> ", ""),
    ],
)
def test_only_echoed_lines_are_removed(shown: str, typed: str, prompt: str, kept: str) -> None:
    assert without_echo(shown, typed, prompt) == kept
