"""Queries of programs to their terminal: answered where a program reads the answer, and only there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stringd_bash.terminal_queries import TerminalQueries
from stringd_bash.terminal_size import Size
from tests.bash.conftest import Topic

ANSWERS = {
    "\x1b[c": "\x1b[?6c",
    "\x1b[0c": "\x1b[?6c",
    "\x1bZ": "\x1b[?6c",
    "\x1b[>c": "\x1b[>0;100;0c",
    "\x1b[>0c": "\x1b[>0;100;0c",
    "\x1b[=c": "\x1bP!|00000000\x1b\\",
    "\x1b[5n": "\x1b[0n",
    "\x1b[6n": "\x1b[1;1R",
    "\x1b[?6n": "\x1b[?1;1R",
    "\x1b[9999;9999H\x1b[6n": "\x1b[24;80R",
    "\x1b[5;7Hab\x1b[6n": "\x1b[5;9R",
    "\x1b[2;1H\u25bd\x1b[6n": "\x1b[2;2R",
    "\x1b[2;1H\u6f22\x1b[6n": "\x1b[2;3R",
    "\x1b[999C\x1b[999B\x1b[6n": "\x1b[24;80R",
    "\x1b]10;?\x07": "\x1b]10;rgb:ffff/ffff/ffff\x07",
    "\x1b]11;?\x1b\\": "\x1b]11;rgb:0000/0000/0000\x1b\\",
    "\x1b]12;?\x07": "\x1b]12;rgb:ffff/ffff/ffff\x07",
    "\x1b[14t": "\x1b[4;384;640t",
    "\x1b[16t": "\x1b[6;16;8t",
    "\x1b[18t": "\x1b[8;24;80t",
    "\x1b[>q": "\x1bP>|stringd\x1b\\",
    "\x1b[>0q": "\x1bP>|stringd\x1b\\",
    "\x1b[?2026$p": "\x1b[?2026;0$y",
    "\x1b[4$p": "\x1b[4;0$y",
    "\x1bP+q544e\x1b\\": "\x1bP0+r\x1b\\",
}
NO_QUERIES = [
    "\x1b[1c",
    "\x1b[>1c",
    "\x1b[7n",
    "\x1b[?5n",
    "\x1b[22;0;0t",
    "\x1b[?q",
    "\x1b]10;red\x07",
    "\x1b[31m",
    f"\x1b[{'1' * 99}$p",
]
# Asks as programs do: key by key, without echo, and waiting for each answer.
ASKING = """
import json, os, select, termios, tty
modes, told = termios.tcgetattr(0), []
tty.setraw(0)
for query in QUERIES:
    os.write(1, query.encode())
    select.select([0], [], [], 5)
    told.append(os.read(0, 100).decode())
termios.tcsetattr(0, termios.TCSANOW, modes)
open("answers.json", "w").write(json.dumps(told))
"""
SIZE = Size(columns=80, rows=24)


@pytest.mark.requirement("bash.queries")
def test_queries_of_a_program_are_answered(topic: Topic) -> None:
    home = topic.daemon.home
    Path(home, "ask.py").write_text(f"QUERIES = {[*ANSWERS]!r}\n{ASKING}", encoding="utf-8")
    topic.says("python3 ask.py")
    told = json.loads(Path(home, "answers.json").read_text(encoding="utf-8"))
    assert dict(zip(ANSWERS, told, strict=True)) == ANSWERS


@pytest.mark.requirement("bash.queries")
def test_answer_waits_for_a_program_that_sets_the_modes_later(topic: Topic) -> None:
    asking = "printf '\\e[6n'; sleep 0.03; IFS= read -s -d R position; declare -p position"
    assert topic.says(asking) == "declare -- position=$'\\E[1;1'"


@pytest.mark.requirement("bash.queries")
def test_answer_waits_for_a_program_that_computes_before(topic: Topic) -> None:
    now = "${EPOCHREALTIME/./}"
    computing = f"start={now}; while (( {now} - start < 400000 )); do :; done"
    asking = f"printf '\\e[6n'; {computing}; IFS= read -s -d R position; declare -p position"
    assert topic.says(asking) == "declare -- position=$'\\E[1;1'"


@pytest.mark.requirement("bash.queries")
def test_queries_may_be_split_anywhere() -> None:
    for query, answer in ANSWERS.items():
        for split in range(1, len(query)):
            queries = TerminalQueries()
            told = queries.answers(query[:split].encode(), SIZE) + queries.answers(
                query[split:].encode(), SIZE
            )
            is_at_start = "[1;1R" in answer or "R" not in answer
            assert told.decode() == answer or not is_at_start, (query, split)


@pytest.mark.requirement("bash.queries")
def test_what_is_no_query_is_not_answered() -> None:
    for text in NO_QUERIES:
        assert TerminalQueries().answers(f"{text}x".encode(), SIZE) == b"", text


@pytest.mark.requirement("bash.queries.unasked")
def test_queries_in_a_shown_text_leave_no_trace(topic: Topic) -> None:
    burst = "a".join(query for query in ANSWERS if "H" not in query and "C" not in query)
    Path(topic.daemon.home, "log").write_text(f"before\n{burst}{burst}\nbehind\n", encoding="utf-8")
    letters = "a" * 2 * burst.count("a")
    shown = topic.says("cat log; sleep 0.2; echo end")
    assert [line.strip() for line in shown.splitlines()] == ["before", letters, "behind", "end"]
    assert topic("cat log; read answer; declare -p answer").state == "waiting"
    assert topic("mine").output == 'declare -- answer="mine"'
    assert topic.says("cat log >/dev/tty & wait; echo end").endswith("behind\nend")
