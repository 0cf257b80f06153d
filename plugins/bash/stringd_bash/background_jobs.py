"""The background jobs of a topic's shell: as bash lists them, and as their processes stand."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from stringd.plugin.processes import Process, age, command_line, descriptor_target
from stringd_bash.job_listing import ListedJob
from stringd_bash.job_output import JobOutput, JobOutputs
from stringd_bash.job_processes import by_job
from stringd_bash.process_family import ProcessFamily
from stringd_bash.process_table import ProcessTable
from stringd_bash.running_shell import Shell
from stringd_bash.stopping import INTERRUPTED_SECONDS

_STOPPED = "T"
_STDOUT = 1
_NO_FILES = ("/dev/", "/proc/")
_MOST_ENDED = 10


class Job(Struct, frozen=True, kw_only=True):
    """A job: `number` is that of the shell, or the process group as long as the shell has not listed it."""

    number: int
    group: int
    state: str
    command: str
    seconds: float | None = None
    """How long it has been running; None if it has ended."""
    file: str = ""
    """The file that it prints into, if it does not print on the terminal."""

    @property
    def has_ended(self) -> bool:
        """Whether none of its processes is left."""
        return self.seconds is None


class BackgroundJobs:
    """Follows the jobs of one shell after the other, and what they print between texts."""

    def __init__(self, table: ProcessTable) -> None:
        self._table = table
        self._shell: Shell | None = None
        self._listed: Sequence[ListedJob] = ()
        self._ended: dict[int, Job] = {}
        self._outputs = JobOutputs(self._possible_writers)

    def begin(self, shell: Shell) -> None:
        """Follow a new shell."""
        self._shell, self._listed = shell, ()
        self._ended.clear()
        self._outputs.clear()

    def update(self) -> None:
        """Take over the shell's list of jobs."""
        listing = self._shell.jobs if self._shell else ()
        known = {it.group for it in self._listed}
        present = {it.group for it in listing}
        for job in self._listed:
            # The shell no longer lists what a text has waited for.
            if job.group not in present:
                self._remember(job, "ended")
        for job in listing:
            # Those that were never seen alive may have been in the foreground: the shell does not tell.
            if job.has_ended and job.group in known:
                self._remember(job, _end(job.state))
        self._listed = [it for it in listing if not it.has_ended]
        self._outputs.begin()

    def add_output(self, data: bytes) -> None:
        """Add what was printed while no text was evaluated."""
        self._outputs.add(data)

    def output_of(self, job: Job) -> Sequence[JobOutput]:
        """Return what a job may have printed between texts."""
        return self._outputs.of(job.group)

    async def current(self) -> Sequence[Job]:
        """Return the jobs by their numbers, those that have ended last included."""
        if self._shell and await self._shell.list_jobs():
            self.update()
        processes, foreground = dict(self._processes(fresh=True)), self._foreground
        listed = [
            _job(it.number, it.group, processes.pop(it.group, ()), it.command)
            for it in self._listed
            if it.group != foreground
        ]
        unlisted = [_job(group, group, members) for group, members in processes.items()]
        live = [it for it in unlisted if not it.has_ended] + listed
        jobs = {it.number: it for it in (*self._ended.values(), *live)}
        return sorted(jobs.values(), key=lambda it: it.number)

    async def end(self, job: Job) -> bool:
        """Interrupt, terminate and kill a job with all that descends from it; return whether it has ended."""
        family = ProcessFamily(lambda table: [it for it in table if job.group in {it.group, it.pid}])
        family.signal(signal.SIGINT, signal.SIGCONT)
        return await family.have_ended(INTERRUPTED_SECONDS) or await family.end()

    @property
    def _foreground(self) -> int | None:
        """The foreground process group while a text is evaluated."""
        shell = self._shell
        return shell.terminal.foreground() if shell and shell.is_alive and not shell.is_idle else None

    def _processes(self, *, fresh: bool = False) -> Mapping[int, Sequence[Process]]:
        shell = self._shell
        family = self._table.family(shell.pid, fresh=fresh) if shell and shell.is_alive else ()
        listed = {it.group for it in self._listed}
        return by_job(family, shell.pid, listed, self._foreground) if shell and family else {}

    def _possible_writers(self) -> Collection[int]:
        return {it.group for it in self._listed} | set(self._processes())

    def _remember(self, job: ListedJob, state: str) -> None:
        self._ended.pop(job.number, None)
        self._ended[job.number] = Job(number=job.number, group=job.group, state=state, command=job.command)
        for number in [*self._ended][:-_MOST_ENDED]:
            del self._ended[number]


def _end(state: str) -> str:
    if state == "Done":
        return "exit 0"
    return state.lower() if state.startswith("Exit") else f"ended: {state}"


def _job(number: int, group: int, processes: Sequence[Process], command: str = "") -> Job:
    for process in processes:
        # It may just have ended.
        with contextlib.suppress(OSError):
            arguments = command_line(process.pid).replace(b"\0", b" ").decode(errors="replace")
            return Job(
                number=number,
                group=group,
                state="stopped" if all(it.state == _STOPPED for it in processes) else "running",
                command=command or arguments.strip(),
                seconds=age(process.pid),
                file=_file(process.pid),
            )
    return Job(number=number, group=group, state="ended", command=command)


def _file(pid: int) -> str:
    target = descriptor_target(pid, _STDOUT)
    return target if target.startswith("/") and not target.startswith(_NO_FILES) else ""
