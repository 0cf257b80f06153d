"""How pipelines end: codes, signals, failures to start, time, leftovers and too much output."""

from __future__ import annotations

import asyncio
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from stringd_approval.exec_result import ExecFailed
from stringd_approval.executing.executor import Executor
from tests.approval.executing.running import PATIENCE, codes, request, run, with_executor
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import eventually

MOST = 16_777_216
GRACE = 2.0


def failure(*stages: tuple[str, ...], **fields: Any) -> ExecFailed:
    with pytest.raises(ExecFailed) as caught:
        run(*stages, **fields)
    return caught.value


@pytest.mark.requirement("approval.execution.exit_code")
@pytest.mark.parametrize("code", [0, 1, 125, 127, 255])
def test_exit_codes(code: int) -> None:
    (stage,) = run(("sh", "-c", f"echo said >&2; exit {code}")).stages
    assert (stage.exit_code, stage.signal, stage.stderr) == (code, None, b"said\n")


@pytest.mark.requirement("approval.execution.signal")
@pytest.mark.parametrize("number", [1, 2, 9, 15, 34])
def test_signals(number: int) -> None:
    stages = run(("sh", "-c", f"kill -{number} $$"), ("cat",)).stages
    assert [(stage.exit_code, stage.signal) for stage in stages] == [(-1, number), (0, None)]


@pytest.mark.requirement("approval.execution.unstartable")
def test_a_missing_program_in_the_middle_leaves_no_trace(tmp_path: Path) -> None:
    seconds, effect = unique_seconds(), tmp_path / "effect"
    late = f"sleep {seconds}; touch {effect}"
    assert str(failure(("sh", "-c", late), ("no-such-program",), ("touch", str(effect)))) == (
        "stage 2: no-such-program: No such file or directory"
    )
    assert not running_with(seconds)
    assert not effect.exists()


@pytest.mark.requirement("approval.execution.unstartable")
def test_stages_are_killed_when_the_next_one_can_not_be_started(tmp_path: Path) -> None:
    seconds, effect, script = unique_seconds(), tmp_path / "effect", tmp_path / "script"
    # It is found and executable, which only its start shows to be wrong.
    script.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    script.chmod(0o755)
    stages = (("sh", "-c", f"trap '' TERM HUP; sleep {seconds}; touch {effect}"), (str(script),))
    assert str(failure(*stages)) == f"stage 2: {script}: No such file or directory"
    assert not running_with(seconds)
    assert not effect.exists()


