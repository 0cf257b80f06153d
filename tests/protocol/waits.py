"""Bounded waiting for conditions."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stringd.testing.process import DaemonProcess

T = TypeVar("T")
INTERVAL = 0.02


def eventually(probe: Callable[[], T | None], within: float = 10.0) -> T:
    """The first truthy answer of the probe; fails the test when none comes in time."""
    deadline = time.monotonic() + within
    while not (answer := probe()):
        assert time.monotonic() < deadline, f"still {answer!r} after {within} s"
        time.sleep(INTERVAL)
    return answer


@contextmanager
def within(seconds: float, daemon: DaemonProcess) -> Iterator[None]:
    """Fail if this takes longer, without the time that the daemon and this process lacked a processor."""
    started, lacked = time.monotonic(), _lacked_processor(daemon)
    yield
    taken = time.monotonic() - started - (_lacked_processor(daemon) - lacked)
    assert taken < seconds, f"it took {taken:.1f} s"


def _lacked_processor(daemon: DaemonProcess) -> float:
    stats = (Path(f"/proc/{pid}/schedstat") for pid in (daemon.process.pid, os.getpid()))
    return sum(int(it.read_text(encoding="ascii").split()[1]) for it in stats) / 1e9


def session(daemon: DaemonProcess, topic: str = "file:main", user: str = "default") -> dict[str, Any] | None:
    """The entry of one topic in GET /sessions."""
    listed = daemon.request("GET", f"/sessions?user_id={user}").json()["sessions"]
    return next((entry for entry in listed if entry["topic"] == topic), None)


def running(daemon: DaemonProcess, topic: str = "file:main", user: str = "default") -> None:
    """Returns once the topic executes a command."""
    eventually(lambda: (session(daemon, topic, user) or {}).get("executing"))


def waiting(daemon: DaemonProcess, count: int, topic: str = "file:main", user: str = "default") -> None:
    """Returns once this many commands wait for the topic."""
    eventually(lambda: (session(daemon, topic, user) or {}).get("queue_length") == count)


def recorded(daemon: DaemonProcess) -> list[str]:
    """The lines that /record has written for the default user."""
    file = daemon.home / "record.txt"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
