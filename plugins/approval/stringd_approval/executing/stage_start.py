"""Start the stages of a pipeline, all at once and joined by pipes, without a shell.

Supervisors import this module: it must not import `stringd.plugin`.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stringd_approval.executing.executables import find_program
from stringd_approval.executing.pipe_holders import pipe_name

NOWHERE = 0
"""The descriptor of `/dev/null` in supervisors."""
_SHELL = "/bin/sh"
_DEFAULT_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


class StartedStage(NamedTuple):
    """A stage that runs, and the name of the pipe that it writes to."""

    pid: int
    sink: str


class StageFailed(Exception):
    """A stage can't be started; the text says which and why."""


def start_stages(
    stages: Sequence[Sequence[str]],
    *,
    environment: Mapping[str, str],
    directory: str,
    group: int,
    output: int,
    errors: Sequence[int],
) -> list[StartedStage]:
    """Return the stages, which run in the given process group; in one that the first leads if that is 0.

    A stage that can't be started leaves the ones before it running.
    """
    paths = [_path_of(number, stage[0], directory) for number, stage in enumerate(stages, 1)]
    started: list[StartedStage] = []
    source = NOWHERE
    for number, (path, stage) in enumerate(zip(paths, stages, strict=True), 1):
        downstream, sink = os.pipe() if number < len(stages) else (NOWHERE, output)
        try:
            streams = (source, sink, errors[number - 1])
            pid = _spawn(path, stage, environment, streams, group)
            started.append(StartedStage(pid, pipe_name(sink)))
            group = group or pid
        except (OSError, ValueError) as error:
            _close(downstream, NOWHERE)
            raise _failure(number, stage[0], error) from error
        finally:
            _close(source, NOWHERE)
            _close(sink, output)
        source = downstream
    return started


def _path_of(number: int, program: str, directory: str) -> str:
    try:
        return find_program(program, directory=directory)
    except (OSError, ValueError) as error:
        raise _failure(number, program, error) from error


def _spawn(
    path: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    streams: tuple[int, int, int],
    group: int,
) -> int:
    def spawn(path: str, arguments: list[str]) -> int:
        return os.posix_spawn(
            path,
            arguments,
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in enumerate(streams)],
            setpgroup=group,
            setsigmask=(),
            setsigdef=_DEFAULT_SIGNALS,
        )

    try:
        return spawn(path, list(arguments))
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        return spawn(_SHELL, [_SHELL, path, *arguments[1:]])


def _failure(number: int, program: str, error: OSError | ValueError) -> StageFailed:
    words = error.strerror if isinstance(error, OSError) else str(error)
    return StageFailed(f"stage {number}: {program}: {words}")


def _close(descriptor: int, kept: int) -> None:
    if descriptor != kept:
        os.close(descriptor)
