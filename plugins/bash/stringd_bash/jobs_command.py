"""The replies of `//jobs`: list the background jobs, show the output of one, end one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stringd.plugin import ErrorCode, Overflow, Refusal, Reply
from stringd.plugin.terminal import stripped
from stringd.plugin.text import label, masked_in_shell
from stringd_bash.background_jobs import Job
from stringd_bash.job_output import JobOutput
from stringd_bash.output_rendering import section
from stringd_bash.topic_shell import TopicShell

_NONE = "(nothing runs in the background)"
_NO_OUTPUT = "(no output between texts; what it prints during a text is in the reply to that)"
_LAST_BYTES = 4096
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class JobReplies:
    """Answers questions about the jobs of a topic's shell."""

    def __init__(self, topic_shell: TopicShell) -> None:
        self._topic_shell = topic_shell

    async def list_all(self) -> Reply:
        """List the jobs that run, are stopped, or have ended last."""
        jobs = await self._topic_shell.jobs.current()
        return Reply.page("Jobs", "\n".join(map(self._entry, jobs)) or _NONE)

    async def show(self, number: int) -> Reply:
        """Show what a job has printed between texts; what is left out of that comes with the next reply."""
        jobs = await self._by_number()
        job = _required(jobs, number)
        names = {it.group: str(it.number) for it in jobs.values()}
        parts = [await self._part(it, names) for it in self._topic_shell.jobs.output_of(job)]
        content = "\n".join(parts) or _into_file(job) or _NO_OUTPUT
        return Reply.page(f"Job {_line(job)}", content, overflow=Overflow.HEAD_AND_TAIL)

    async def end(self, number: int) -> Reply:
        """End a job with all that it has started."""
        job = _required(await self._by_number(), number)
        if job.has_ended:
            raise Refusal(ErrorCode.CONFLICT, f"Job {number} has ended already ({job.state}).")
        if not await self._topic_shell.jobs.end(job):
            raise Refusal(ErrorCode.CONFLICT, f"Job {number} can't be ended: it belongs to another user.")
        return Reply.confirmation(f"Ended: job {number}, {_command(job)}")

    async def _by_number(self) -> Mapping[int, Job]:
        return {it.number: it for it in await self._topic_shell.jobs.current()}

    def _entry(self, job: Job) -> str:
        parts = self._topic_shell.jobs.output_of(job)
        return f"{_line(job)}\n   {_into_file(job) or _last_line(parts)}"

    async def _part(self, part: JobOutput, names: Mapping[int, str]) -> str:
        text = (await self._topic_shell.shown(part.output.copy())).text
        if len(part.jobs) == 1:
            return text
        numbers = " and ".join(sorted(names.get(it, str(it)) for it in part.jobs))
        return section(f"output of some of jobs {numbers}", text)


def _required(jobs: Mapping[int, Job], number: int) -> Job:
    if number not in jobs:
        raise Refusal(ErrorCode.NOT_FOUND, f"No such job: {number}", "//jobs lists them.")
    return jobs[number]


def _line(job: Job) -> str:
    seconds = "" if job.seconds is None else f", {_duration(job.seconds)}"
    return f"{job.number}: {job.state}{seconds}: {_command(job)}"


def _into_file(job: Job) -> str:
    return f"(its output goes to {job.file})" if job.file else ""


def _command(job: Job) -> str:
    return label(masked_in_shell(job.command))


def _duration(seconds: float) -> str:
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.0f} h" if seconds < 2 * _DAY else f"{seconds / _DAY:.0f} days"


def _last_line(parts: Sequence[JobOutput]) -> str:
    if not parts:
        return "(no output between texts)"
    head, _, tail = parts[-1].output.copy().take()
    lines = stripped((head + tail)[-_LAST_BYTES:].decode(errors="replace")).split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    whose = "last line" if len(parts[-1].jobs) == 1 else "last line of this or another job"
    return f"{whose}: {label(last) or '(empty)'}"
