"""The pipes of programs, whose descriptors the event loop closes."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvloop

from stringd.processes.descriptors import open_descriptors
from stringd.processes.program_pipes import write_pipe

Run = Callable[[Coroutine[Any, Any, None]], None]
SECONDS = 5.0
FILES = 20
on_each_loop = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])


async def open_and_close() -> None:
    async with write_pipe() as (writer, _):
        writer.close()
    await writer.wait_closed()


class Opening:
    """Opens and closes files in threads; notes which of them are closed by somebody else."""

    def __init__(self) -> None:
        self.failures: list[OSError] = []
        self.is_over = False

    def run(self) -> None:
        while not self.is_over:
            for descriptor in [os.open(os.devnull, os.O_RDONLY) for _ in range(FILES)]:
                try:
                    os.close(descriptor)
                except OSError as error:
                    self.failures.append(error)


@contextmanager
def opening() -> Iterator[Opening]:
    """Have two threads open files, which take turns often."""
    before, files = sys.getswitchinterval(), Opening()
    threads = [threading.Thread(target=files.run) for _ in range(2)]
    sys.setswitchinterval(1e-5)
    for it in threads:
        it.start()
    try:
        yield files
    finally:
        files.is_over = True
        for it in threads:
            it.join()
        sys.setswitchinterval(before)


@on_each_loop
def test_a_pipe_is_closed(run: Run) -> None:
    async def count() -> None:
        # What the loop opens once is open then.
        await open_and_close()
        before = open_descriptors()
        await open_and_close()
        assert open_descriptors() == before

    run(count())


@pytest.mark.long
@on_each_loop
def test_closing_a_pipe_closes_no_file_that_a_thread_opens(run: Run) -> None:
    async def open_pipes(files: Opening) -> None:
        deadline = time.monotonic() + SECONDS
        while not files.failures and time.monotonic() < deadline:
            await open_and_close()

    with opening() as files:
        run(open_pipes(files))
    assert files.failures == []
