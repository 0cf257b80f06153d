"""Work that runs in a process of its own, where it can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

T = TypeVar("T")

OnParts: TypeAlias = Callable[[int, int], None]
"""Is called with how many parts of a job are done, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one job may use: seconds of CPU time, and bytes of memory beyond what its process has already."""

    seconds: float
    memory: int


class Workers(Protocol):
    """A few processes that do jobs which may never end: parsing, rendering, templates of strangers."""

    async def run(
        self,
        job: Callable[..., T],
        *arguments: object,
        owner: str,
        budget: Budget,
        on_parts: OnParts | None = None,
    ) -> T:
        """Call a module-level function in a worker process and return its result.

        Arguments and result are pickled; of the result, only plain values, dataclasses and enums of stringd,
        its plugins and the job's own package are admitted. Jobs of the same `owner` (a topic) take turns with
        those of others: who has used least lately goes first. A `Refusal` of the job is raised here;
        `WorkStopped` means that the budget was over, or the process died. `on_parts` is called when the job
        says how far it is.
        """
