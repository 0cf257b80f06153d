"""The daemon's hold on its host process."""

from __future__ import annotations

import contextlib
import platform
import socket
import subprocess
import sys

from stringd.plugin.processes import DESCRIPTORS
from stringd_bash.socket_messages import Order, send

_END_SECONDS = 2.0
_PROGRAM = "import sys; sys.path[:] = {path!r}; from stringd_bash.fork_server import main; main()"


class ForkClient:
    """Starts the host process when the first shell is wanted, and again should it be gone."""

    def __init__(self) -> None:
        self.environment: dict[str, str] = {}
        """What all shells are given, and nothing else of the daemon's own environment."""
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def order(self, order: Order) -> socket.socket:
        """Ask for a shell; what returns is the link to its supervisor, whose end is the shell's end."""
        if platform.system() != "Linux":
            raise OSError("bash topics need Linux")
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                send(self._connected(), order.encode(), [theirs.fileno()])
            except ConnectionError:
                self.close()
                send(self._connected(), order.encode(), [theirs.fileno()])
        ours.setblocking(False)
        return ours

    def close(self) -> None:
        """Let the host process end."""
        if self._control and self._process:
            self._control.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
        self._control = self._process = None

    def _connected(self) -> socket.socket:
        if self._control is None:
            self._control, theirs = socket.socketpair()
            with theirs:
                self._process = _start(theirs, self.environment)
        return self._control


def _start(control: socket.socket, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    # Without site it starts in half of the time; and nothing of it comes from the working directory.
    path = [entry for entry in sys.path if entry]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _PROGRAM.format(path=path)],
        env=environment,
        stdin=control.fileno(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=DESCRIPTORS.restore,
    )
