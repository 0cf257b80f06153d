"""Lends one running daemon to many tests, since starting one takes longer than most tests."""

from __future__ import annotations

import itertools
from pathlib import Path
from urllib.parse import quote

from stringd.testing.process import DaemonProcess


class LentDaemon(DaemonProcess):
    """The same running daemon for one more test, with homes below its folder and a log that begins empty."""

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


class Lender:
    """Keeps a daemon running, and replaces it where a test has ended it or left it unwell."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self._running: DaemonProcess | None = None

    def lend(self, folder: Path) -> DaemonProcess:
        """Return a daemon that knows the user `default`, with a home below the folder, and nothing else."""
        if self._running is None:
            self._running = self._started()
        lent = LentDaemon(self._running, folder)
        lent.register("default", lent.home)
        return lent

    def take_back(self, lent: DaemonProcess) -> None:
        """Remove the users of the test that had it; one that it has ended is not lent again."""
        if self._running is None or lent.process is not self._running.process:
            lent.kill()
            self.close()
            return
        try:
            for user in lent.request("GET", "/users").json()["users"]:
                lent.request("DELETE", f"/users/{quote(user['id'], safe='')}")
        except (OSError, KeyError, ValueError):
            self.close()

    def close(self) -> None:
        """End the daemon."""
        if self._running is not None:
            self._running.kill()
        self._running = None

    def _started(self) -> DaemonProcess:
        folder = self._folder / str(next(self._numbers))
        running = DaemonProcess(folder, (), {}, port=0, data_dir=None)
        running.start()
        return running
