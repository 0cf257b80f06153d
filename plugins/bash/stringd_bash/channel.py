"""The pipes that carry texts to the shell and its reports back; programs of the shell don't inherit them."""

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
    """The shell's report that it has evaluated a text: the text's token, its status, the directory now."""

    token: str
    status: int
    cwd: str


class Channel:
    """Sends texts and passes on reports; never blocks, however long a text is."""

    def __init__(self, commands: int, reports: int, on_report: Callable[[Report], None]) -> None:
        self._commands = commands
        self._reports = reports
        self._on_report = on_report
        self._unsent = b""
        self._received = b""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(reports, self._receive)

    def send(self, text: str, preparation: str) -> str:
        """Have a text evaluated, after a preparation whose output is discarded; return the report's token."""
        token = secrets.token_hex(8)
        self._unsent = b"".join(
            f"{part}\0".encode(errors="surrogatepass")
            for part in (f"P{preparation}", f"T{text}", f"E{token}")
        )
        self._send()
        return token

    def close(self) -> None:
        """Close both pipes."""
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
                self._on_report(Report(token=token, status=int(status), cwd=cwd))
