"""The pipes that carry texts to the shell and its reports back; programs of the shell don't inherit them."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import Callable, Sequence

from msgspec import Struct

from stringd_bash.job_listing import ListedJob, parse_jobs

_CHUNK = 65536
_JOBS = re.compile(r"([0-9a-f]*) ([\d\n]*)\x01(.*)", re.DOTALL)
_REPORT = re.compile(r"([0-9a-f]*) (\d{1,3}) (.*)", re.DOTALL)


class Report(Struct, frozen=True, kw_only=True):
    """What the shell reports after a text: the report's token, the status, the directory, and all jobs."""

    token: str
    status: int
    cwd: str
    jobs: Sequence[ListedJob]


class Channel:
    """Sends texts and passes on reports; never blocks, however long a text is."""

    def __init__(self, commands: int, reports: int, on_report: Callable[[Report], None]) -> None:
        self._commands = commands
        self._reports = reports
        self._on_report = on_report
        self._unsent = b""
        self._received = b""
        self._jobs: tuple[str, Sequence[ListedJob]] = ("", ())
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(reports, self._receive)

    def send(self, text: str, preparation: str) -> str:
        """Have a text evaluated, after a preparation whose output is discarded; return the report's token."""
        return self._request(f"P{preparation}", f"T{text}")

    def ask(self) -> str:
        """Have an idle shell report how it stands; return the report's token."""
        return self._request()

    def close(self) -> None:
        """Close both pipes."""
        self._loop.remove_reader(self._reports)
        self._loop.remove_writer(self._commands)
        os.close(self._commands)
        os.close(self._reports)

    def _request(self, *parts: str) -> str:
        token = secrets.token_hex(8)
        self._unsent += b"".join(f"{part}\0".encode(errors="surrogatepass") for part in (*parts, f"E{token}"))
        self._send()
        return token

    def _send(self) -> None:
        try:
            sent = os.write(self._commands, self._unsent[:_CHUNK])
        except BlockingIOError:
            sent = 0
        self._unsent = self._unsent[sent:]
        if self._unsent:
            self._loop.add_writer(self._commands, self._send)
        else:
            self._loop.remove_writer(self._commands)

    def _receive(self) -> None:
        *reports, self._received = (self._received + os.read(self._reports, _CHUNK)).split(b"\0")
        for report in map(os.fsdecode, reports):
            if jobs := _JOBS.fullmatch(report):
                self._jobs = jobs[1], parse_jobs(jobs[2], jobs[3])
            elif match := _REPORT.fullmatch(report):
                self._pass_on(*match.groups())

    def _pass_on(self, token: str, status: str, cwd: str) -> None:
        listed_for, jobs = self._jobs
        jobs = jobs if listed_for == token else ()
        self._on_report(Report(token=token, status=int(status), cwd=cwd, jobs=jobs))
