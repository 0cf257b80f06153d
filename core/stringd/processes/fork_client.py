"""The daemon's side of a fork server."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Mapping
from typing import Any

from stringd.processes.fork_server import ForkedFamilyModule, ForkedProgramModule
from stringd.processes.helper_process import start_helper
from stringd.processes.packets import MessageSocket

_END_SECONDS = 2.0


class ForkClient:
    """Starts the fork server of a module when it is first needed, and again if it has ended.

    Other processes of the same user can't read or change the memory of a hidden server and its forks.
    """

    def __init__(self, module: ForkedProgramModule | ForkedFamilyModule, *, is_hidden: bool = False) -> None:
        self.environment: Mapping[str, str] = {}
        """The environment of the fork server, which all programs inherit."""
        self._module = module
        self._flags = ("hidden",) if is_hidden else ()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: MessageSocket | None = None

    def fork_supervisor(self, options: Mapping[str, Any]) -> MessageSocket:
        """Have a program supervised; return the control socket, whose closing ends the program."""
        ours, theirs = MessageSocket.pair()
        with theirs.socket:
            try:
                self._connected().send(options, [theirs.fileno()])
            except ConnectionError:
                self.close()
                self._connected().send(options, [theirs.fileno()])
        ours.socket.setblocking(False)
        return ours

    def close(self) -> None:
        """End the fork server; its supervisors end with the daemon or their control sockets."""
        if self._control and self._process:
            self._control.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
        self._control = self._process = None

    def _connected(self) -> MessageSocket:
        if self._control is None:
            self._control, theirs = MessageSocket.pair()
            with theirs.socket:
                self._process = start_helper(
                    "stringd.processes.fork_server",
                    self._module.__name__,
                    *self._flags,
                    control=theirs,
                    environment=self.environment,
                )
        return self._control
