"""Programs that are run for their output end in time, whatever they do."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from stringd.processes.program_output import ProgramOutput, output_of

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
PATIENCE = 20.0


async def run(command: str, *, seconds: float = PATIENCE, most: int = 1000) -> ProgramOutput:
    arguments = ("/bin/bash", "-c", command)
    return await output_of(arguments, environment=ENVIRONMENT, seconds=seconds, most=most)


@pytest.mark.requirement("find.files.bounded")
def test_output_and_status_are_returned() -> None:
    assert asyncio.run(run("echo out; echo err >&2; exit 3")) == ProgramOutput(status=3, output=b"out\nerr\n")


@pytest.mark.requirement("find.files.bounded")
@pytest.mark.parametrize(
    ("command", "seconds", "is_late"), [("sleep 60 & echo on; wait", 0.2, True), ("yes", PATIENCE, False)]
)
def test_late_and_endless_programs_are_killed(command: str, seconds: float, is_late: bool) -> None:
    began = time.monotonic()
    found = asyncio.run(run(command, seconds=seconds))
    assert (found.status, found.is_late) == (None, is_late)
    assert found.output.startswith((b"on\n", b"y\ny\n"))
    assert time.monotonic() - began < PATIENCE


@pytest.mark.requirement("find.files.bounded")
def test_cancelled_program_is_killed(tmp_path: Path) -> None:
    mark = tmp_path / "pid"

    async def cancelled() -> None:
        running = asyncio.ensure_future(run(f"echo $$ >{mark}; sleep 60"))
        while not (mark.exists() and mark.read_text().strip()):
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(asyncio.wait_for(cancelled(), PATIENCE))
    assert not Path("/proc", mark.read_text().strip()).exists()
