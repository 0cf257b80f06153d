"""The daemon's side of a command that runs under a supervisor of its own."""

from __future__ import annotations

import asyncio
import atexit
import errno
import os
import signal
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from stringd.processes import supervised_command
from stringd.processes.fork_client import ForkClient
from stringd.processes.output_pipe import OnOutput, OutputPipe, resolve
from stringd.processes.packets import MessageSocket
from stringd.processes.tree import shell_status


class SupervisedCommand:
    """A program in a session of its own, which its supervisor ends at the deadline for programs."""

    def __init__(
        self, command: Sequence[str], *, directory: Path, environment: Mapping[str, str], on_output: OnOutput
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.status: int | None = None
        """The exit status as a shell counts it, 128 + N for signal N; None while the program runs."""
        self.failure: OSError | None = None
        """Why it could not be started."""
        self.exited: asyncio.Future[None] = self._loop.create_future()
        """Completes when the program has ended."""
        order = {"command": list(command), "directory": str(directory), "environment": dict(environment)}
        self._control = _supervisors().fork_supervisor({})
        ours, theirs = os.pipe()
        self._output = OutputPipe(os.fdopen(ours, "rb", 0), on_output)
        self.closed = self._output.closed
        """Completes when no process can print any more."""
        try:
            _send_order(self._control, order, theirs)
        except OSError:
            self.close()
            raise
        finally:
            os.close(theirs)
        self._loop.add_reader(self._control.fileno(), self._receive)

    def kill(self) -> None:
        """Kill its process group; if it has not ended, all that it has started, too."""
        if self._control.fileno() >= 0:
            self._loop.remove_reader(self._control.fileno())
            self._control.close()
        resolve(self.exited)

    def close(self) -> None:
        """Stop reading."""
        self.kill()
        self._output.close()

    def _receive(self) -> None:
        message = self._control.receive()
        fields = message.fields if message else {"code": -signal.SIGKILL}
        self._loop.remove_reader(self._control.fileno())
        if "code" in fields:
            self.status = shell_status(fields["code"])
        else:
            self.failure = OSError(fields.get("errno", errno.EKEYEXPIRED), fields["error"])
        resolve(self.exited)


def _send_order(control: MessageSocket, order: Mapping[str, object], output: int) -> None:
    written = supervised_command.write_order(order)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        control.send({}, [written, nothing, output, output])
    finally:
        os.close(written)
        os.close(nothing)


@cache
def _supervisors() -> ForkClient:
    client = ForkClient(supervised_command)
    atexit.register(client.close)
    return client
