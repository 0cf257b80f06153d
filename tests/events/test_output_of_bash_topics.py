"""Output of programs in bash topics, as it is printed."""

from __future__ import annotations

import time

import pytest

from tests.events.output import Watched

TOPIC = "bash:main"
PASSWORD = "correct-horse"


@pytest.mark.requirement("output.bash")
def test_text_is_published_while_the_program_runs(watched: Watched) -> None:
    fifo = watched.daemon.home / "go"
    with watched.running(f"mkfifo {fifo}; echo first; read x < {fifo}; echo $x", TOPIC) as answer:
        watched.wait_for(lambda it: it.text() == "first\n")
        assert not answer.done()
        fifo.write_text("second\n", encoding="utf-8")
    assert watched.text() == "first\nsecond\n"
    assert watched.events()[-1]["kind"] == "command-ended"


@pytest.mark.requirement("output.bash.between")
def test_text_between_requests_has_no_request_id(watched: Watched) -> None:
    daemon, fifo = watched.daemon, watched.daemon.home / "go"
    daemon.exec('//set {_timeout} = "0.2"', TOPIC)
    reply = daemon.exec(
        f"mkfifo {fifo}; echo first; read x < {fifo}; echo $x; sleep 30", TOPIC, request_id="a"
    )
    assert "running" in reply.content
    fifo.write_text("second\n", encoding="utf-8")
    watched.wait_for(lambda it: it.text() == "first\nsecond\n")
    assert [it["request_id"] for it in watched.events("output")] == ["a", None]
    assert watched.events()[-1]["kind"] == "output"


@pytest.mark.requirement("output.bash.between")
def test_output_after_input_has_the_request_id_of_the_input(watched: Watched) -> None:
    daemon = watched.daemon
    daemon.exec("read -p 'name? ' x; echo hello $x", TOPIC, request_id="asks")
    daemon.exec("Ann", TOPIC, request_id="answers")
    by_request = {it["request_id"]: it["text"] for it in watched.events("output")}
    assert by_request == {"asks": "name? ", "answers": "Ann\nhello Ann\n"}


@pytest.mark.requirement("output.bash.silent")
def test_input_without_echo_is_not_published(watched: Watched) -> None:
    daemon = watched.daemon
    daemon.exec("read -s -p 'Password: ' x; echo; echo ${#x} characters", TOPIC)
    daemon.exec(PASSWORD, TOPIC)
    assert watched.text() == f"Password: \n{len(PASSWORD)} characters\n"
    assert PASSWORD not in str(watched.events())


@pytest.mark.requirement("output.bash.screen")
def test_full_screen_program_is_only_noted(watched: Watched) -> None:
    screen = r"printf '\033[?1049h\033[H\033[2Jsecret of the screen\033[5;5Hmore\033[?1049l'"
    watched.daemon.exec(f"echo before; {screen}; echo after", TOPIC)
    assert watched.text() == "before\n[a full-screen program]\nafter\n"


@pytest.mark.requirement("output.terminal")
def test_progress_bars_and_colours_are_shown_as_a_terminal_shows_them(watched: Watched) -> None:
    watched.daemon.exec(r"printf '1%%\r2%%\r\033[K\033[32mdone\033[0m\n'", TOPIC)
    assert watched.text() == "done\n"


@pytest.mark.long
@pytest.mark.requirement("output.bounded")
def test_large_output_is_limited_and_says_what_is_left_out(watched: Watched) -> None:
    began = time.monotonic()
    watched.daemon.exec("yes a line of the flood | head -c 30M; echo the end", TOPIC)
    seconds = time.monotonic() - began
    outputs = watched.events("output")
    assert 1 <= len(outputs) <= 10 * seconds + 3
    assert all(len(it["text"]) <= 17_000 for it in outputs)
    assert "of output left out ...]" in watched.text()
    assert watched.text().endswith("the end\n")


def test_output_of_a_background_job_is_published_after_its_command(watched: Watched) -> None:
    watched.daemon.exec("(sleep 0.5; echo late) &", TOPIC)
    ended = len(watched.events("command-ended"))
    watched.wait_for(lambda it: "late\n" in it.text())
    assert len(watched.events("command-ended")) == ended
