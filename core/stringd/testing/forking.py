"""Daemons forked from a process that has imported their modules, since imports are most of the start-up time.

A forked daemon runs the same program as `python -m stringd`, in a process of its own, with its own arguments,
environment and working directory.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import importlib
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path

from stringd.extensions.discovery import GROUP, OWN_DISTRIBUTION
from stringd.processes.packets import Message, MessageSocket
from stringd.processes.tree import open_exit_notifier

# What Python and its libraries read when they are loaded: a process with other values can't be forked.
_READ_AT_START = ("PYTHON", "LC_ALL", "LC_CTYPE", "LD_", "MALLOC_", "GLIBC_", "UV_")
_LANGUAGE = "LANG"
_PATH = "PYTHONPATH"
# Python reads this only if it is interactive.
_INTERACTIVE = "PYTHONSTARTUP"
# For fewer daemons, importing everything takes longer than what it saves.
_MANY = 3
FIRST_INHERITED = 3
"""The descriptor after the standard streams."""
_LARGEST_ENVIRONMENT = 32768


class ForkedDaemon:
    """A forked daemon, as `subprocess.Popen` would show it."""

    def __init__(self, connection: MessageSocket) -> None:
        self._connection = connection
        # Several threads may wait for the same daemon.
        self._receiving = threading.Lock()
        self.returncode: int | None = None
        started = connection.receive()
        if started is None:
            raise ChildProcessError("the process that daemons are forked from has ended")
        self.pid: int = started.fields["pid"]

    def __del__(self) -> None:
        """Close the connection of a daemon whose end was not awaited."""
        self._connection.close()

    def poll(self) -> int | None:
        """Return the exit code; None while the daemon runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the daemon's end and return its exit code."""
        # Another thread that waits closes the connection: `select` refuses it, or hears no more of it.
        with contextlib.suppress(OSError, ValueError):
            has_ended = self.returncode is not None or select.select([self._connection], [], [], timeout)[0]
            if not has_ended and self.returncode is None:
                raise subprocess.TimeoutExpired("stringd", timeout or 0)
        with self._receiving:
            if self.returncode is None:
                ended = self._connection.receive()
                self.returncode = ended.fields["code"] if ended else -signal.SIGKILL
                self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the daemon has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


class DaemonForks:
    """Starts the process that daemons are forked from when it is first needed."""

    def __init__(self) -> None:
        self._control: MessageSocket | None = None
        self._environment = _environment_at_start(os.environ)

    def can_fork(self, environment: Mapping[str, str]) -> bool:
        """Return whether a daemon with this environment can be forked, and requested in one message."""
        size = sum(len(name) + len(value) for name, value in environment.items())
        return size <= _LARGEST_ENVIRONMENT and _environment_at_start(environment) == self._environment

    def start(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        directory: Path,
        output: int,
        errors: int,
        inherited: Sequence[int] = (),
    ) -> ForkedDaemon:
        """Fork a daemon; `output` and `errors` are its standard streams.

        The inherited descriptors are `FIRST_INHERITED` and the following ones in the daemon.
        """
        fields = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "directory": str(directory),
        }
        ours, theirs = MessageSocket.pair()
        with theirs.socket:
            descriptors = [theirs.fileno(), output, errors, *inherited]
            try:
                self._connected().send(fields, descriptors)
            except ConnectionError:
                # A test may have ended the process, for example with all its children.
                self._control = None
                self._connected().send(fields, descriptors)
        return ForkedDaemon(ours)

    def _connected(self) -> MessageSocket:
        if self._control is None:
            self._control, theirs = MessageSocket.pair()
            with theirs.socket:
                process = subprocess.Popen([sys.executable, "-m", __name__], stdin=theirs.fileno())
            atexit.register(_end, self._control, process)
        return self._control


def _end(control: MessageSocket, process: subprocess.Popen[bytes]) -> None:
    control.close()
    process.wait()


