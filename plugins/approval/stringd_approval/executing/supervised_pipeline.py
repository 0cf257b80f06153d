"""Supervise pipelines, one after the other: the process that a fork server forks for that.

Supervisors import this module: it must not import `stringd.plugin`.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from signal import SIGKILL
from typing import TYPE_CHECKING

from stringd_approval.executing.output_capture import Capture
from stringd_approval.executing.pipe_holders import holders
from stringd_approval.executing.pipeline_job import Job, read_job
from stringd_approval.executing.privileged_end import end_privileged
from stringd_approval.executing.stage_start import StageFailed, StartedStage, start_stages
from stringd_approval.executing.stage_terminal import StageTerminal

if TYPE_CHECKING:
    from stringd.plugin.processes import Family, MessageSocket

GRACE_SECONDS = 2.0
"""How long processes that outlive their stage may keep its pipes."""
_UMASK = 0o077


def prepare_forks() -> None:
    """Start a first program, so that what that loads belongs to no supervisor alone."""
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def remove_leftovers(supervisor: int) -> None:
    """Do nothing: a supervisor leaves no files."""


def supervise(family: Family, control: MessageSocket) -> None:
    """Run one job after the other; on one controlling terminal if they want that."""
    os.umask(_UMASK)
    terminal: StageTerminal | None = None
    while message := control.receive():
        # An order to stop may cross the report of a pipeline that has ended.
        for descriptor in message.descriptors:
            job = read_job(descriptor)
            try:
                if job.has_terminal and terminal is None:
                    terminal = StageTerminal()
                    control.send({}, [terminal.master])
                _run(family, control, job, terminal)
            except StageFailed as failure:
                control.send({"error": str(failure)})
            except OSError as error:
                control.send({"error": error.strerror})


@contextmanager
def _captures(count: int) -> Iterator[list[Capture]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(closing(Capture())) for _ in range(count)]


def _run(family: Family, control: MessageSocket, job: Job, terminal: StageTerminal | None) -> None:
    with _captures(len(job.stages) + 1) as captures:
        pipeline = _Pipeline(family, control, captures)
        try:
            pipeline.start(job, terminal)
            pipeline.wait()
        finally:
            if terminal:
                end_privileged(family, terminal, sudo=job.stages[0][0])
            family.kill()
        pipeline.report()


def _enter(directory: str) -> None:
    try:
        os.chdir(directory)
    except OSError as error:
        raise StageFailed(f"cwd: {directory}: {error.strerror}") from error


class _Pipeline:
    """The stages of a job while they run, and their streams: the errors of each, then the last output."""

    def __init__(self, family: Family, control: MessageSocket, captures: list[Capture]) -> None:
        self._family = family
        self._control = control
        self._captures = captures
        self._stages: list[StartedStage] = []
        self._codes: dict[int, int] = {}
        self._grace_end: float | None = None
        self._is_stopped = False

    def start(self, job: Job, terminal: StageTerminal | None) -> None:
        """Start all stages; raise `StageFailed` or `OSError` if that can't be done."""
        if reason := self._family.refusal():
            raise StageFailed(reason)
        *errors, output = (capture.writable for capture in self._captures)
        try:
            _enter(job.directory)
            self._stages = start_stages(
                job.stages,
                environment=job.environment,
                directory=job.directory,
                group=terminal.new_foreground() if terminal else 0,
                output=output,
                errors=errors,
            )
        finally:
            os.chdir("/")
            for capture in self._captures:
                capture.close_writable()

    def wait(self) -> None:
        """Drain the streams until all stages have ended, and a moment longer if others keep them open."""
        with selectors.DefaultSelector() as selector, self._family.deadline_timer(selector) as timer:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._family, selectors.EVENT_READ)
            for capture in self._captures:
                selector.register(capture, selectors.EVENT_READ)
            while not (timer.has_passed() or self._is_over()):
                if self._is_grace_over():
                    self._end_leftovers()
                for key, _ in selector.select(self._grace_left()):
                    self._handle(key.fileobj, selector)

    def report(self) -> None:
        """Send how the stages ended and what they wrote."""
        for capture in self._captures:
            while capture.is_open and capture.take_piece():
                pass
        fields = {
            "codes": [self._codes.get(stage.pid, -SIGKILL) for stage in self._stages],
            "streams": [(capture.size, capture.is_truncated) for capture in self._captures],
            "survivors": self._family.members(),
        }
        with contextlib.suppress(ConnectionError):
            self._control.send(fields, [capture.kept for capture in self._captures if capture.size])

    def _is_over(self) -> bool:
        if self._is_stopped:
            return True
        have_ended = len(self._codes) == len(self._stages)
        return have_ended and (self._is_grace_over() or not any(it.is_open for it in self._captures))

    def _is_grace_over(self) -> bool:
        return self._grace_left() == 0

    def _grace_left(self) -> float | None:
        """Return for how long leftovers of stages that have ended may go on; None if none has ended."""
        return None if self._grace_end is None else max(0.0, self._grace_end - time.monotonic())

    def _end_leftovers(self) -> None:
        """Kill what keeps open the output of stages that have ended: the next ones wait for its end."""
        pipes = {stage.sink for stage in self._stages[:-1] if stage.pid in self._codes}
        for pid in holders(pipes, self._family.members()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, SIGKILL)
        self._grace_end = time.monotonic() + GRACE_SECONDS

    def _handle(self, source: object, selector: selectors.BaseSelector) -> None:
        if isinstance(source, Capture):
            if not source.take_piece() and not source.is_open:
                selector.unregister(source)
        elif source is self._family:
            exited = dict(self._family.reap())
            ended = {it.pid: exited[it.pid] for it in self._stages if it.pid in exited}
            if ended:
                self._codes |= ended
                self._grace_end = time.monotonic() + GRACE_SECONDS
        elif source is self._control:
            self._control.receive()
            self._is_stopped = True
