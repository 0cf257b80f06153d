"""Nothing remains of pipelines: when they end, and when what runs them ends, by whatever signal."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from stringd_approval.exec_result import ExecFailed
from stringd_approval.executing.executor import Executor
from tests.approval.executing.other_user import NOBODY, as_user, needs_root
from tests.approval.executing.running import request, with_executor
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import eventually
from tests.web.process_families import family

FORK_SERVER = "stringd.processes.fork_server"

OWNER = """
import asyncio, sys
from stringd_approval.exec_request import ExecRequest
from stringd_approval.executing.executor import Executor

async def main():
    executor = Executor()
    stages = tuple(("sh", "-c", text) for text in sys.argv[1:])
    runs = (
        executor.run(ExecRequest(id="1", pipeline=(stage,), privileged=False), seconds=30) for stage in stages
    )
    await asyncio.gather(*runs)

asyncio.run(main())
"""


@contextmanager
def owner(*texts: str, user: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run shell commands in a process of its own, for a user."""
    command = [sys.executable, "-c", OWNER, *texts]
    with subprocess.Popen(command if user is None else as_user(user, *command)) as process:
        try:
            yield process
        finally:
            process.kill()


def stubborn(seconds: str) -> dict[str, int]:
    """Return commands that withstand signals, groups and sessions, and how many processes each has."""
    return {
        f"sleep {seconds}": 1,
        f"trap '' TERM HUP INT; sleep {seconds}; sleep {seconds}": 1,
        f"setsid --wait sleep {seconds}": 1,
        f"(setsid sleep {seconds} >/dev/null 2>&1 &) & sleep {seconds}": 2,
        f"sleep {seconds} | sleep {seconds} | sleep {seconds}": 3,
    }


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def supervisors_of(pid: int) -> list[int]:
    """Return the fork server of a process and its forks, without those of daemons that it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    lines = family(pid)
    servers = [it for it in map(int, children) if FORK_SERVER in lines.get(it, "")]
    forks = [fork for it in servers for fork, line in family(it).items() if FORK_SERVER in line]
    return servers + forks


@pytest.mark.requirement("approval.execution.no_survivor")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_survives_the_one_that_runs_pipelines(number: signal.Signals) -> None:
    seconds = unique_seconds()
    commands = stubborn(seconds)
    with owner(*commands) as process:
        eventually(lambda: len(running_with(seconds)) >= sum(commands.values()))
        helpers = supervisors_of(process.pid)
        assert len(helpers) > len(commands)
        process.send_signal(number)
        process.wait(10)
        eventually(lambda: not running_with(seconds))
        eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in helpers))


@pytest.mark.requirement("approval.execution.no_survivor")
def test_a_pipeline_whose_supervisor_is_killed_dies_with_it() -> None:
    seconds = unique_seconds()

    async def killed(executor: Executor) -> None:
        running = asyncio.ensure_future(
            executor.run(request(("sh", "-c", f"setsid sleep {seconds} & sleep {seconds}")), seconds=30)
        )
        while len(running_with(seconds)) < 2:
            await asyncio.sleep(0.01)
        _, supervisor = supervisors_of(os.getpid())
        os.kill(supervisor, signal.SIGKILL)
        with pytest.raises(ExecFailed, match="killed"):
            await running
        assert (await executor.run(request(("echo", "again")), seconds=20)).stdout == b"again\n"

    with_executor(killed)
    eventually(lambda: not running_with(seconds))


@pytest.mark.long
@pytest.mark.requirement("approval.execution.no_survivor")
def test_a_pipeline_cannot_stop_its_supervisor() -> None:
    seconds = unique_seconds()
    commands = (
        f"kill -STOP $PPID; sleep {seconds}",
        f"while kill -STOP $PPID; do :; done; sleep {seconds}",
    )

    async def stopping(executor: Executor) -> None:
        for command in commands:
            with pytest.raises(ExecFailed, match="killed"):
                await executor.run(request(("sh", "-c", command)), seconds=5)
        assert (await executor.run(request(("echo", "again")), seconds=20)).stdout == b"again\n"

    with_executor(stopping)
    eventually(lambda: not running_with(seconds))


@pytest.mark.requirement("approval.execution.no_remains")
def test_no_zombie_and_no_descriptor_remain() -> None:
    seconds = unique_seconds()
    wanted = [
        request(("true",)),
        request(("yes",), ("head", "-c", "100000")),
        request(("sh", "-c", f"sleep {seconds} & echo x >&2")),
        request(("true",), ("no-such-program",), ("cat",)),
        request(("true",), cwd="/nowhere"),
        request(*[("cat",)] * 20),
    ]

    def remains() -> tuple[int, int]:
        """Count what is open in this process and in the only supervisor, which has no children."""
        _, supervisor = supervisors_of(os.getpid())
        assert list(family(supervisor)) == []
        return descriptors(os.getpid()), descriptors(supervisor)

    async def counted(executor: Executor) -> None:
        await executor.run(wanted[0], seconds=20)
        before = remains()
        for one in wanted:
            for limit in (20, 0.001):
                with suppress(ExecFailed):
                    await executor.run(one, seconds=limit)
                # A supervisor closes its files just after it has reported, and other tests in this process
                # may have left some that are closed meanwhile.
                eventually(lambda: all(map(int.__le__, remains(), before)))

    with_executor(counted)


@pytest.mark.requirement("approval.execution.no_remains")
def test_idle_supervisors_end_with_the_executor() -> None:
    async def used(executor: Executor) -> list[int]:
        await asyncio.gather(*(executor.run(request(("true",)), seconds=20) for _ in range(5)))
        return supervisors_of(os.getpid())

    helpers = with_executor(used)
    assert len(helpers) == 6
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in helpers))


@needs_root
@pytest.mark.requirement("approval.execution.hidden")
def test_supervisors_hide_their_memory() -> None:
    seconds = unique_seconds()
    with owner(f"sleep {seconds}", user=NOBODY) as process:
        (stage,) = eventually(lambda: running_with(seconds))
        # What a process hides belongs to root in /proc; only its user may attach a debugger to the others.
        assert owner_of_memory(stage) == NOBODY
        helpers = supervisors_of(process.pid)
        assert [owner_of_memory(pid) for pid in helpers] == [0, 0]


def owner_of_memory(pid: int) -> int:
    return Path(f"/proc/{pid}/mem").stat().st_uid
