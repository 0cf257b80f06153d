"""The descriptors of this process: a raised limit, which programs do not inherit."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

# Programs that close all possible descriptors one by one would take minutes without a limit.
MOST = 65_536
_OPEN = "/dev/fd"


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    with os.scandir(_OPEN) as entries:
        return sum(1 for _ in entries)


class DescriptorLimit:
    """The limit of open descriptors, raised for this process alone."""

    def __init__(self) -> None:
        self._initial = resource.getrlimit(resource.RLIMIT_NOFILE)

    @property
    def current(self) -> int:
        """The current limit of open descriptors."""
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return MOST if soft == resource.RLIM_INFINITY else soft

    def raise_to_most(self) -> None:
        """Raise the soft limit to the hard one if possible."""
        soft, hard = self._initial
        most = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
        if soft != resource.RLIM_INFINITY and soft < most:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

    def restore(self) -> None:
        """Restore the initial limit; to be called in a child before it becomes another program."""
        resource.setrlimit(resource.RLIMIT_NOFILE, self._initial)

    def start(
        self, command: Sequence[str], *, directory: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        """Start a program in a session of its own, with the initial limit and its output in one pipe.

        A function that runs in the child would make the system copy the page tables of this process, which
        takes several times as long as to start a shell. So the limit is restored for the moment in which the
        child is made, unless that would leave other threads short of descriptors.
        """
        raised = resource.getrlimit(resource.RLIMIT_NOFILE)
        is_crowded = raised != self._initial and open_descriptors() > self._initial[0] // 2
        if not is_crowded:
            self.restore()
        try:
            return subprocess.Popen(
                command,
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                start_new_session=True,
                preexec_fn=self.restore if is_crowded else None,
            )
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, raised)


DESCRIPTORS = DescriptorLimit()
