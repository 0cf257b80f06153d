"""Output as a terminal shows it, in bounded memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bash.conftest import Topic, cpu_seconds
from tests.protocol.waits import eventually


@pytest.mark.requirement("bash.output.terminal")
@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("printf 'a\\tb\\n'", "a\tb"),
        ("printf '\\033[1;31mred\\033[0m \\033[38;5;9mx\\033[m\\n'", "red x"),
        ("printf '\\033]0;title\\007text\\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\\\n'", "textlink"),
        ("for i in {1..100}; do printf '\\r%d%%' $i; done; echo", "100%"),
        ("printf 'long line\\rshort\\n'", "shortline"),
        ("printf '10%%\\r\\033[K20%%\\r\\033[K'; echo done", "done"),
        ("printf 'abc\\b\\bX\\n'", "aXc"),
        ("printf 'one\\ntwo\\n\\033[2A\\033[2Know one\\n\\n'", "now one\ntwo"),
        (
            "printf 'before\\n'; clear; echo after",
            "[output before the screen]\nbefore\n[end of output before the screen]\nafter",
        ),
        ("tput smcup; echo aside; tput rmcup; echo main", "main"),
        ("printf '%0300d\\n' 7", "0" * 299 + "7"),
        ("printf '\\377\\376abc\\0def\\a\\n'", "��abcdef"),
        ("head -c 3 /dev/zero; echo", ""),
        ("printf 'no end'", "no end"),
        ("echo; echo x; echo", "\nx\n"),
        ("echo 漢字 e\u0301 👍", "漢字 e\u0301 👍"),
    ],
)
def test_output_matches_a_terminal(topic: Topic, text: str, output: str) -> None:
    assert topic.says(text) == (output or "(no output)") or (not output and topic.says(text) == "")
    assert topic.says("echo clean") == "clean"


@pytest.mark.requirement("bash.output.utf8")
def test_characters_may_be_split_anywhere(topic: Topic) -> None:
    text = "é漢👍".encode()
    pieces = "; sleep 0.06; ".join(f"printf '\\x{byte:02x}'" for byte in text)
    assert topic.says(f"{pieces}; echo") == "é漢👍"
    assert topic("stty -echo; printf '\\xe6\\xbc'; read x; printf '\\xa2\\n'").output == "(no output)"
    assert topic("go").output == "漢"


@pytest.mark.long
@pytest.mark.requirement("bash.output.limit")
def test_long_output_keeps_head_and_tail(topic: Topic) -> None:
    pid = topic.daemon.process.pid
    start = cpu_seconds(pid)
    it = topic("echo first; head -c 100M /dev/zero | tr '\\0' x; echo; echo last")
    assert cpu_seconds(pid) - start < 10
    assert it.state == "0"
    assert it.output.startswith("first\nxxxx")
    assert it.output.endswith("xxxx\nlast")
    assert "characters left out — //output 1 " in it.output
    assert len(it.output) <= 30_000
    assert "(104,857,611 characters, 3 lines)" in topic.events("//output").content
    assert topic.says("echo usable") == "usable"


@pytest.mark.requirement("bash.output.utf8")
def test_binary_output_is_harmless(topic: Topic) -> None:
    it = topic("head -c 300000 /dev/urandom; head -c 100000 /bin/bash")
    assert it.state == "0"
    assert topic.says("stty -a >/dev/null; echo usable") == "usable"


@pytest.mark.requirement("bash.background")
def test_background_output_is_marked(topic: Topic) -> None:
    gate = topic.gate()
    topic.says(f"({gate.wait}; echo from behind; touch printed) &")
    gate.open()
    eventually((topic.daemon.home / "printed").exists)
    (topic.daemon.home / "printed").unlink()
    it = topic.says("echo mine")
    assert it == "[background output]\nfrom behind\n[end of background output]\nmine"
    assert topic.says("echo again") == "again"


@pytest.mark.requirement("bash.background.flows")
def test_background_job_never_stalls(topic: Topic) -> None:
    flood = "echo first; head -c 5M /dev/zero | tr '\\0' x; echo; echo last; touch flooded"
    topic.says(f"{{ sleep 0.2; {flood}; }} &")
    flooded = topic.daemon.home / "flooded"
    eventually(flooded.exists)
    flooded.unlink()
    it = topic.says("echo mine")
    assert it.startswith("[background output]\nfirst\nxxxx")
    assert it.endswith("xxxx\nlast\n[end of background output]\nmine")
    assert len(it) <= 30_000
    assert "(1 line)\n" in topic.events("//output 1 --grep last").content
    assert "lost" not in it


@pytest.mark.long
@pytest.mark.requirement("bash.background.flows")
def test_endless_background_output_takes_little_of_the_daemon(topic: Topic) -> None:
    pid = topic.daemon.process.pid
    topic.says("{ yes >/dev/tty; } & { sleep 0.7; touch .later; } 2>/dev/null &")
    later = topic.daemon.home / ".later"
    start = cpu_seconds(pid)
    eventually(later.exists)
    later.unlink()
    assert cpu_seconds(pid) - start < 0.35
    it = topic("kill %1; wait; echo over")
    assert it.output.endswith("over")
    assert len(it.output) < 3 * 1024 * 1024


@pytest.mark.requirement("bash.screen")
def test_output_before_a_screen_is_shown(topic: Topic) -> None:
    above = "[output before the screen]\n{}\n[end of output before the screen]\n"
    lines = "\n".join(map(str, range(1, 101)))
    assert topic.says("seq 100; clear; echo end") == above.format(lines) + "end"
    it = topic("echo a b >n; seq 100; less n")
    assert it.output.startswith(above.format(lines) + "a b\n")
    assert topic("//keys g").output.startswith("a b\n")
    assert topic("//keys q").state == "0"


@pytest.mark.requirement("bash.screen", "bash.keys")
def test_a_screen_is_shown_and_resized(topic: Topic) -> None:
    Path(topic.daemon.home, "lines.txt").write_text(
        "".join(f"line {number}\n" for number in range(1, 200)), encoding="utf-8"
    )
    it = topic("less lines.txt")
    assert it.state == "waiting"
    assert it.output.splitlines()[:2] == ["line 1", "line 2"]
    assert len(it.output.splitlines()) == 24
    assert topic("//keys Space").output.splitlines()[0] == "line 24"
    topic.events('//set {_size} = "120x40"')
    assert len(topic("//keys g").output.splitlines()) == 40
    assert topic("//keys q").state == "0"
    assert topic.says("stty size") == "40 120"
