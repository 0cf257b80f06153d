"""The daemon's end of a pseudo-terminal: its output, input, modes and foreground process group."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import termios
from collections.abc import Callable

from stringd.plugin.processes import system_call
from stringd_bash.input_queue import InputQueue
from stringd_bash.terminal_modes import Modes

_CHUNK = 65536
_CHUNKS_AT_ONCE = 64
_MOST_UNREAD = 4096
# A program may ask before it sets the terminal's modes.
_ANSWER_LOOKS, _ANSWER_PAUSE, _ANSWER_SECONDS = 6, 0.02, 2.0
_READ_PAUSE = 0.005
_OPEN_SLAVE = 0x5441  # TIOCGPTPEER, which termios does not name
_LOCAL_FLAGS = 3


class Terminal:
    """Passes on output as it comes; never blocks, and never holds the event loop for long."""

    def __init__(self, master: int, on_output: Callable[[bytes], None]) -> None:
        os.set_blocking(master, False)
        self._master = master
        self._slave = fcntl.ioctl(master, _OPEN_SLAVE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        self._on_output = on_output
        self._initial_modes = termios.tcgetattr(self._slave)
        self.typed = 0
        """How many bytes have been typed in all."""
        self._input = InputQueue(master, self._slave)
        self._answers = bytearray()
        self._answering: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._rest: asyncio.TimerHandle | None = None
        self._listen()

    @property
    def name(self) -> str:
        """The path of the terminal device."""
        return os.ttyname(self._slave)

    def rest(self, seconds: float) -> None:
        """Read no output for a moment, so that a flood without waiting clients costs little."""
        if self._rest is None:
            self._loop.remove_reader(self._master)
            self._rest = self._loop.call_later(seconds, self._listen)

    def drain(self) -> None:
        """Read all output printed so far, up to a bound: a program may print faster than it is read."""
        for _ in range(_CHUNKS_AT_ONCE):
            try:
                data = os.read(self._master, _CHUNK)
            except BlockingIOError:
                return
            self._on_output(data)
            self._input.hear(data)

    def type(self, data: bytes) -> None:
        """Send bytes as typed input, as fast as the terminal accepts them."""
        self.typed += len(data)
        self._input.add(data)

    def cut_line(self, data: bytes) -> int:
        """Return the length of the longest typed line if the terminal would cut it; else 0."""
        return self._input.longest_line(data)

    def answer(self, data: bytes) -> None:
        """Send the answer to a query once a program reads keys without echo; drop it if none does soon.

        Another program has not asked: it shows a text with queries in it, and might take answers for input.
        """
        if len(self._input) + len(self._answers) < _MOST_UNREAD:
            self._answers += data
            if self._answering is None:
                self._send_answers(_ANSWER_LOOKS, self._loop.time())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the foreground process group."""
        with contextlib.suppress(OSError):
            os.killpg(self.foreground(), number)

    def foreground(self) -> int:
        """Return the foreground process group, which may read this terminal."""
        return os.tcgetpgrp(self._master)

    def has_input(self) -> bool:
        """Whether there is typed input that no program has read."""
        return not self._input.is_read

    async def wait_read(self, seconds: float) -> None:
        """Wait until programs have read all typed input, at most so long."""
        for _ in range(int(seconds / _READ_PAUSE)):
            if not self.has_input():
                return
            await asyncio.sleep(_READ_PAUSE)

    def echoes(self) -> bool:
        """Whether the terminal echoes input; if it does not, the program may."""
        return self._modes.echoes

    def is_silent(self) -> bool:
        """Whether nothing echoes input, as when a secret is asked for.

        Editors and shells that echo input themselves switch off more than the terminal's echo.
        """
        modes = self._modes
        return not (modes.echoes or modes.reads_keys)

    def has_line_editor(self) -> bool:
        """Whether the modes are those of a program that reads key by key, echoes itself, and prints lines."""
        return self._modes.is_line_editor

    @property
    def line_end(self) -> str:
        """What the Enter key sends: programs that read key by key expect a carriage return."""
        return "\r" if self._modes.reads_keys else "\n"

    def resize(self, rows: int, columns: int) -> None:
        """Change the size; the kernel signals that to the foreground process group."""
        if termios.tcgetwinsize(self._slave) != (rows, columns):
            termios.tcsetwinsize(self._slave, (rows, columns))

    def restore(self) -> None:
        """Restore the initial modes and discard unread input."""
        self._input.clear()
        self._drop_answers()
        termios.tcflush(self._slave, termios.TCIFLUSH)
        termios.tcsetattr(self._slave, termios.TCSANOW, self._initial_modes)

    def close(self) -> None:
        """Hang up: the kernel signals that to the shell's session."""
        self._drop_answers()
        if self._rest:
            self._rest.cancel()
        self._loop.remove_reader(self._master)
        self._input.clear()
        os.close(self._slave)
        os.close(self._master)

    def _listen(self) -> None:
        self._rest = None
        self._loop.add_reader(self._master, self.drain)

    def _send_answers(self, looks: int, since: float) -> None:
        if not termios.tcgetattr(self._slave)[_LOCAL_FLAGS] & (termios.ICANON | termios.ECHO):
            self.type(bytes(self._answers))
        elif looks > 1 and self._loop.time() - since < _ANSWER_SECONDS:
            # On a busy machine, a program may wait for a processor before it sets the modes.
            later = looks if self._computes() else looks - 1
            self._answering = self._loop.call_later(_ANSWER_PAUSE, self._send_answers, later, since)
            return
        self._drop_answers()

    def _computes(self) -> bool:
        """Whether the leader of the foreground process group computes, or waits for a processor."""
        try:
            leader = self.foreground()
            return system_call(leader, leader) is None
        except OSError:
            return False

    def _drop_answers(self) -> None:
        if self._answering:
            self._answering.cancel()
        self._answering = None
        self._answers.clear()

    @property
    def _modes(self) -> Modes:
        return Modes.of(self._slave)
