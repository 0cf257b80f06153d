"""Run the pipelines of requests, which have been allowed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Any

from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecFailed, PipelineResult
from stringd_approval.executing.executables import find_for_root, find_program
from stringd_approval.executing.password_bridge import AskPassword, PasswordBridge
from stringd_approval.executing.pipeline_environment import (
    AGENT,
    account_environment,
    pipeline_environment,
)
from stringd_approval.executing.pipeline_job import Job
from stringd_approval.executing.pipeline_supervisor import LOST, PipelineSupervisor, PipelineSupervisors
from stringd_approval.executing.sudo_command import SUDO, VALIDATE, refusal, sudo_words

_END_SECONDS = 20.0
_NO_SUDO = "privileged commands need sudo, which is not installed: install it, or ask with `privileged` false"


class Executor:
    """Runs pipelines without a shell, each under a supervisor that ends all of its processes."""

    def __init__(self, environment: Mapping[str, str] = os.environ, sudo: str = SUDO) -> None:
        self._environment = environment
        self._sudo = sudo
        self._supervisors = PipelineSupervisors()

    def check(self, request: ExecRequest) -> None:
        """Raise `ExecFailed` for what need not be asked, as it can't be run."""
        if sys.platform != "linux":
            raise ExecFailed("requests need Linux")
        if request.privileged:
            try:
                find_program(self._sudo)
            except OSError as error:
                raise ExecFailed(_NO_SUDO) from error
        if not request.cwd.startswith("/"):
            raise ExecFailed(f"cwd must be an absolute path: {request.cwd}")
        if not os.path.isdir(request.cwd):  # noqa: PTH112 - Path.is_dir raises PermissionError
            raise ExecFailed(f"cwd is no directory: {request.cwd}")
        if request.forward_agent and not self._environment.get(AGENT):
            raise ExecFailed(f"forward_agent: the daemon has no agent ({AGENT} is not set)")

    async def run(
        self, request: ExecRequest, *, seconds: float, ask_password: AskPassword | None = None
    ) -> PipelineResult:
        """Run a pipeline to its end; raise `ExecFailed` if it can't be run, or not within `seconds`.

        `ask_password` gets the prompt of sudo and returns what a person types; the time for that is not
        counted. Without it, sudo must not need a password.
        """
        self.check(request)
        jobs = self._jobs(request, may_ask=ask_password is not None)
        try:
            supervisor = self._supervisors.take()
        except OSError as error:
            raise ExecFailed(f"no process can be started: {error.strerror}") from error
        try:
            run = _Run(supervisor, seconds)
            if request.privileged:
                return await run.on_terminal(jobs, ask_password)
            return await run.without_terminal(*jobs)
        finally:
            self._supervisors.give_back(supervisor, is_reusable=not request.privileged)

    def close(self) -> None:
        """End all pipelines."""
        self._supervisors.close()

    def _jobs(self, request: ExecRequest, *, may_ask: bool) -> list[Job]:
        if not request.privileged:
            stages = [list(stage) for stage in request.pipeline]
            return [Job(stages, pipeline_environment(request, self._environment), request.cwd)]
        words = sudo_words(request.env, may_ask=may_ask)
        stages = [
            [self._sudo, *words, _path_for_root(number, program, request.cwd), *arguments]
            for number, (program, *arguments) in enumerate(request.pipeline, 1)
        ]
        needs_validation = may_ask and len(stages) > 1
        pipelines = ([[self._sudo, VALIDATE]], stages) if needs_validation else (stages,)
        return [Job(it, account_environment(), request.cwd, has_terminal=True) for it in pipelines]


class _Run:
    """The jobs of one request and the time that is left for them."""

    def __init__(self, supervisor: PipelineSupervisor, seconds: float) -> None:
        self._supervisor = supervisor
        self._seconds = seconds
        self._began = asyncio.get_running_loop().time()

    async def without_terminal(self, job: Job) -> PipelineResult:
        """Run a job."""
        self._supervisor.start(job)
        return await self._result(None)

    async def on_terminal(self, jobs: list[Job], ask: AskPassword | None) -> PipelineResult:
        """Run jobs on one terminal until sudo refuses one; return the result of the last one."""
        self._supervisor.start(jobs[0])
        bridge = PasswordBridge(await self._supervisor.terminal(), ask)
        try:
            result = await self._permitted(bridge)
            for job in jobs[1:]:
                self._supervisor.start(job)
                result = await self._permitted(bridge)
            return result
        finally:
            bridge.close()

    async def _permitted(self, bridge: PasswordBridge) -> PipelineResult:
        result = await self._result(bridge)
        if said := refusal(result):
            raise ExecFailed(f"sudo has refused: {said}", result)
        return result

    async def _result(self, bridge: PasswordBridge | None) -> PipelineResult:
        ending = asyncio.ensure_future(self._supervisor.result())
        failing: set[asyncio.Future[None]] = {bridge.failed} if bridge else set()
        try:
            while not ending.done() and not any(it.done() for it in failing):
                left = self._seconds_left(bridge)
                if left <= 0:
                    raise ExecFailed(f"timed out after {self._seconds:g} s", await self._stopped(ending))
                awaited: set[asyncio.Future[Any]] = {ending, *failing}
                await asyncio.wait(awaited, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not ending.done():
                await self._stopped(ending)
                await asyncio.gather(*failing)
            return await ending
        finally:
            ending.cancel()

    async def _stopped(self, ending: asyncio.Future[PipelineResult]) -> PipelineResult:
        self._supervisor.stop()
        try:
            async with asyncio.timeout(_END_SECONDS):
                return await ending
        except TimeoutError as error:
            raise ExecFailed(LOST) from error

    def _seconds_left(self, bridge: PasswordBridge | None) -> float:
        asked = bridge.asked_seconds if bridge else 0.0
        return self._began + self._seconds + asked - asyncio.get_running_loop().time()


def _path_for_root(number: int, program: str, directory: str) -> str:
    try:
        return find_for_root(program, directory=directory)
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error)
        raise ExecFailed(f"stage {number}: {program}: {words}") from error
