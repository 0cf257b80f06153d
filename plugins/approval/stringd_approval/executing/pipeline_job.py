"""What a supervisor is told to run, and what it reports.

Supervisors import this module: it must not import `stringd.plugin`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

MOST_OUTPUT = 16 * 1024 * 1024
"""How many bytes of a stream are kept."""


class Job(NamedTuple):
    """The stages of a pipeline, and how they run."""

    stages: list[list[str]]
    environment: dict[str, str]
    directory: str
    has_terminal: bool = False
    """Whether they run on a controlling terminal, which the jobs of a supervisor share."""


def write_job(job: Job) -> int:
    """Return the descriptor of a file in memory with a job, which may be longer than a message."""
    data = json.dumps(job._asdict()).encode()
    descriptor = os.memfd_create("job")
    with open(descriptor, "wb", buffering=0, closefd=False) as file:
        file.write(data)
    return descriptor


def read_job(descriptor: int) -> Job:
    """Read what `write_job` wrote, and close the descriptor."""
    with open(descriptor, "rb") as file:
        file.seek(0)
        fields: Mapping[str, Any] = json.load(file)
    return Job(**fields)
