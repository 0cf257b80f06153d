"""Tell a shell's background processes from those of the text that it evaluates, job by job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from stringd.plugin.processes import Process

_FOREGROUND = 0
_ZOMBIE = "Z"


def by_job(
    family: Sequence[Process], shell: int, listed: Collection[int], foreground: int | None
) -> Mapping[int, Sequence[Process]]:
    """Return the background processes by the job that they belong to: one that bash lists, or their group.

    The family has parents before their children, and the shell in it; there is a foreground group while a
    text is evaluated.
    """
    root = next(it for it in family if it.pid == shell)
    jobs: defaultdict[int, list[Process]] = defaultdict(list)
    owners: dict[int, int] = {}
    for process in family:
        if process is not root and process.state != _ZOMBIE:
            owner = owners.get(process.parent)
            owners[process.pid] = job = _job(process, root, listed, foreground, owner)
            jobs[job].append(process)
    jobs.pop(_FOREGROUND, None)
    return jobs


def _job(
    process: Process, shell: Process, listed: Collection[int], foreground: int | None, parents: int | None
) -> int:
    if process.group == foreground != shell.group:
        return _FOREGROUND
    if process.group in listed:
        return process.group
    # Without job control (`set +m`), jobs are in the group of the shell.
    if process.pid in listed:
        return process.pid
    if parents is not None:
        return parents
    if process.group == shell.group:
        return process.pid if foreground is None else _FOREGROUND
    return process.group
