"""Fixtures of the tests of bash topics: a daemon, topics to talk to, and the processes that run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess, Events

LONGEST_WAIT = 25
SYSTEM = re.compile(r"exit: (?P<state>\d+|waiting|running) \| cwd: (?P<cwd>.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A parsed reply of a bash topic."""

    label: str
    state: str
    cwd: str
    output: str
    code: str | None
    raw: str


class Topic:
    """One bash topic, as an agent sees it."""

    def __init__(self, daemon: DaemonProcess, name: str = "bash:t", user: str = "default") -> None:
        self.daemon = daemon
        self.name = name
        self.user = user

    def events(self, cmd: str) -> Events:
        return self.daemon.exec(cmd, self.name, self.user)

    def __call__(self, cmd: str) -> Answer:
        """Send a text or a command and return the parsed reply."""
        return answer(self.events(cmd))

    def says(self, cmd: str) -> str:
        """Return the output of an evaluation that must succeed."""
        it = self(cmd)
        assert (it.state, it.code) == ("0", None), it.raw
        return it.output

    def ends(self, cmd: str) -> Answer:
        """Send an urgent command and return the end of the program, which may come after the first reply."""
        it = self(cmd)
        return self(f"//wait {LONGEST_WAIT}") if it.state == "running" else it

    def gate(self) -> Gate:
        """Return a file that programs of this topic, which are in its home directory, wait for."""
        return Gate(self.daemon.home / f".gate-{time.monotonic_ns()}")


@dataclass(frozen=True, slots=True)
class Gate:
    """A file for which a program waits, so that a test decides how long the program runs."""

    path: Path

    @property
    def wait(self) -> str:
        """The shell command that returns when the gate is open."""
        return f"until [[ -e {self.path} ]]; do sleep 0.05; done"

    def open(self) -> None:
        """Let the program go on."""
        self.path.touch()


def answer(events: Events) -> Answer:
    label, _, body = events.content.partition("\n")
    system, _, output = body.partition("\n---\n")
    match = SYSTEM.fullmatch(system)
    assert match, events.content
    return Answer(
        label=label.removeprefix("re: "),
        state=match["state"],
        cwd=match["cwd"],
        output=output,
        code=events.head["code"],
        raw=events.content,
    )


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, which is the same on a machine with other work to do."""
    return time.clock_gettime((~pid << 3) | 2)


def marked_processes(mark: str) -> dict[int, str]:
    """Return the processes whose environment contains a text, with their command lines."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if words:
                    found[int(entry.name)] = words
        except OSError:
            continue
    return found


@pytest.fixture
def start_bash(start_daemon: Callable[..., DaemonProcess]) -> Callable[..., DaemonProcess]:
    """Return a function that starts daemons whose default user has a home directory."""

    def start(**env: str) -> DaemonProcess:
        daemon = start_daemon(env=env)
        daemon.register("default", daemon.home)
        daemon.home.mkdir(exist_ok=True)
        return daemon

    return start


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for the tests that leave nothing behind."""
    daemon = DaemonProcess(tmp_path_factory.mktemp("bash"), (), {}, port=0, data_dir=None)
    daemon.start()
    daemon.register("default", daemon.home)
    daemon.home.mkdir(exist_ok=True)
    yield daemon
    daemon.stop()


@pytest.fixture
def topic(shared: DaemonProcess, request: Any) -> Iterator[Topic]:
    """A topic of the shared daemon that is deleted after the test."""
    name = "bash:" + re.sub(r"\W+", "-", request.node.name)[:60].strip("-")
    yield Topic(shared, name)
    shared.request("DELETE", f"/sessions/default/{name}")
