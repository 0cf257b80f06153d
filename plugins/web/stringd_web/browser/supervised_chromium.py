"""A Chromium, as its supervisor starts it: in a network of its own and with a limit of memory.

Supervisors import this module: it must not import `stringd.plugin`, which would cost each of them the memory
of all of the core.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from stringd_web.browser.network_namespace import leave_network

if TYPE_CHECKING:
    from stringd.plugin.processes import MessageSocket

_MOST_MEMORY = 1536 * 1024**2
_POLL_SECONDS = 0.25
_MOST_OUTPUT = 4096
_DEVTOOLS = (3, 4)
_BACKLOG = 128


class ChromiumOptions(NamedTuple):
    """The command line, the descriptor of the socket for DevTools, and a folder for the browser alone."""

    command: tuple[str, ...]
    devtools: int
    folder: str


@contextmanager
def open_program(control: MessageSocket, options: Mapping[str, Any]) -> Iterator[ChromiumProcess]:
    """Prepare a browser; remove its folder in the end."""
    chosen = ChromiumOptions(**options)
    _place_devtools(chosen.devtools)
    control.send({"has_own_network": leave_network()})
    try:
        yield ChromiumProcess(control, chosen)
    finally:
        shutil.rmtree(chosen.folder, ignore_errors=True)


class ChromiumProcess:
    """Runs the browser, opens sockets in its network for the daemon, and keeps its last output."""

    poll_seconds: float | None = _POLL_SECONDS
    memory_limit: int | None = _MOST_MEMORY

    def __init__(self, control: MessageSocket, options: ChromiumOptions) -> None:
        self._control = control
        self._options = options
        self._browser: subprocess.Popen[bytes]
        self._output_pipe: int
        self._output = bytearray()

    def start(self, prepare_child: Callable[[], None]) -> int:
        """Start the browser."""
        folder = self._options.folder
        self._output_pipe, theirs = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        # The object is kept, as its destructor would wait for the process.
        self._browser = subprocess.Popen(
            self._options.command,
            env={"HOME": folder, "TMPDIR": folder, "PATH": os.environ.get("PATH", os.defpath)},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            pass_fds=_DEVTOOLS,
            preexec_fn=prepare_child,
        )
        for descriptor in (theirs, *_DEVTOOLS):
            os.close(descriptor)
        return self._browser.pid

    def handle_request(self) -> bool:
        """Open a listening socket in the browser's network and send it to the daemon."""
        if self._control.receive() is None:
            return False
        with socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG) as listener:
            self._control.send({}, [listener.fileno()])
        return True

    def poll(self) -> None:
        """Read the browser's output."""
        with contextlib.suppress(BlockingIOError):
            self._output += os.read(self._output_pipe, 65536)
        del self._output[:-_MOST_OUTPUT]

    def report_exit(self, _: int) -> None:
        """Send the daemon the browser's last output."""
        with contextlib.suppress(OSError):
            self._control.send({"output": self._output.decode(errors="replace")})


def _place_devtools(descriptor: int) -> None:
    """Duplicate the socket to the descriptors where the browser expects pipes; both are free so early."""
    for expected in reversed(_DEVTOOLS):
        os.dup2(descriptor, expected)
    if descriptor not in _DEVTOOLS:
        os.close(descriptor)
