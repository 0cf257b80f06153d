"""The way on which texts go to the shell and its reports come back; no program of the shell's has it open."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass

_CHUNK = 65536
_REPORT = re.compile(r"([0-9a-f]*) (\d{1,3}) (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the shell says when it has evaluated a text: which one, with what status, and where it is now."""

    token: str
    status: int
    cwd: str


class Channel:
    """Sends texts and hands on reports; never blocks, however long a text is."""

    def __init__(self, commands: int, reports: int, reported: Callable[[Report], None]) -> None:
        self._commands = commands
        self._reports = reports
        self._reported = reported
        self._unsent = b""
        self._received = b""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(reports, self._receive)

    def send(self, text: str, preparation: str) -> str:
        """Have a text evaluated, after another one whose output nobody sees; return the report's token."""
        token = secrets.token_hex(8)
        self._unsent = b"".join(
            f"{part}\0".encode(errors="surrogatepass")
            for part in (f"P{preparation}", f"T{text}", f"E{token}")
        )
        self._send()
        return token

    def close(self) -> None:
        """Close both ends."""
        self._loop.remove_reader(self._reports)
        self._loop.remove_writer(self._commands)
        os.close(self._commands)
        os.close(self._reports)

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
        for report in reports:
            match = _REPORT.fullmatch(os.fsdecode(report))
            if match:
                token, status, cwd = match.groups()
                self._reported(Report(token=token, status=int(status), cwd=cwd))
