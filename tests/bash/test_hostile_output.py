"""No output of a program blocks the daemon, makes a reply fail, or hides other output."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.bash.conftest import Topic, cpu_seconds
from tests.bash.grammar import everything
from tests.bash.test_sequences import RAW

# Each of these once took from ten seconds to hours.
FLOODS = {
    "combining characters behind a CR": "x\r" + "\u0301" * 250_000,
    "alignment patterns": "\x1b#8" * 20_000,
    "room made again and again": "a\x1b[@\x1b[1G" * 40_000,
    "rows inserted": "\x1b[2J" + "x\x1b[L" * 60_000,
    "far columns": "\x1b[9999Cx\r\n" * 60_000,
    "carriage returns": "\r" * 900_000,
    "a bar that never ends": "".join(f"\r{number}%" for number in range(120_000)),
    "strings without an end": "\x1b]" * 400_000,
    "questions": "\x1b[6n" * 200_000,
    "switches of the screen": "\x1b[?1049hx\x1b[?1049l" * 30_000,
}
# The CPU time that the daemon spends until it answers: some milliseconds, once it was over ten seconds.
LONGEST_SECONDS = 2.0
PAUSE = 0.01


@contextmanager
def health_watched(daemon: DaemonProcess) -> Iterator[list[float]]:
    """Ask for the daemon's health again and again; note the CPU time that it spends until each answer."""
    seconds: list[float] = []
    over = threading.Event()

    def ask() -> None:
        while not over.wait(PAUSE):
            start = cpu_seconds(daemon.process.pid)
            assert daemon.request("GET", "/health").status == 200
            seconds.append(cpu_seconds(daemon.process.pid) - start)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            yield seconds
        finally:
            over.set()
            asking.result(30)


def save(topic: Topic, text: str) -> str:
    path = Path(topic.daemon.home, "printed")
    path.write_bytes(text.encode())
    return shlex.quote(str(path))


@pytest.mark.long
@pytest.mark.requirement("bash.output.bounded", "bash.output.plain")
@pytest.mark.parametrize("name", FLOODS)
@pytest.mark.parametrize("way", ["cat {}; (exit 7)", "stty -echo; cat {}; read x; (exit 7)"])
def test_daemon_stays_responsive(topic: Topic, name: str, way: str) -> None:
    path = save(topic, f"BEFORE\r\n{FLOODS[name]}\x1b[?1049l\x1b[99B\r\nAFTER\r\n")
    topic.says("echo ready")
    with health_watched(topic.daemon) as seconds:
        it = topic(way.format(path))
        ended = topic("go on") if it.state == "waiting" else it
        if ended.state == "waiting":  # the program has not been scheduled since
            ended = topic("//wait 10")
    assert ended.code == "EXIT_7"
    assert "AFTER" in it.output
    assert not RAW.search(it.output)
    assert max(seconds) < LONGEST_SECONDS
    assert topic.says("stty sane; echo usable") == "usable"


@pytest.mark.long
@pytest.mark.requirement("bash.output.plain")
def test_slow_drawing_falls_back_to_plain_text(topic: Topic) -> None:
    topic.events('//set {_size} = "1000x1000"')
    path = save(topic, "BEFORE\r\n" + "\x1b#8" * 20_000 + "\r\n\x1b[31mAFTER\r\n")
    with health_watched(topic.daemon) as seconds:
        it = topic(f"cat {path}")
    assert (it.state, it.code) == ("0", None)
    first, *lines = it.output.splitlines()
    assert first.startswith("[plain text, as drawing it like a terminal failed: ")
    assert [line for line in lines if line] == ["BEFORE", "AFTER"]
    assert max(seconds) < LONGEST_SECONDS
    assert topic.says("printf 'a\\rb\\n'") == "b"


@pytest.mark.requirement("bash.output.any", "bash.output.clean", "bash.status")
def test_sequences_do_not_affect_topic_or_status(topic: Topic) -> None:
    for number, sequence in enumerate(everything()[::40]):
        path = save(topic, f"BEFORE{sequence}\r\nAFTER\r\n")
        it = topic(f"cat {path}; (exit {number % 200})")
        assert it.state == str(number % 200), (sequence, it.raw)
        assert it.code == (f"EXIT_{number % 200}" if number % 200 else None)
        assert "AFTER" in it.output, (sequence, it.raw)
        assert not RAW.search(it.output)


@pytest.mark.requirement("bash.output.any")
@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\\033[5;5Hx\\033[?1r", "\n\n\n\n    x"),
        ("10%%\\r\\a100%%\\001\\n", "100%"),
        ("ab\\r\\vc\\n", "ab\nc"),
        ("long line\\r\\177\\001short\\n", "shortline"),
        ("a\\a\\016b\\342\\200\\250c\\302\\205d\\n", "ab\u2028cd"),
        ("a\\033]0;never ended\\nb\\n", "a0;never ended\nb"),
    ],
)
def test_no_text_is_lost(topic: Topic, printed: str, shown: str) -> None:
    assert topic.says(f"printf '{printed}'") == shown


@pytest.mark.requirement("bash.output.echo")
@pytest.mark.parametrize(
    ("program", "answers"),
    [
        ("cat", "hello"),
        ("stty -echo; cat", "hello"),
        ("stty raw -echo; head -c 6", "hello"),
        ("stty -echo; head -n 1", "hello"),
        ("stty -icanon -echo -icrnl; head -c 6", "hello"),
        ("read -e x; echo got $x", "got hello"),
        ("python3 -c 'import readline; print(input() * 2)'", "hellohello"),
    ],
)
def test_only_echoed_input_is_removed(topic: Topic, program: str, answers: str) -> None:
    assert topic(program).state == "waiting"
    assert topic("hello").output == answers
    topic.events("//reset")
