"""What the tests of bash topics share: a daemon, a topic to talk to, and a look at what is left running."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess, Events

SYSTEM = re.compile(r"exit: (?P<state>\d+|waiting|running) \| cwd: (?P<cwd>.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply of a bash topic, taken apart."""

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
        """Send a text or a command, and return the state that is answered."""
        return answer(self.events(cmd))

    def says(self, cmd: str) -> str:
        """Return what an evaluation that succeeds prints."""
        it = self(cmd)
        assert (it.state, it.code) == ("0", None), it.raw
        return it.output


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


def marked_processes(mark: str) -> dict[int, str]:
    """Return the processes in whose environment a text stands, with their command lines."""
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
    """Return a function that starts daemons whose default user has a home."""

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
