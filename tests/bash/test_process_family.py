"""What a program starts belongs to its family, whenever that is, and whatever session it moves to."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import pytest

from stringd.plugin.processes import Process
from stringd_bash.process_family import ProcessFamily
from tests.protocol.processes import running_with, unique_seconds

_MOVES = "import os, sys, time; input(); os.setsid(); print('moved', flush=True); time.sleep(30)"
_STARTS = """
import subprocess, sys
input()
subprocess.Popen(["sleep", sys.argv[1]], stdin=subprocess.DEVNULL, start_new_session=True)
print("started", flush=True)
input()
"""


@contextmanager
def program(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run Python code that begins with the first line that it is sent."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as it:
        yield it
        it.kill()


def begin(it: subprocess.Popen[str]) -> None:
    """Have a program go on, until it says so."""
    assert it.stdin is not None
    assert it.stdout is not None
    it.stdin.write("\n")
    it.stdin.flush()
    assert it.stdout.readline()


@pytest.mark.requirement("activity.cancel.bash")
def test_a_process_that_moves_to_a_session_of_its_own_is_ended() -> None:
    with program(_MOVES) as moving:
        family = ProcessFamily(
            lambda table: [it for it in table if it.pid == moving.pid and it.session != moving.pid]
        )
        begin(moving)
        assert asyncio.run(family.end())
        assert moving.wait(10) < 0


@pytest.mark.requirement("activity.cancel.bash")
def test_what_is_started_while_the_table_is_read_is_ended() -> None:
    seconds = unique_seconds()
    with program(_STARTS, seconds) as starting:
        begin_once = cache(lambda: begin(starting))

        def find(table: Sequence[Process]) -> Iterable[Process]:
            begin_once()
            return [it for it in table if it.pid == starting.pid]

        family = ProcessFamily(find)
        starting.kill()
        starting.wait()
        assert asyncio.run(family.end())
        assert running_with(seconds) == []
