"""Feed typed input to a terminal so that nothing of it is lost or echoed in the wrong place."""

from __future__ import annotations

import array
import asyncio
import fcntl
import os
import re
import select
import termios

from stringd_bash.line_pieces import LinePieces
from stringd_bash.terminal_modes import Modes

_CHUNK = 65536
# What fits into the terminal's buffer of 4096 bytes, whatever else is in it.
_PORTION = 2048
# How long to wait for the prompt of a program that may show none, and for one that may read in another way.
_SEQUENCE = re.compile(rb"\x1b\[[\d;?]*[A-Za-z]|[\r\x07]")
_PAUSE, _SILENT, _PATIENCE = 0.002, 0.1, 1.0


class InputQueue:
    """Writes bytes as fast as the terminal accepts them, and lines as fast as a line editor reads them.

    Line editors leave the terminal's own echo on while the program runs. Lines that arrived then would be
    echoed twice, in the middle of output, so each is written once the editor has read the one before, and
    has shown a prompt.
    """

    def __init__(self, master: int, slave: int) -> None:
        self._master = master
        self._slave = slave
        self._unsent = bytearray()
        self._lines = LinePieces()
        self._is_paced = False
        self._poll = select.poll()
        self._poll.register(slave, select.POLLIN)
        self._sent = 0.0
        self._has_ended = False
        self._has_prompted = False
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    def __len__(self) -> int:
        return len(self._unsent)

    @property
    def is_read(self) -> bool:
        """Whether programs have read all that was typed."""
        return not (self._unread() or self._unsent)

    def longest_line(self, data: bytes) -> int:
        """Return the length of the longest line if the terminal would cut it, else 0."""
        return self._lines.longest_cut(data, Modes.of(self._slave))

    def add(self, data: bytes) -> None:
        """Type bytes."""
        modes = Modes.of(self._slave)
        self._is_paced = modes.is_line_editor
        self._unsent += self._lines.cut(data, modes)
        self._send()

    def hear(self, output: bytes) -> None:
        """Go on if output shows that the line editor reads again."""
        if self._timer is None:
            return
        _, line_end, line = output.rpartition(b"\n")
        self._has_ended = self._has_ended or bool(line_end)
        # The editor ends the line, changes the modes back, and changes them again before it shows a prompt.
        if self._has_ended and _SEQUENCE.sub(b"", line):
            self._has_prompted = True
            self._look()

    def clear(self) -> None:
        """Type nothing more."""
        self._unsent.clear()
        self._lines = LinePieces()
        self._stop()

    def _send(self) -> None:
        """Write what may be written now, and come back for the rest."""
        self._stop()
        if not self._unsent:
            return
        try:
            sent = os.write(self._master, self._portion())
        except BlockingIOError:
            sent = 0
        del self._unsent[:sent]
        # Lines are delivered while the program reads them, not once it has changed the terminal's modes.
        self._poll.poll(0)
        if self._unsent and self._is_paced:
            self._sent = self._loop.time()
            self._has_ended = self._has_prompted = False
            self._timer = self._loop.call_later(_PAUSE, self._look)
        elif self._unsent:
            self._loop.add_writer(self._master, self._send)

    def _portion(self) -> bytes:
        if not self._is_paced:
            return bytes(self._unsent[:_CHUNK])
        end = self._unsent.find(b"\r", 0, _PORTION) + 1
        return bytes(self._unsent[: end or _PORTION])

    def _look(self) -> None:
        """Go on once the line editor reads again; a program that reads otherwise gets the rest, too."""
        if self._timer:
            self._timer.cancel()
        waited = self._loop.time() - self._sent
        has_read = (self._has_prompted or waited > _SILENT) and not self._unread()
        if waited > _PATIENCE or (has_read and Modes.of(self._slave).is_line_editor):
            self._send()
        else:
            self._timer = self._loop.call_later(_PAUSE, self._look)

    def _unread(self) -> int:
        """Return how many typed bytes no program has read."""
        # Polling has the kernel deliver what it would deliver a moment later.
        self._poll.poll(0)
        count = array.array("i", [0])
        fcntl.ioctl(self._slave, termios.FIONREAD, count)
        return count[0]

    def _stop(self) -> None:
        self._loop.remove_writer(self._master)
        if self._timer:
            self._timer.cancel()
            self._timer = None
