"""Many pipelines at once, with much output."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import PipelineResult
from stringd_approval.executing.executor import Executor
from tests.approval.executing.running import codes, executing, request
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import eventually

MANY = 64
LARGE = 16 * 1024 * 1024
PATIENCE = 120.0


@pytest.mark.requirement("approval.execution.drained")
def test_many_at_once_get_their_own_output() -> None:
    wanted = [request(("echo", str(number)), ("cat",), ("cat",)) for number in range(MANY)]
    results = asyncio.run(gathered(wanted))
    assert [result.stdout for result in results] == [f"{number}\n".encode() for number in range(MANY)]
    assert {tuple(codes(result)) for result in results} == {(0, 0, 0)}


@pytest.mark.long
@pytest.mark.timeout(180)
@pytest.mark.requirement("approval.execution.drained", "approval.execution.truncated")
def test_large_streams_at_once_arrive_whole(tmp_path: Path) -> None:
    data = os.urandom(LARGE)
    (tmp_path / "data").write_bytes(data)
    both = f"cat {tmp_path}/data & cat {tmp_path}/data >&2; wait; echo more"
    results = asyncio.run(gathered([request(("sh", "-c", both), ("cat",))] * 8))
    expected = hashlib.sha256(data).digest()
    for result in results:
        assert hashlib.sha256(result.stdout).digest() == expected
        assert hashlib.sha256(result.stages[0].stderr).digest() == expected
        assert (result.stdout_truncated, result.stages[0].stderr_truncated) == (True, False)


@pytest.mark.requirement("approval.execution.time", "approval.execution.leftovers")
def test_late_ones_delay_no_others() -> None:
    seconds = unique_seconds()

    async def mixed() -> None:
        async with executing() as executor:
            late = [started(executor, "sh", "-c", f"sleep {seconds} & echo") for _ in range(MANY // 2)]
            quick = [started(executor, "true") for _ in range(MANY // 2)]
            await asyncio.gather(*quick)
            assert not any(run.done() for run in late)
            await asyncio.gather(*late)

    asyncio.run(asyncio.wait_for(mixed(), PATIENCE))
    eventually(lambda: not running_with(seconds))


def started(executor: Executor, *words: str) -> asyncio.Future[PipelineResult]:
    return asyncio.ensure_future(executor.run(request(words), seconds=PATIENCE))


async def gathered(wanted: list[ExecRequest]) -> list[PipelineResult]:
    async with asyncio.timeout(PATIENCE), executing() as executor:
        return await asyncio.gather(*(executor.run(it, seconds=PATIENCE) for it in wanted))
