"""The daemon's end of a pseudo-terminal: what the shell's programs print, read and are sent."""

from __future__ import annotations

import array
import asyncio
import contextlib
import fcntl
import os
import signal
import termios
from collections.abc import Callable

_CHUNK = 65536
_CHUNKS_AT_ONCE = 64
_MOST_UNREAD = 4096
_OPEN_SLAVE = 0x5441  # TIOCGPTPEER, which termios does not name
_INPUT_FLAGS, _OUTPUT_FLAGS, _LOCAL_FLAGS = 0, 1, 3


class Terminal:
    """Hands on what is printed, as it comes; never blocks, and never keeps the event loop for long."""

    def __init__(self, master: int, printed: Callable[[bytes], None]) -> None:
        os.set_blocking(master, False)
        self._master = master
        self._slave = fcntl.ioctl(master, _OPEN_SLAVE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        self._printed = printed
        self._clean = termios.tcgetattr(self._slave)
        self._unsent = bytearray()
        self._loop = asyncio.get_running_loop()
        self._is_read = False
        self.resume()

    @property
    def name(self) -> str:
        """The path under which programs have it open."""
        return os.ttyname(self._slave)

    def resume(self) -> None:
        """Read what is printed from now on."""
        if not self._is_read:
            self._is_read = True
            self._loop.add_reader(self._master, self.drain)

    def pause(self) -> None:
        """Leave what is printed where it is, which holds up whoever prints without end."""
        if self._is_read:
            self._is_read = False
            self._loop.remove_reader(self._master)

    def drain(self) -> None:
        """Read all that has been printed by now, within bounds: someone may be printing without end."""
        for _ in range(_CHUNKS_AT_ONCE):
            try:
                data = os.read(self._master, _CHUNK)
            except BlockingIOError:
                return
            self._printed(data)

    def type(self, data: bytes) -> None:
        """Send bytes as if they were typed, as fast as the terminal takes them."""
        self._unsent += data
        self._send()

    def answer(self, data: bytes) -> None:
        """Send what a program has asked of its terminal, unless it leaves what was sent before unread."""
        if len(self._unsent) < _MOST_UNREAD:
            self.type(data)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to what runs in the foreground."""
        with contextlib.suppress(OSError):
            os.killpg(self.foreground(), number)

    def foreground(self) -> int:
        """Return the process group that may read this terminal."""
        return os.tcgetpgrp(self._master)

    def has_input(self) -> bool:
        """Whether something was typed that nobody has read yet."""
        count = array.array("i", [0])
        fcntl.ioctl(self._slave, termios.FIONREAD, count)
        return bool(count[0] or self._unsent)

    def echoes(self) -> bool:
        """Whether the terminal shows what is typed; where not, the program may."""
        return bool(termios.tcgetattr(self._slave)[_LOCAL_FLAGS] & termios.ECHO)

    def is_silent(self) -> bool:
        """Whether what is typed now is not shown: a secret is asked for.

        Editors and shells that show what is typed by themselves have switched off more than the echo.
        """
        return not self.echoes() and not self._takes_keys()

    def has_line_editor(self) -> bool:
        """Whether keys are taken as they come, and lines printed as usual, as by what shows keys itself."""
        prints_lines = termios.tcgetattr(self._slave)[_OUTPUT_FLAGS] & termios.OPOST
        return bool(prints_lines) and not self.echoes() and self._takes_keys()

    @property
    def line_end(self) -> str:
        """What the Enter key sends: programs that take keys as they come expect no newline."""
        return "\r" if self._takes_keys() else "\n"

    def resize(self, rows: int, columns: int) -> None:
        """Change the size; what runs in the foreground is told of it."""
        if termios.tcgetwinsize(self._slave) != (rows, columns):
            termios.tcsetwinsize(self._slave, (rows, columns))

    def clean(self) -> None:
        """Set the modes back to those of the start, and forget what was typed and not read."""
        self._unsent.clear()
        self._loop.remove_writer(self._master)
        termios.tcflush(self._slave, termios.TCIFLUSH)
        termios.tcsetattr(self._slave, termios.TCSANOW, self._clean)

    def close(self) -> None:
        """Hang up: the kernel tells the shell's session."""
        self.pause()
        self._loop.remove_writer(self._master)
        os.close(self._slave)
        os.close(self._master)

    def _takes_keys(self) -> bool:
        modes = termios.tcgetattr(self._slave)
        return not (modes[_LOCAL_FLAGS] & termios.ICANON or modes[_INPUT_FLAGS] & termios.ICRNL)

    def _send(self) -> None:
        try:
            sent = os.write(self._master, self._unsent[:_CHUNK]) if self._unsent else 0
        except BlockingIOError:
            sent = 0
        del self._unsent[:sent]
        if self._unsent:
            self._loop.add_writer(self._master, self._send)
        else:
            self._loop.remove_writer(self._master)
