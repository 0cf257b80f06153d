"""One bash process, from its start to its end, as the daemon holds it."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import socket
from collections.abc import Callable, Sequence

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.processes import ForkClient, Message, MessageSocket, working_directory
from stringd_bash.job_listing import ListedJob
from stringd_bash.pseudo_terminal import Terminal
from stringd_bash.shell_channel import Channel, Report
from stringd_bash.supervised_shell import ShellOptions

_START_SECONDS = 20.0
_END_SECONDS = 5.5
_LIST_SECONDS = 1.0
_KILLED = 137


class Result(Struct, frozen=True, kw_only=True):
    """The status of an evaluated text and the shell's directory then; None if the shell ended with it."""

    status: int
    cwd: str | None


class Shell:
    """A shell that evaluates one text after the other."""

    def __init__(self, control: MessageSocket, directory: str, on_output: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        self.pid = 0
        self.is_alive = False
        self.status = 0
        """The exit status, once the shell has ended."""
        self.jobs: Sequence[ListedJob] = ()
        """The jobs as the shell listed them last: after each text, and when it was asked."""
        self.terminal: Terminal
        self._cwd = directory
        self._channel: Channel
        self._control = control
        self._on_output = on_output
        self._started: asyncio.Future[None] = loop.create_future()
        self._ended: asyncio.Future[None] = loop.create_future()
        self._token = ""
        self._result: asyncio.Future[Result] | None = None
        self._asked: dict[str, asyncio.Future[None]] = {}
        loop.add_reader(control.fileno(), self._receive)

    @classmethod
    async def start(
        cls, fork_client: ForkClient, options: ShellOptions, on_output: Callable[[bytes], None]
    ) -> Shell:
        """Start a shell; raise a `Refusal` if that fails."""
        if platform.system() != "Linux":
            raise _start_refusal(OSError("bash topics need Linux"))
        try:
            with contextlib.suppress(ConnectionError):
                return await cls._forked(fork_client, options, on_output)
            # The fork server was killed before it forked; the next request starts another one.
            return await cls._forked(fork_client, options, on_output)
        except (OSError, TimeoutError) as error:
            raise _start_refusal(error) from error

    @classmethod
    async def _forked(
        cls, fork_client: ForkClient, options: ShellOptions, on_output: Callable[[bytes], None]
    ) -> Shell:
        shell = cls(fork_client.fork_supervisor(options._asdict()), options.directory, on_output)
        try:
            # `asyncio.wait_for` would ignore a cancellation that comes together with the result.
            async with asyncio.timeout(_START_SECONDS):
                await asyncio.shield(shell._started)
        except (OSError, TimeoutError, asyncio.CancelledError):
            await shell.end()
            raise
        return shell

    @property
    def cwd(self) -> str:
        """The current directory, also during an evaluation."""
        if not self.is_idle:
            return self._actual_directory(self._cwd)
        return self._cwd

    def evaluate(self, text: str, preparation: str) -> asyncio.Future[Result]:
        """Start evaluating a text, after a preparation whose output is discarded."""
        self._result = asyncio.get_running_loop().create_future()
        self._token = self._channel.send(text, preparation)
        return self._result

    @property
    def is_idle(self) -> bool:
        """Whether it evaluates no text."""
        return self._result is None or self._result.done()

    async def list_jobs(self) -> bool:
        """Have the shell list its jobs anew, if it is idle; return whether it has."""
        if not (self.is_alive and self.is_idle):
            return False
        token = self._channel.ask()
        listed = self._asked[token] = asyncio.get_running_loop().create_future()
        await asyncio.wait({listed}, timeout=_LIST_SECONDS)
        del self._asked[token]
        return listed.done()

    async def end(self) -> None:
        """End the shell and everything it has started."""
        if self._ended.done():
            return
        with contextlib.suppress(OSError):
            self._control.socket.shutdown(socket.SHUT_WR)
        self._hang_up(_KILLED)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await asyncio.shield(self._ended)

    def _receive(self) -> None:
        message = self._control.receive()
        if message is None:
            self._close()
        elif "pid" in message.fields:
            self._connect(message)
        elif "status" in message.fields:
            self._hang_up(message.fields["status"])
        else:
            self._started.set_exception(OSError(message.fields["error"]))

    def _actual_directory(self, claimed: str) -> str:
        """Return the claimed path if it leads to the shell's directory, maybe by links; else the kernel's."""
        link = working_directory(self.pid)
        try:
            actual = str(link.readlink())
        except OSError:
            return claimed
        with contextlib.suppress(OSError):
            return claimed if claimed and link.samefile(claimed) else actual
        return actual

    def _connect(self, message: Message) -> None:
        try:
            master, commands, reports = message.descriptors
            self.pid = message.fields["pid"]
            self.terminal = Terminal(master, self._on_output)
            self._channel = Channel(commands, reports, self._handle_report)
        except (OSError, ValueError) as error:
            # Descriptors are missing when this process may not open any more.
            self._started.set_exception(OSError(f"its terminal can't be had: {error}"))
            return
        self._started.set_result(None)
        self.is_alive = True

    def _handle_report(self, report: Report) -> None:
        if report.token == self._token:
            self._cwd = self._actual_directory(report.cwd)
            # The kernel has passed on everything printed before the report, so draining now misses nothing.
            self.terminal.drain()
            self.jobs = report.jobs
            self._tell_deaths()
            self.terminal.restore()
            self._finish(Result(status=report.status, cwd=self._cwd))
        elif report.token in self._asked:
            self.terminal.drain()
            self.jobs = report.jobs
            self._asked[report.token].set_result(None)

    def _tell_deaths(self) -> None:
        """Show, as shells do before a prompt, which jobs were ended by a signal."""
        for job in self.jobs:
            if job.was_killed:
                self._on_output(f"{job.first_line}\r\n".encode(errors="surrogateescape"))

    def _hang_up(self, status: int) -> None:
        if self.is_alive:
            self.is_alive = False
            self.status = status
            self.jobs = ()
            self.terminal.drain()
            self.terminal.close()
            self._channel.close()
            self._finish(Result(status=status, cwd=None))

    def _finish(self, result: Result) -> None:
        if self._result and not self._result.done():
            self._result.set_result(result)

    def _close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._control.close()
        self._hang_up(_KILLED)
        self._ended.set_result(None)
        if not self._started.done():
            self._started.set_exception(ConnectionResetError("its supervisor has ended"))


def _start_refusal(error: Exception) -> Refusal:
    return Refusal(ErrorCode.EXEC_FAILED, f"bash can't be started: {error or 'it takes too long'}")
