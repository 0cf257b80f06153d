"""A daemon whose state is kept by the plugin `elsewhere`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess, Events, parse_events

PLUGIN = Path(__file__).with_name("elsewhere.py")


class Elsewhere:
    """The daemon, what its plugin has stored, and moves of the home of `default`."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon = daemon
        self.home = daemon.home

    def __call__(self) -> Any:
        """Return all that is stored."""
        return self.daemon.request("GET", "/elsewhere").json()

    def send(self, cmd: str, topic: str = "file:a", request_id: str | None = None) -> Future[Events | int]:
        """Send a command in a thread; the result is the answer, or the status of a refusal."""
        sent: Future[Events | int] = Future()

        def run() -> None:
            body = {"cmd": cmd, "topic": topic, "request_id": request_id}
            try:
                reply = self.daemon.request("POST", "/exec", body, {"X-User-Id": "default"})
                sent.set_result(parse_events(reply) if reply.status == 200 else reply.status)
            except BaseException as error:
                sent.set_exception(error)

        Thread(target=run, daemon=True).start()
        return sent

    def release(self, *, stored: bool, seconds: float = 3) -> Any:
        """Move the home away."""
        query = f"stored={'yes' if stored else 'no'}&seconds={seconds}"
        return self.daemon.request("POST", f"/elsewhere/release?{query}").json()

    def restore(self) -> Any:
        """Move the home back."""
        return self.daemon.request("POST", "/elsewhere/restore").json()

    def lines(self) -> list[str]:
        """Return what `/count` has written."""
        path = self.home / "lines.txt"
        return path.read_text(encoding="utf-8").split() if path.exists() else []


@pytest.fixture
def elsewhere(start_daemon: Callable[..., DaemonProcess]) -> Elsewhere:
    """A running daemon with the plugin and the user `default`."""
    running = start_daemon("--plugins", str(PLUGIN))
    running.register("default", running.home)
    return Elsewhere(running)


@pytest.fixture
def on_demand(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> Elsewhere:
    """The same on a daemon to which homes come only when they are restored, as the user's has not yet."""
    daemon = start_daemon("--plugins", str(PLUGIN), "--data-dir", str(tmp_path / "data"))
    (tmp_path / "on-demand").touch()
    daemon.restart()
    daemon.register("default", daemon.home)
    daemon.home.mkdir(exist_ok=True)
    return Elsewhere(daemon)
