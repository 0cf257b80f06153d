"""Worker processes, for jobs that can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar

from stringd.frozen_record import FrozenRecord

T = TypeVar("T")

OnParts: TypeAlias = Callable[[int, int], None]
"""Called with the number of finished parts of a job, and the number of all parts."""


class Budget(FrozenRecord, frozen=True, kw_only=True):
    """The limits of a job: CPU seconds, and bytes of memory in addition to what its process uses."""

    seconds: float
    memory: int


class Workers(Protocol):
    """A pool of processes for jobs that may never end, such as rendering and untrusted templates."""

    async def run(
        self,
        job: Callable[..., T],
        *arguments: object,
        owner: str,
        budget: Budget,
        on_parts: OnParts | None = None,
    ) -> T:
        """Call a module-level function in a worker process and return its result.

        Arguments and result are pickled. A result may consist of plain values, dataclasses, named tuples and
        enums of stringd, its plugins and the job's own package. Jobs of an `owner` (a topic) take turns with
        those of others: the owner that used least recently goes first. A `Refusal` of the job is raised here;
        `WorkStopped` means that the job exceeded its budget, or its process died. `on_parts` is called when
        the job reports its progress.
        """
