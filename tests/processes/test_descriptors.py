"""Programs inherit the standard streams and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from stringd.testing.process import DaemonProcess

LIST = "for fd in {0..300}; do [[ -e /proc/$BASHPID/fd/$fd ]] && echo -n $fd,; done; true"
SHELL = f"bash -c '{LIST}'"
TOPICS = 4


@pytest.fixture
def daemon(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A daemon that holds terminals, pipes and sockets of bash topics."""
    running = start_daemon()
    running.register("default", running.home)
    running.home.mkdir(exist_ok=True)
    for number in range(TOPICS):
        assert running.exec("true", f"bash:t{number}").head["code"] is None
    return running


@pytest.mark.parametrize(("command", "topic"), [(f"/exec {SHELL}", "file:t"), (SHELL, "bash:t")])
def test_only_standard_streams_are_inherited(daemon: DaemonProcess, command: str, topic: str) -> None:
    with ThreadPoolExecutor(TOPICS) as pool:
        replies = pool.map(lambda number: daemon.exec(command, f"{topic}{number}").content, range(TOPICS))
        assert [it.splitlines()[-1] for it in replies] == ["0,1,2,"] * TOPICS
