"""Output of `/exec` and CLI actions, as it is printed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.events.output import StartDaemon, Watched, start_watched

TOPIC = "file:main"
SECRET = "hunter2-abcdef"


@pytest.mark.requirement("output.exec")
def test_text_is_published_while_the_command_runs(watched: Watched) -> None:
    fifo = watched.daemon.home / "go"
    with watched.running(f"/exec mkfifo {fifo}; echo first; read x < {fifo}; echo $x", TOPIC) as answer:
        watched.wait_for(lambda it: it.text() == "first\n")
        assert not answer.done()
        fifo.write_text("second\n", encoding="utf-8")
        assert answer.result(20).content.endswith("first\nsecond")
    assert watched.text() == "first\nsecond\n"


@pytest.mark.requirement("output.order")
def test_all_text_is_between_begin_and_end_with_the_request_id(watched: Watched) -> None:
    watched.daemon.exec("/exec echo out; echo err >&2; printf end", TOPIC, request_id="r1")
    kinds = [it["kind"] for it in watched.events() if it["request_id"] == "r1"]
    assert kinds == ["command-begun", "output", "command-ended"]
    (output,) = watched.events("output")
    assert (output["user_id"], output["topic"], output["text"]) == ("default", TOPIC, "out\nerr\nend")


@pytest.mark.requirement("output.terminal")
def test_text_is_shown_as_a_terminal_shows_it(watched: Watched) -> None:
    watched.daemon.exec(
        r"""/exec printf '10%%\r20%%\r\033[31mred\033[0m\r\nax\bb\033]0;title\007\n'""", TOPIC
    )
    assert watched.text() == "red\nab\n"


@pytest.mark.requirement("output.terminal")
def test_overwritten_row_is_shown_again(watched: Watched) -> None:
    fifo = watched.daemon.home / "go"
    cmd = f"/exec mkfifo {fifo}; printf '10%%'; read x < {fifo}; printf '\\r100%%\\n'"
    with watched.running(cmd, TOPIC):
        watched.wait_for(lambda it: it.text() == "10%")
        fifo.write_text("\n", encoding="utf-8")
    assert watched.text() == "10%\n100%\n"


@pytest.mark.requirement("output.bounded")
def test_large_output_is_limited_and_says_what_is_left_out(watched: Watched) -> None:
    began = time.monotonic()
    watched.daemon.exec("/exec yes a line of the flood | head -c 50M; echo the end", TOPIC)
    seconds = time.monotonic() - began
    outputs = watched.events("output")
    assert 1 <= len(outputs) <= 10 * seconds + 3
    assert all(len(it["text"]) <= 17_000 for it in outputs)
    assert "of output left out ...]" in watched.text()
    assert watched.text().endswith("the end\n")


@pytest.mark.requirement("output.unwatched")
def test_nothing_is_published_without_watchers(start_daemon: StartDaemon, tmp_path: Path) -> None:
    unwatched = start_watched(start_daemon, tmp_path, is_watched=False).daemon
    unwatched.exec("/exec echo text; sleep 0.3; echo more", TOPIC)
    unwatched.exec("echo text", "bash:main")
    kinds = unwatched.exec("/recent", TOPIC).content.split()
    assert kinds.count("command-ended") == 2
    assert "output" not in kinds


@pytest.mark.requirement("output.unwatched")
def test_observer_of_output_counts_as_a_watcher(watched: Watched) -> None:
    watched.daemon.exec("/exec echo text", TOPIC)
    assert "output" in watched.daemon.exec("/recent", TOPIC).content.split()


PAGE = """# Vault

```act.show
CLI printf '%s' "${KEY:0:5}"; sleep 0.4; printf '%s\\n' "${KEY:5}"; printf %s "$KEY" | base64; echo done
```
"""


@pytest.mark.requirement("output.masked")
def test_secret_in_two_pieces_is_masked(watched: Watched) -> None:
    daemon = watched.daemon
    (daemon.home / "vault.md").write_text(PAGE, encoding="utf-8")
    assert daemon.exec(f'/set $KEY = "{SECRET}"', "app:vault").head["ok"]
    assert daemon.exec("/open vault.md", "app:vault").head["ok"]
    reply = daemon.exec("/act.show", "app:vault")
    assert reply.head["ok"], reply.content
    text = watched.text()
    assert text.endswith("$KEY\n$KEY\ndone\n")
    assert SECRET[:5] not in text
    assert SECRET[5:] not in text
