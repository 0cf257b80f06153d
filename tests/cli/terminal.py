"""A program in a pseudo-terminal, as a person sees it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

PROGRAM = str(Path(sys.executable).with_name("string"))
_PRESSES = 10
CTRL_C, CTRL_D, TAB, UP = b"\x03", b"\x04", b"\t", b"\x1b[A"


class Terminal:
    """Runs a shell command with a new terminal as its standard streams, unless it redirects them."""

    def __init__(self, command: str) -> None:
        self._own, theirs = os.openpty()
        # The leader of a new session that opens a terminal gets it as its controlling one: Ctrl-C works.
        tty = os.ttyname(theirs)
        script = f"exec <>{tty} >{tty} 2>&1; exec {command}"
        self.process = subprocess.Popen(["bash", "-c", script], start_new_session=True)
        self._theirs = theirs
        self.shown = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.process.kill()
        self.process.wait(5)
        os.close(self._own)
        os.close(self._theirs)

    def type(self, keys: str | bytes) -> None:
        os.write(self._own, keys.encode() if isinstance(keys, str) else keys)

    def resize(self, rows: int, columns: int) -> None:
        """Change the size of the terminal, of which its programs learn by SIGWINCH."""
        termios.tcsetwinsize(self._own, (rows, columns))

    def interrupt(self, text: str) -> None:
        """Press Ctrl-C until `text` is shown: readline misses one that comes while it takes in a key."""
        for _ in range(_PRESSES):
            self.type(CTRL_C)
            with suppress(AssertionError):
                self.expect(text, 1.0)
                return
        raise AssertionError(f"{text!r} is not in {self.shown!r}")

    def expect(self, text: str, seconds: float = 10.0) -> str:
        """Wait until `text` is shown, and return what came up to it, which is done with then."""
        deadline = time.monotonic() + seconds
        while text.encode() not in self.shown:
            ready, _, _ = select.select([self._own], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} is not in {self.shown!r}"
            self.shown += os.read(self._own, 65536)
        before, _, self.shown = self.shown.partition(text.encode())
        return before.decode(errors="surrogateescape")
