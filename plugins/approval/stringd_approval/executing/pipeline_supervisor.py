"""The daemon's side of the processes that supervise pipelines: one pipeline each at a time."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Sequence
from typing import Any

from stringd.plugin.processes import ForkClient, Message, MessageSocket
from stringd_approval.exec_result import ExecFailed, PipelineResult, StageResult
from stringd_approval.executing import supervised_pipeline
from stringd_approval.executing.pipeline_job import Job, write_job

_MOST_IDLE = 16
_IDLE_SECONDS = 10.0
_SMALL = 64 * 1024
_STOP = {"stop": True}
LOST = "the process that supervised the pipeline was killed, and the pipeline with it"


class PipelineSupervisor:
    """A supervisor; closing it ends its pipeline."""

    def __init__(self, control: MessageSocket) -> None:
        self._control = control
        self._loop = asyncio.get_running_loop()
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()
        self._loop.add_reader(control.fileno(), self._receive)
        self.is_idle = True
        """Whether it waits for a job."""

    async def terminal(self) -> int:
        """Return the descriptor of the terminal that its first job with one has made."""
        return (await self._next()).descriptors[0]

    def start(self, job: Job) -> None:
        """Have it run a pipeline."""
        self.is_idle = False
        try:
            descriptor = write_job(job)
        except OSError as error:
            raise ExecFailed(f"no process can be started: {error.strerror}") from error
        try:
            self._control.send({}, [descriptor])
        except OSError as error:
            raise ExecFailed(LOST) from error
        finally:
            os.close(descriptor)

    async def result(self) -> PipelineResult:
        """Wait for the end of the pipeline; raise `ExecFailed` if it could not be started."""
        message = await self._next()
        result = await _result(message)
        if survivors := message.fields["survivors"]:
            raise ExecFailed(f"processes of root could not be ended: {_listed(survivors)}", result)
        self.is_idle = True
        return result

    def stop(self) -> None:
        """End the pipeline; its result is what there is by then."""
        with contextlib.suppress(OSError):
            self._control.send(_STOP)

    def close(self) -> None:
        """End the pipeline and the supervisor."""
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        while not self._messages.empty():
            message = self._messages.get_nowait()
            for descriptor in message.descriptors if message else ():
                os.close(descriptor)

    async def _next(self) -> Message:
        message = await self._messages.get()
        if message is None:
            raise ExecFailed(LOST)
        if "error" in message.fields:
            self.is_idle = True
            raise ExecFailed(message.fields["error"])
        return message

    def _receive(self) -> None:
        message = self._control.receive()
        if message is None:
            self.is_idle = False
            self._loop.remove_reader(self._control.fileno())
        self._messages.put_nowait(message)


class PipelineSupervisors:
    """Supervisors that are forked when they are needed; some idle ones are kept for a while."""

    def __init__(self) -> None:
        self._fork_client = ForkClient(supervised_pipeline, is_hidden=True)
        self._idle: list[PipelineSupervisor] = []
        self._busy: set[PipelineSupervisor] = set()
        self._rest: asyncio.TimerHandle | None = None

    def take(self) -> PipelineSupervisor:
        """Return a supervisor for a pipeline; raise `OSError` if none can be forked."""
        while self._idle:
            supervisor = self._idle.pop()
            if supervisor.is_idle:
                break
            supervisor.close()
        else:
            supervisor = PipelineSupervisor(self._fork_client.fork_supervisor({}))
        self._busy.add(supervisor)
        return supervisor

    def give_back(self, supervisor: PipelineSupervisor, *, is_reusable: bool) -> None:
        """Keep a supervisor for the next pipeline, or close it."""
        self._busy.discard(supervisor)
        if is_reusable and supervisor.is_idle and len(self._idle) < _MOST_IDLE:
            self._idle.append(supervisor)
            self._expect_rest()
        else:
            supervisor.close()

    def close(self) -> None:
        """End all pipelines."""
        if self._rest:
            self._rest.cancel()
        self._close_idle()
        for supervisor in self._busy:
            supervisor.close()
        self._busy.clear()
        self._fork_client.close()

    def _expect_rest(self) -> None:
        if self._rest:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._close_idle)

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()


async def _result(message: Message) -> PipelineResult:
    if sum(size for size, _ in message.fields["streams"]) > _SMALL:
        return await asyncio.to_thread(_read_result, message)
    return _read_result(message)


def _read_result(message: Message) -> PipelineResult:
    fields: dict[str, Any] = message.fields
    if sum(size > 0 for size, _ in fields["streams"]) > len(message.descriptors):
        raise ExecFailed("the output is lost: the daemon has too many open files")
    *errors, (output, is_truncated) = _streams(fields["streams"], message.descriptors)
    stages = (
        StageResult(
            exit_code=max(code, -1),
            signal=-code if code < 0 else None,
            stderr=stderr,
            stderr_truncated=truncated,
        )
        for code, (stderr, truncated) in zip(fields["codes"], errors, strict=True)
    )
    return PipelineResult(stages=tuple(stages), stdout=output, stdout_truncated=is_truncated)


def _streams(sizes: Sequence[tuple[int, bool]], descriptors: Iterable[int]) -> list[tuple[bytes, bool]]:
    """Read the files of all streams that have any bytes, and close them."""
    files = iter(descriptors)
    return [(_read(next(files), size) if size else b"", truncated) for size, truncated in sizes]


def _read(descriptor: int, size: int) -> bytes:
    try:
        return os.pread(descriptor, size, 0)
    finally:
        os.close(descriptor)


def _listed(pids: Sequence[int]) -> str:
    return ", ".join(map(str, pids))
