"""Share one running daemon between tests, since starting one takes longer than most tests."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from stringd.testing.process import DaemonProcess


class SharedDaemon(DaemonProcess):
    """The shared daemon as one test uses it: with homes in the test's folder and an empty log."""

    def __init__(self, running: DaemonProcess, folder: Path) -> None:
        vars(self).update(vars(running))
        folder.mkdir(parents=True, exist_ok=True)
        self.home, self._folder = folder / "home", folder
        self._log_start = self._log.stat().st_size

    def start(self, *, ready: bool = True) -> None:
        self._log_start = 0
        super().start(ready=ready)

    def stderr(self) -> str:
        return self._log.read_bytes()[self._log_start :].decode(errors="replace")


class DaemonPool:
    """Keeps a daemon running, and replaces it after a test has ended or broken it."""

    def __init__(
        self, folder: Path, *, program: Sequence[str] = (), env: Mapping[str, str] | None = None
    ) -> None:
        self._folder = folder
        self._program = program
        self._env = env or {}
        self._numbers = itertools.count(1)
        self._running: DaemonProcess | None = None

    def acquire(self, folder: Path) -> DaemonProcess:
        """Return the daemon with only the user `default`, whose home is in the folder."""
        if self._running is None:
            self._running = self._started()
        daemon = SharedDaemon(self._running, folder)
        reply = daemon.register("default", daemon.home)
        assert reply.status in {200, 201}, reply.text
        return daemon

    def release(self, daemon: DaemonProcess) -> None:
        """Remove the users of the test; discard a daemon that the test has ended."""
        if self._running is None or daemon.process is not self._running.process:
            daemon.kill()
            self.close()
            return
        try:
            for user in daemon.request("GET", "/users").json()["users"]:
                daemon.request("DELETE", f"/users/{quote(user['id'], safe='')}")
        except (OSError, KeyError, ValueError):
            self.close()

    def close(self) -> None:
        """End the daemon."""
        if self._running is not None:
            self._running.kill()
        self._running = None

    def _started(self) -> DaemonProcess:
        folder = self._folder / str(next(self._numbers))
        running = DaemonProcess(folder, (), self._env, port=0, data_dir=None, program=self._program)
        running.start()
        return running
