"""A daemon whose deadline for programs a test sets, and programs that write down until when they run."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from stringd.processes.proc import descendants, read_process
from stringd.testing.process import DaemonProcess

PLUGIN = Path(__file__).parents[1] / "distributions" / "lease.py"
PAGE = "stringd-lease-deadline"
NO_DEADLINE, NOT_RENEWED = "none", ""
_BEAT_SECONDS = 0.02
_WAIT_SECONDS = 20.0


class LeasedDaemon:
    """A daemon with the plugin that renews the deadline as a file says."""

    def __init__(self, start: Callable[..., DaemonProcess], folder: Path) -> None:
        self._file = folder / "lease.txt"
        self.renew(NO_DEADLINE)
        self.daemon = start("--plugins", str(PLUGIN), env={"LEASE_FILE": str(self._file)})
        self.daemon.register("default", self.daemon.home)
        self.daemon.home.mkdir(exist_ok=True)

    @property
    def pid(self) -> int:
        """The process id."""
        return self.daemon.process.pid

    def renew(self, seconds: float | str) -> None:
        """Have the deadline renewed, again and again, to so many seconds from then on."""
        other = self._file.with_suffix(".new")
        other.write_text(str(seconds), encoding="ascii")
        other.replace(self._file)

    def lease(self, seconds: float) -> None:
        """Renew the deadline, and wait until there is one."""
        self.renew(seconds)
        await_that(lambda: boottime() < self.deadline() <= boottime() + seconds)

    def deadline(self) -> float:
        """Return the deadline, as all supervisors read it; infinity if the daemon shares none."""
        for link, target in descriptors_of(self.pid):
            if PAGE in target:
                with link.open("rb") as page:
                    seconds: float = struct.unpack("@d", page.read(8))[0]
                    return seconds
        return float("inf")

    def stop(self) -> float:
        """Stop the daemon's process; return the deadline."""
        self.signal(signal.SIGSTOP)
        await_that(lambda: read_process(self.pid).state == "T")
        return self.deadline()

    def signal(self, number: signal.Signals) -> None:
        """Signal the daemon's process."""
        os.kill(self.pid, number)

    def supervisor_of(self, shell: int) -> int:
        """Return the process that supervises a shell."""
        return read_process(shell).parent

    def deadline_descriptors(self) -> list[str]:
        """Return the descriptors that processes of the daemon have for a deadline."""
        targets = (target for pid in descendants(self.pid) for _, target in descriptors_of(pid))
        return [it for it in targets if "timerfd" in it or PAGE in it]


class Heart:
    """A file that a program writes to as long as it runs."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def command(self) -> str:
        """A command that beats without end, and ignores all signals that can be ignored."""
        beat = f"read -r now _ < /proc/uptime; echo $now >> {shlex.quote(str(self._file))}"
        return f"trap '' HUP INT TERM QUIT; while :; do {beat}; sleep {_BEAT_SECONDS}; done"

    @property
    def script(self) -> str:
        """The same, as a command line of a program without a shell."""
        return shlex.join(["bash", "-c", self.command])

    def beats(self) -> list[float]:
        """Return the seconds of CLOCK_BOOTTIME at which it has beaten."""
        return [float(it) for it in self._file.read_text().split("\n")[:-1]] if self._file.exists() else []

    def await_beats(self) -> None:
        """Wait until it beats."""
        before = len(self.beats())
        await_that(lambda: len(self.beats()) > before)


def descriptors_of(pid: int) -> Iterator[tuple[Path, str]]:
    """Yield the descriptors of a process, and what each of them refers to."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield link, str(link.readlink())


def boottime() -> float:
    """Return the current second of CLOCK_BOOTTIME."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def await_that(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    latest = time.monotonic() + _WAIT_SECONDS
    while not holds():
        assert time.monotonic() < latest, "it does not happen"
        time.sleep(0.01)
