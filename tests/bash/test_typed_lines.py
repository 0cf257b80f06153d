"""Lines that are typed into programs arrive whole, at their place, and however many there are."""

from __future__ import annotations

import json
import time

import pytest

from stringd_bash.line_pieces import LinePieces
from stringd_bash.terminal_modes import Modes
from tests.bash.conftest import Topic

LONG = "".join(f"{number:06}." for number in range(3000))
COOKED = Modes(is_canonical=True, echoes=True, maps_returns=True, prints_lines=True, end_of_file=b"\x04")


@pytest.mark.requirement("bash.stdin.long")
@pytest.mark.parametrize(
    "program",
    [
        "read -r x; printf %s $x | md5sum",
        "sh -c 'read -r x; printf %s $x | md5sum'",
        "head -n 1 | tr -d '\\n' | md5sum",
        "python3 -c 'import hashlib; print(hashlib.md5(input().encode()).hexdigest())'",
        "stty -echo; head -n 1 | tr -d '\\n' | md5sum",
    ],
)
def test_long_lines_arrive_whole(topic: Topic, program: str) -> None:
    expected = topic.says(f"printf %s {LONG} | md5sum").split()[0]
    assert topic(program).state == "waiting"
    it = topic(LONG)
    assert (it.state, expected in it.output) == ("0", True)


@pytest.mark.requirement("bash.stdin.long")
def test_lines_around_the_limit_arrive_whole(topic: Topic) -> None:
    lengths = [3999, 4000, 4001, 4094, 4095, 4096, 7999, 8000, 8001, 70_000]
    assert topic("stty -echo; awk '{ print length($0); fflush() }'").state == "waiting"
    shown = topic("\n".join("x" * length for length in lengths))
    assert (shown.state, shown.output.split()) == ("waiting", [str(it) for it in lengths])
    assert topic("//keys ^D").state == "0"


@pytest.mark.requirement("bash.stdin.long")
def test_a_line_that_would_be_cut_is_refused(topic: Topic) -> None:
    assert topic("stty eof undef; cat").state == "waiting"
    for typed in ("x" * 5000, f'//keys "{"x" * 5000}"'):
        refused = topic.events(typed)
        assert refused.head["code"] == "INVALID_PAYLOAD"
        assert "The terminal passes on 4,095 bytes of a line, and this one has 5,000." in refused.content
        assert "in a file, or by a pipe" in refused.content
    assert topic("short").output == "short"
    topic.events("//keys ^C")


@pytest.mark.requirement("bash.stdin.long")
def test_pieces_are_cut_only_where_needed() -> None:
    pieces = LinePieces()
    assert pieces.cut(b"short\nlines\n", COOKED) == b"short\nlines\n"
    assert pieces.cut(b"x" * 3000, COOKED) == b"x" * 3000
    assert pieces.cut(b"y" * 3000 + b"\n", COOKED) == b"y" * 1000 + b"\x04" + b"y" * 2000 + b"\n"
    assert pieces.cut(b"z" * 4000 + b"\x04" + b"z" * 4000, COOKED).count(b"\x04") == 1
    assert b"\x04\x04" not in pieces.cut(b"z" * 40_000 + b"\n", COOKED)


@pytest.mark.requirement("bash.stdin.paced", "bash.output.echo.lines")
def test_hundreds_of_lines_for_a_repl_are_not_echoed(topic: Topic) -> None:
    assert topic("python3 -q").output == ">>> "
    lines = [f"x{number} = {number}" for number in range(300)]
    assert topic("\n".join((*lines, "print(x0 + x299)"))).output == "299\n>>> "
    topic.events("//keys ^D")


@pytest.mark.long
@pytest.mark.requirement("bash.stdin.paced")
def test_lines_wait_for_a_repl_that_is_busy(topic: Topic) -> None:
    assert topic("python3 -q").output == ">>> "
    slow = ["import time", *["time.sleep(0.002)"] * 200, *[f"x = {it}" for it in range(300)], "x"]
    assert topic("\n".join(slow)).output == "299\n>>> "
    topic.events("//keys ^D")


@pytest.mark.requirement("bash.output.echo.lines")
def test_lines_are_left_out_behind_one_that_another_prompt_took(topic: Topic) -> None:
    assert topic("python3 -q").output == ">>> "
    assert topic("name = input('Name? ')\nAda\nprint(name)\n1 + 1").output == "Name? Ada\nAda\n2\n>>> "
    assert topic("s = '''a\n\tb'''\nlen(s) > 2").output == "True\n>>> "
    topic.events("//keys ^D")


@pytest.mark.requirement("bash.empty")
def test_an_empty_text_is_an_empty_line(topic: Topic) -> None:
    assert topic("python3 -q").output == ">>> "
    assert topic("for i in range(2):\n    print(i)").output == "... "
    it = topic("")
    assert (it.label, it.output) == ("", "0\n1\n>>> ")
    assert topic("  \n ").output == ">>> "
    topic.events("//keys ^D")
    assert topic('read x; echo "<$x>"').state == "waiting"
    assert topic("").output == "<>"


@pytest.mark.requirement("bash.empty")
@pytest.mark.parametrize("name", [None, "file:main", "no topic"])
def test_an_empty_text_for_nothing_is_refused(topic: Topic, name: str | None) -> None:
    topic.says("true")
    body = json.dumps({"cmd": " \n", "topic": name or topic.name}).encode()
    refused = topic.daemon.request("POST", "/exec", body, {"X-User-Id": "default"})
    assert (refused.status, "Empty command" in refused.text) == (400, True)


@pytest.mark.requirement("bash.wait.text")
def test_a_text_has_a_time_limit_of_its_own(topic: Topic) -> None:
    start = time.monotonic()
    it = topic("//wait 0.4 echo begun; sleep 100")
    assert (it.state, it.code, it.output) == ("running", None, "begun")
    assert time.monotonic() - start < 10
    assert topic.ends("//interrupt").state == "130"
    assert topic("//wait 20 cd /usr; echo over").output == "over"
    assert topic("//wait 20\necho two\necho lines").output == "two\nlines"


@pytest.mark.requirement("bash.wait.text")
def test_input_has_a_time_limit_of_its_own(topic: Topic) -> None:
    assert topic("while read x; do sleep $x; echo slept; done").state == "waiting"
    assert topic("//wait 0.3 50").state == "running"
    topic.ends("//interrupt")


@pytest.mark.requirement("bash.wait.text")
@pytest.mark.parametrize("typed", ["//wait x", "//wait make all", "//wait -1 make"])
def test_a_wait_without_seconds_is_refused(topic: Topic, typed: str) -> None:
    refused = topic.events(typed)
    assert refused.head["code"] == "INVALID_PARAMS"
    assert "Usage: //wait [seconds [text]]" in refused.content


@pytest.mark.requirement("bash.wait.text", "bash.secrets")
def test_a_secret_behind_a_wait_is_masked(topic: Topic) -> None:
    assert topic("read -s -p 'Password: ' p; echo; echo ${#p}").state == "waiting"
    events = topic.events("//wait 5 hunter2-secret")
    assert events.head["cmd"] == "//wait ********"
    assert "hunter2" not in events.raw.decode()
    assert events.content.endswith("\n14")


@pytest.mark.requirement("bash.wait.text")
def test_a_wait_with_a_text_takes_its_turn(topic: Topic) -> None:
    topic.events('//set {_timeout} = "0.3"')
    assert topic("sleep 100").state == "running"
    topic.events("//cancel")
    topic.events('//set {_timeout} = "60"')
    assert topic("//wait 30 echo next").output.endswith("next")