@pytest.mark.requirement("approval.execution.unstartable")
def test_what_can_not_be_executed_is_said_in_the_words_of_the_system(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_text("#!/bin/sh\n", encoding="utf-8")
    assert str(failure((str(data),))).endswith("Permission denied")
    assert str(failure((str(tmp_path),))).endswith("Permission denied")
    assert str(failure((f"{data}/x",))).endswith("Not a directory")
    assert str(failure(("echo", "x" * 200_000))) == "stage 1: echo: Argument list too long"


@pytest.mark.requirement("approval.execution.time")
def test_late_pipelines_are_killed_and_what_they_wrote_is_kept() -> None:
    seconds = unique_seconds()
    ignoring = f"trap '' TERM INT HUP; echo begun; echo problem >&2; setsid sleep {seconds}"
    late = failure(("sh", "-c", ignoring), ("sh", "-c", f"cat; sleep {seconds}"), seconds=0.5)
    assert "timed out" in str(late)
    assert late.captured is not None
    assert late.captured.stdout == b"begun\n"
    assert late.captured.stages[0].stderr == b"problem\n"
    assert [stage.signal for stage in late.captured.stages] == [9, 9]
    assert not running_with(seconds)


@pytest.mark.requirement("approval.execution.sigpipe")
def test_a_producer_ends_with_its_consumer() -> None:
    stages = run(("yes",), ("head", "-n", "1")).stages
    assert [(stage.exit_code, stage.signal) for stage in stages] == [(-1, 13), (0, None)]


@pytest.mark.requirement("approval.execution.leftovers", "approval.execution.strays")
def test_leftovers_that_keep_the_pipes_end_after_two_seconds() -> None:
    starts = ["", "setsid ", "setsid setsid "]
    behind: list[list[tuple[str, ...]]] = [[], [("cat",)], [("cat",), ("cat",)]]
    seconds = unique_seconds()

    async def run_one(executor: Executor, start: str, rest: list[tuple[str, ...]]) -> None:
        began = time.monotonic()
        pipeline = request(("sh", "-c", f"{start}sleep {seconds} & echo hi"), *rest)
        result = await executor.run(pipeline, seconds=PATIENCE)
        assert GRACE <= time.monotonic() - began < 20
        assert result.stdout == b"hi\n"
        assert set(codes(result)) == {0}

    with_executor(lambda it: asyncio.gather(*(run_one(it, *case) for case in product(starts, behind))))
    assert not running_with(seconds)


@pytest.mark.requirement("approval.execution.leftovers")
def test_leftovers_may_end_within_the_grace() -> None:
    assert run(("sh", "-c", "(sleep 0.5; echo late) & echo soon")).stdout == b"soon\nlate\n"


@pytest.mark.requirement("approval.execution.leftovers")
def test_a_slow_stage_is_no_leftover_of_a_quick_one() -> None:
    assert run(("echo", "quick"), ("sh", "-c", "sleep 3; cat")).stdout == b"quick\n"


@pytest.mark.requirement("approval.execution.strays")
def test_strays_that_keep_no_pipe_are_killed_at_once() -> None:
    seconds = unique_seconds()
    assert codes(run(("sh", "-c", f"setsid sleep {seconds} >/dev/null 2>&1 </dev/null &"))) == [0]
    assert not running_with(seconds)


@pytest.mark.requirement("approval.execution.strays")
def test_processes_that_fork_all_the_time_are_killed() -> None:
    seconds = unique_seconds()
    hydra = f"while :; do setsid sleep {seconds} & sleep 0.01; done"
    failure(("sh", "-c", f"trap '' TERM HUP; ({hydra}) & {hydra}"), seconds=0.5)
    assert not running_with(seconds)


@pytest.mark.requirement("approval.execution.truncated")
@pytest.mark.parametrize(("size", "is_truncated"), [(MOST - 1, False), (MOST, False), (MOST + 1, True)])
def test_exactly_16_mib_of_a_stream_are_kept(size: int, is_truncated: bool) -> None:
    both = f"head -c {size} /dev/zero | tr '\\0' o; head -c {size} /dev/zero | tr '\\0' e >&2"
    result = run(("sh", "-c", both))
    kept = min(size, MOST)
    (stage,) = result.stages
    assert (result.stdout == b"o" * kept, result.stdout_truncated) == (True, is_truncated)
    assert (stage.stderr == b"e" * kept, stage.stderr_truncated) == (True, is_truncated)
    assert stage.exit_code == 0


@pytest.mark.requirement("approval.execution.truncated")
def test_what_is_too_much_is_read_and_dropped() -> None:
    # The program comes to its end, which tells that nothing blocked it.
    result = run(("sh", "-c", "head -c 50000000 /dev/zero; echo done >&2"))
    assert (len(result.stdout), result.stdout_truncated) == (MOST, True)
    assert result.stages[0].stderr == b"done\n"


@pytest.mark.requirement("approval.execution.checked")
def test_what_can_not_be_run_is_refused_before_it_is_asked_about(tmp_path: Path) -> None:
    async def checked(executor: Executor) -> list[str]:
        problems = []
        for fields in ({"cwd": "relative"}, {"cwd": str(tmp_path / "none")}, {"forward_agent": True}):
            with pytest.raises(ExecFailed) as caught:
                executor.check(request(("true",), **fields))
            problems.append(str(caught.value))
        return problems

    relative, missing, agent = with_executor(checked, environment={})
    assert "cwd" in relative
    assert "cwd" in missing
    assert "forward_agent" in agent


@pytest.mark.requirement("approval.execution.no_remains")
def test_cancelled_runs_are_killed() -> None:
    seconds = unique_seconds()

    async def cancelled(executor: Executor) -> None:
        running = asyncio.ensure_future(executor.run(request(("sleep", seconds)), seconds=30))
        while not running_with(seconds):
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    with_executor(cancelled)
    eventually(lambda: not running_with(seconds))
