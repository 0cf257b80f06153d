"""A program whose standard streams are pipes of the daemon, as its supervisor starts it."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stringd.processes.packets import Message, MessageSocket


@contextmanager
def open_program(control: MessageSocket, options: Mapping[str, Any]) -> Iterator[PipedProgram]:
    """Take the order of the daemon, which is no argument of this process: all users could read those."""
    del options
    order = control.receive()
    if order is None:
        raise SystemExit
    yield PipedProgram(control, order)


class PipedProgram:
    """Starts a program in a group of its own, with the daemon's descriptors as its standard streams."""

    poll_seconds: float | None = None
    memory_limit: int | None = None

    def __init__(self, control: MessageSocket, order: Message) -> None:
        self._control = control
        self._order = order

    def start(self, prepare_child: Callable[[], None]) -> int | None:
        """Start the program; send the daemon an error if that fails."""
        stdin, stdout, stderr = self._order.descriptors
        try:
            process = subprocess.Popen(
                self._order.fields["command"],
                cwd=self._order.fields["directory"],
                env=self._order.fields["environment"],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                preexec_fn=prepare_child,
            )
        except (OSError, ValueError) as error:
            self._send({"error": (isinstance(error, OSError) and error.strerror) or str(error)})
            return None
        finally:
            for descriptor in self._order.descriptors:
                os.close(descriptor)
        # Its end is seen by the supervisor.
        process.returncode = 0
        return process.pid

    def handle_request(self) -> bool:
        """End the program: the daemon sends no requests, so it has closed the control socket."""
        return False

    def poll(self) -> None:
        """Do nothing."""

    def report_exit(self, status: int) -> None:
        """Send the daemon the exit status."""
        self._send({"status": status})

    def _send(self, fields: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError):
            self._control.send(fields)
