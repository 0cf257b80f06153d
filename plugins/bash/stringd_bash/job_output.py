"""What background jobs print between texts, with the jobs that may have printed it.

A terminal does not tell who prints: where several jobs run, their output is mixed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct, field

from stringd.plugin.text import HeadTailBuffer

_PART_BYTES = 128 * 1024
_MOST_PARTS = 8


class JobOutput(Struct, frozen=True, kw_only=True):
    """Output that one of some jobs has printed, or each of them a part."""

    jobs: frozenset[int]
    output: HeadTailBuffer = field(default_factory=lambda: HeadTailBuffer(_PART_BYTES))


class JobOutputs:
    """Keeps head and tail of what each set of jobs has printed, of the last sets only."""

    def __init__(self, find_jobs: Callable[[], Collection[int]]) -> None:
        self._find_jobs = find_jobs
        self._parts: deque[JobOutput] = deque(maxlen=_MOST_PARTS)
        self._is_current = False

    def begin(self) -> None:
        """Note that the jobs may have changed."""
        self._is_current = False

    def add(self, data: bytes) -> None:
        """Add what was printed while no text was evaluated."""
        if not self._is_current:
            self._is_current = True
            jobs = frozenset(self._find_jobs())
            if not self._parts or self._parts[-1].jobs != jobs:
                self._parts.append(JobOutput(jobs=jobs))
        self._parts[-1].output.add(data)

    def of(self, job: int) -> Sequence[JobOutput]:
        """Return what a job may have printed, oldest first."""
        return [it for it in self._parts if job in it.jobs]

    def clear(self) -> None:
        """Forget all."""
        self._parts.clear()
        self._is_current = False
