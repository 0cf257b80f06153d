"""Carry what sudo asks for on its terminal to a person, and the answer back, past everybody else."""

from __future__ import annotations

import asyncio
import os
import termios
from collections.abc import Awaitable, Callable

from stringd_approval.exec_result import ExecFailed

AskPassword = Callable[[str], Awaitable[str]]
"""Asks a person for what a prompt wants; raises `ExecFailed` if there is no answer."""
_INPUT_FLAGS, _LOCAL_FLAGS = 0, 3
_PIECE = 4096
_LONGEST_PROMPT = 300


class PasswordBridge:
    """Reads the terminal, and asks while a program waits there for a line that is not echoed.

    What else is written there is dropped: the output of the stages goes through pipes.
    """

    def __init__(self, master: int, ask: AskPassword | None) -> None:
        os.set_blocking(master, False)
        self._master = master
        self._ask = ask
        self._shown = b""
        self._asking: asyncio.Task[None] | None = None
        self._asked_since: float | None = None
        self._asked_seconds = 0.0
        self._loop = asyncio.get_running_loop()
        self.failed: asyncio.Future[None] = self._loop.create_future()
        """Gets the exception if there is no answer."""
        self._loop.add_reader(master, self._read)

    @property
    def asked_seconds(self) -> float:
        """For how long a person has been asked in all, which is no time of the pipeline."""
        current = 0.0 if self._asked_since is None else self._loop.time() - self._asked_since
        return self._asked_seconds + current

    def close(self) -> None:
        """Stop asking and reading."""
        if self._asking:
            self._asking.cancel()
        if not self.failed.cancel() and not self.failed.cancelled():
            # It may have failed when that mattered no more.
            self.failed.exception()
        self._loop.remove_reader(self._master)
        os.close(self._master)

    def _read(self) -> None:
        try:
            data = os.read(self._master, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._master)
            return
        self._shown = (self._shown + data)[-_LONGEST_PROMPT:]
        prompt = self._shown.rpartition(b"\n")[2].decode(errors="replace").strip()
        if self._ask and prompt and self._asked_since is None and self._hides_typing():
            self._shown = b""
            self._asking = asyncio.create_task(self._converse(self._ask, prompt))

    async def _converse(self, ask: AskPassword, prompt: str) -> None:
        self._asked_since = began = self._loop.time()
        try:
            self._type(await ask(prompt))
        except Exception as failure:
            if not self.failed.done():
                self.failed.set_exception(failure)
        finally:
            self._asked_since = None
            self._asked_seconds += self._loop.time() - began

    def _type(self, secret: str) -> None:
        if not secret.isprintable():
            raise ExecFailed("the password can't be typed: it holds control characters")
        os.write(self._master, f"{secret}\n".encode())

    def _hides_typing(self) -> bool:
        """Whether a line is read without echo; programs that read keys echo them or not by themselves."""
        modes = termios.tcgetattr(self._master)
        reads_lines = modes[_LOCAL_FLAGS] & termios.ICANON or modes[_INPUT_FLAGS] & termios.ICRNL
        return bool(reads_lines) and not modes[_LOCAL_FLAGS] & termios.ECHO
