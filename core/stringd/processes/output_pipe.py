"""The pipe that a program prints to, which the event loop reads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import IO, TypeAlias

_PIECE = 256 * 1024

OnOutput: TypeAlias = Callable[[bytes], None]


class OutputPipe:
    """Passes on what is printed, until no process can print any more or it is closed."""

    def __init__(self, pipe: IO[bytes], on_output: OnOutput) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._on_output = on_output
        self.closed: asyncio.Future[None] = self._loop.create_future()
        """Completes when no process can print any more."""
        self._loop.add_reader(pipe, self._read)

    def close(self) -> None:
        """Stop reading."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe)
            self._pipe.close()
        resolve(self.closed)

    def _read(self) -> None:
        data = os.read(self._pipe.fileno(), _PIECE)
        if data:
            self._on_output(data)
        else:
            self.close()


def resolve(future: asyncio.Future[None]) -> None:
    """Complete a future, unless it is complete."""
    if not future.done():
        future.set_result(None)
