"""Jobs in worker processes: their results, their limits, and the end of their processes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from stringd.api.workers import Budget
from stringd.errors import Refusal, WorkStopped
from stringd.workers.blocking_workers import BlockingWorkers
from tests.actions.processes import has_ended, wait_for
from tests.workers import jobs

ENOUGH = Budget(seconds=5.0, memory=256 * 1024 * 1024)
LITTLE = Budget(seconds=0.2, memory=32 * 1024 * 1024)


@pytest.fixture(scope="module")
def workers() -> Iterator[BlockingWorkers]:
    pool = BlockingWorkers()
    yield pool
    pool.close()


def test_arguments_and_records_are_passed(workers: BlockingWorkers) -> None:
    value = {"a": [1, 2.5, None, True], "b": ("é", b"\0"), "c": frozenset({1}), "d": {2}}
    assert workers.run(jobs.pair, value, "x", budget=ENOUGH) == jobs.Pair(left=value, right="x")
    place = workers.run(jobs.place, 3, 7, budget=ENOUGH)
    assert (type(place), place) == (jobs.Place, (3, 7))


def test_structs_are_passed_unless_they_do_something_when_made(workers: BlockingWorkers) -> None:
    assert workers.run(jobs.media_type, budget=ENOUGH) == jobs.media_type()
    with pytest.raises(WorkStopped, match=r"may not return stringd\.api\.replies\.Reply"):
        workers.run(jobs.reply, budget=ENOUGH)


def test_large_values_are_passed(workers: BlockingWorkers) -> None:
    text = "x" * 20_000_000
    assert workers.run(jobs.pair, text, None, budget=ENOUGH).left == text


def test_large_results_are_rarely_scanned_for_garbage(workers: BlockingWorkers) -> None:
    assert workers.run(jobs.collections_during, 100_000, budget=ENOUGH) < 10


def test_refusal_of_a_job_is_raised_with_its_lines(workers: BlockingWorkers) -> None:
    before = workers.run(jobs.process, budget=ENOUGH)
    with pytest.raises(Refusal) as refused:
        workers.run(jobs.refuse, budget=ENOUGH)
    assert (refused.value.code, refused.value.message) == ("LOAD_ERROR", "It is no document.")
    assert refused.value.context == ("a line",)
    assert workers.run(jobs.process, budget=ENOUGH) == before


def test_exception_of_a_job_has_its_traceback(workers: BlockingWorkers) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)in fail.*a fault of the job's"):
        workers.run(jobs.fail, budget=ENOUGH)


@pytest.mark.parametrize(
    ("job", "arguments", "reason"),
    [
        (jobs.compute, (), "takes too long"),
        (jobs.hang, (), "takes too long"),
        (jobs.grow, (10**9,), "too much memory"),
        (jobs.die, (), "process ended"),
        (jobs.segfault, (), "process ended"),
        (jobs.trap, (), r"may not return (posix|os)\.system"),
        (jobs.nested, (100_000,), "RecursionError"),
    ],
)
def test_failure_stops_only_the_job(
    workers: BlockingWorkers, job: Callable[..., object], arguments: tuple[object, ...], reason: str
) -> None:
    with pytest.raises((WorkStopped, RuntimeError), match=reason):
        workers.run(job, *arguments, budget=LITTLE)
    assert workers.run(jobs.pair, 1, 2, budget=ENOUGH) == jobs.Pair(left=1, right=2)


def test_too_deeply_nested_argument_is_refused(workers: BlockingWorkers) -> None:
    with pytest.raises(WorkStopped, match="nested too deeply"):
        workers.run(jobs.pair, jobs.nested(100_000), None, budget=ENOUGH)
    assert workers.run(jobs.pair, 1, 2, budget=ENOUGH) == jobs.Pair(left=1, right=2)


def test_killed_process_is_replaced(workers: BlockingWorkers) -> None:
    before = workers.run(jobs.process, budget=ENOUGH)
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: has_ended(before))
    assert workers.run(jobs.process, budget=ENOUGH) != before


def test_abandoned_job_is_stopped(workers: BlockingWorkers) -> None:
    async def given_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await workers.pool.run(jobs.compute, owner="a", budget=ENOUGH)

    workers.wait_for(given_up())
    assert workers.run(jobs.pair, 1, 2, budget=ENOUGH) == jobs.Pair(left=1, right=2)


@pytest.mark.long
def test_one_owner_cannot_occupy_all_processes(workers: BlockingWorkers) -> None:
    async def crowd() -> list[str]:
        ended: list[str] = []

        async def one(owner: str, job: Callable[[], Awaitable[Any]]) -> None:
            with pytest.raises(WorkStopped) if owner == "greedy" else nullcontext():
                await job()
            ended.append(owner)

        greedy = [
            asyncio.ensure_future(
                one("greedy", lambda: workers.pool.run(jobs.compute, owner="greedy", budget=LITTLE))
            )
            for _ in range(8)
        ]
        await asyncio.sleep(0)
        await one("modest", lambda: workers.pool.run(jobs.process, owner="modest", budget=ENOUGH))
        await asyncio.gather(*greedy)
        return ended

    assert workers.wait_for(crowd()).index("modest") <= 1


def test_the_processes_end_with_their_parent() -> None:
    program = (
        "from stringd.workers.blocking_workers import BlockingWorkers\n"
        "from stringd.api.workers import Budget\n"
        "import os, signal\n"
        "workers = BlockingWorkers()\n"
        "print(workers.run(os.getpid, budget=Budget(seconds=5.0, memory=10**8)), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    wait_for(lambda: has_ended(int(done.stdout)))
