"""One bash, from its start to its end, as the daemon holds it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stringd.plugin import Refusal
from stringd_bash.channel import Channel, Report
from stringd_bash.fork_client import ForkClient
from stringd_bash.socket_messages import Message, Order, receive
from stringd_bash.terminal import Terminal

_START_SECONDS = 20.0
_END_SECONDS = 5.5
_KILLED = 137


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a text came to its end: its status, and where the shell is then; nowhere if it ended with it."""

    status: int
    cwd: str | None


class Shell:
    """A shell that takes one text after the other."""

    def __init__(self, link: socket.socket, home: str, printed: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        self.pid = 0
        self.is_alive = False
        self.terminal: Terminal
        self._cwd = home
        self._channel: Channel
        self._link = link
        self._printed = printed
        self._started: asyncio.Future[None] = loop.create_future()
        self._gone: asyncio.Future[None] = loop.create_future()
        self._token = ""
        self._ending: asyncio.Future[Ending] | None = None
        loop.add_reader(link, self._receive)

    @classmethod
    async def start(cls, host: ForkClient, order: Order, printed: Callable[[bytes], None]) -> Shell:
        """Start a shell, or raise a `Refusal` that says why there is none."""
        try:
            shell = cls(host.order(order), order.home, printed)
        except OSError as error:
            raise _unstartable(error) from error
        try:
            await asyncio.wait_for(asyncio.shield(shell._started), _START_SECONDS)
        except (OSError, TimeoutError) as error:
            await shell.end()
            raise _unstartable(error) from error
        return shell

    @property
    def cwd(self) -> str:
        """Where it is now, also while a text is evaluated."""
        if self._ending and not self._ending.done():
            return self._true_place(self._cwd)
        return self._cwd

    def evaluate(self, text: str, preparation: str) -> asyncio.Future[Ending]:
        """Begin to evaluate a text; the future is its end."""
        self.terminal.resume()
        self._ending = asyncio.get_running_loop().create_future()
        self._token = self._channel.send(text, preparation)
        return self._ending

    async def end(self) -> None:
        """End it with everything that it has started."""
        if self._gone.done():
            return
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_WR)
        self._hang_up(_KILLED)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._gone), _END_SECONDS)

    def _receive(self) -> None:
        for message in receive(self._link):
            if not message.fields:
                self._forget()
            elif "pid" in message.fields:
                self._try_to_begin(message)
            elif "status" in message.fields:
                self._hang_up(message.fields["status"])
            else:
                self._started.set_exception(OSError(message.fields["error"]))

    def _true_place(self, claimed: str) -> str:
        """Return where the shell is: its own name for it, which may lead through links, or the kernel's."""
        there = Path(f"/proc/{self.pid}/cwd")
        try:
            place = str(there.readlink())
        except OSError:
            return claimed
        with contextlib.suppress(OSError):
            return claimed if claimed and there.samefile(claimed) else place
        return place

    def _try_to_begin(self, message: Message) -> None:
        try:
            self._begin(message)
        except (OSError, ValueError) as error:
            # Of the three descriptors some are missing when this process may have no more.
            self._started.set_exception(OSError(f"its terminal can't be had: {error}"))

    def _begin(self, message: Message) -> None:
        master, commands, reports = message.descriptors
        self.pid = message.fields["pid"]
        self.terminal = Terminal(master, self._printed)
        self._channel = Channel(commands, reports, self._report)
        self._started.set_result(None)
        self.is_alive = True

    def _report(self, report: Report) -> None:
        if report.token == self._token:
            self._cwd = self._true_place(report.cwd)
            # The kernel has passed on what was printed before the report: reading it now misses nothing.
            self.terminal.drain()
            self.terminal.clean()
            self._finish(Ending(status=report.status, cwd=self._cwd))

    def _hang_up(self, status: int) -> None:
        if self.is_alive:
            self.is_alive = False
            self.terminal.drain()
            self.terminal.close()
            self._channel.close()
            self._finish(Ending(status=status, cwd=None))

    def _finish(self, ending: Ending) -> None:
        if self._ending and not self._ending.done():
            self._ending.set_result(ending)

    def _forget(self) -> None:
        asyncio.get_running_loop().remove_reader(self._link)
        self._link.close()
        self._hang_up(_KILLED)
        self._gone.set_result(None)
        if not self._started.done():
            self._started.set_exception(OSError("its supervisor has ended"))


def _unstartable(error: Exception) -> Refusal:
    return Refusal("EXEC_FAILED", f"bash can't be started: {error or 'it takes too long'}")