def _environment_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name == _LANGUAGE or (name.startswith(_READ_AT_START) and name not in (_PATH, _INTERACTIVE))
    }


class _Forks:
    """The process that daemons are forked from."""

    def __init__(self, control: MessageSocket) -> None:
        self._control = control
        self._running: dict[int, MessageSocket] = {}
        self._forked = 0

    def run(self) -> Sequence[str] | None:
        """Fork daemons until the tests are over; return a daemon's arguments in each, and None at the end."""
        control = self._control.fileno()
        notifier = open_exit_notifier()
        while True:
            ready = select.select([control, notifier], [], [])[0]
            if notifier in ready:
                os.read(notifier, 4096)
            # The notification was read before: a later one is handled in the next iteration.
            self._report_ends()
            if control in ready:
                message = self._control.receive()
                if message is None:
                    return None
                if self._fork(message):
                    return self._become(message)

    def _report_ends(self) -> None:
        for pid in list(self._running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with self._running.pop(pid).socket as connection, contextlib.suppress(OSError):
                    MessageSocket(connection).send({"code": os.waitstatus_to_exitcode(status)})

    def _fork(self, message: Message) -> bool:
        """Fork; return whether this is the new process."""
        connection, *passed = message.descriptors
        pid = os.fork()
        if pid:
            for descriptor in passed:
                os.close(descriptor)
            self._running[pid] = MessageSocket(socket.socket(fileno=connection))
            self._running[pid].send({"pid": pid})
            self._forked += 1
            if self._forked == _MANY:
                _import_everything()
        return not pid

    def _become(self, message: Message) -> Sequence[str]:
        """Reset this process as if it had just been started."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        first_free = _take_as_first((nothing, *message.descriptors[1:]))
        # No socket object of this process may close a descriptor that it no longer owns.
        for owned in (self._control, *self._running.values()):
            owned.socket.detach()
        os.closerange(first_free, os.sysconf("SC_OPEN_MAX"))
        os.chdir(message.fields["directory"])
        os.environ.clear()
        os.environ.update(message.fields["environment"])
        known = os.environ.get(_PATH, "").split(os.pathsep)
        sys.path[:0] = ["", *(it for it in known if it not in sys.path)]
        importlib.invalidate_caches()
        arguments: list[str] = message.fields["arguments"]
        sys.argv[1:] = arguments
        return arguments


def _take_as_first(descriptors: Sequence[int]) -> int:
    """Let processes that this one starts inherit descriptors as 0, 1, 2 …; return the number after them."""
    count = len(descriptors)
    # One of them may have the number that another is to have.
    for target, copied in enumerate([fcntl.fcntl(it, fcntl.F_DUPFD, count) for it in descriptors]):
        os.dup2(copied, target)
    return count


def _import_start() -> None:
    """Import what every daemon imports at its start."""
    for name in ("stringd.server.serve", *_built_in()):
        importlib.import_module(name)
    _keep()


def _built_in() -> Iterable[str]:
    """Return the modules of the built-in plugins."""
    own = (it for it in entry_points(group=GROUP) if it.dist and it.dist.name == OWN_DISTRIBUTION)
    return sorted({it.module for it in own})


def _keep() -> None:
    """Leave the objects of the imports out of later collections of garbage, which would copy their memory."""
    gc.collect()
    gc.freeze()


def _import_everything() -> None:
    """Import what a daemon imports at its start and later."""
    for name in sorted({it.partition(".")[0] for it in _built_in()}):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.startswith("stringd.testing") and not module.name.endswith("__main__"):
                # What an extra brings may be missing.
                with contextlib.suppress(ModuleNotFoundError):
                    importlib.import_module(module.name)
    _keep()


def main() -> int:
    """Fork daemons; in each, run the program."""
    from stringd.cli.main import main as run_stringd

    _import_start()
    arguments = _Forks(MessageSocket(socket.socket(fileno=os.dup(0)))).run()
    return 0 if arguments is None else run_stringd(arguments)


if __name__ == "__main__":
    sys.exit(main())
