"""A simulated terminal of a new user: an empty home, a free port, and the commands of a page in order."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.docs.blocks import pattern
from tests.docs.person import Person
from tests.ports import free_port

PATIENCE = 20.0
SHOWN_HOME = "/home/you"
SHOWN_DATABASE = f"{SHOWN_HOME}/database"
SHOWN_PORT = "3100"
SHOWN_OTHER_PORT = "3101"
SHOWN_SERVICE_PORT = "8000"
KILLED = "killed later"
_CODES_OF_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """A command in a terminal of its own, and where its output goes; the page may say that it is killed."""

    process: subprocess.Popen[bytes]
    log: Path
    is_killed: bool = False

    def said(self) -> str:
        """Return its output so far."""
        return self.log.read_text(encoding="utf-8")

    def check_end(self) -> None:
        """Wait for its end, which is a good one unless it is killed."""
        codes = (0, *_CODES_OF_KILLED) if self.is_killed else (0,)
        assert self.process.wait(PATIENCE) in codes, self.said()


class Terminal:
    """Runs commands in one fresh home.

    Pages write `/home/you` for its home, `3100` and `3101` for the ports of daemons, `8000` for that of a
    service, and `/home/you/database` for the directory of a database's socket.
    """

    def __init__(self, home: Path, database: Path | None = None) -> None:
        self._home = home
        self._port = free_port()
        shown_ports = (SHOWN_OTHER_PORT, SHOWN_SERVICE_PORT)
        self._ports = {SHOWN_PORT: self._port, **{it: free_port() for it in shown_ports}}
        self._folders = {**({SHOWN_DATABASE: str(database)} if database else {}), SHOWN_HOME: str(home)}
        self._background: list[Background] = []
        self._person: Person | None = None
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "STRINGD_PORT": str(self._port),
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._dismiss_person()
        for it in self._background:
            end_group(it.process, signal.SIGKILL)
        if self._answers():  # A client of the page started a daemon that is still running.
            self._start("stringd shutdown", self._home.parent / "output").wait(PATIENCE)

    def write(self, name: str, text: str) -> None:
        """Save a file that the page asks the reader to write."""
        path = self._home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._real(text), encoding="utf-8")

    def check(self, command: str, shown: str) -> None:
        """Run the command to its end; its output is what the page shows."""
        if command.startswith("export "):
            self._export(command)
        log = self._home.parent / "output"
        process = self._start(command, log)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            end_group(process, signal.SIGKILL)
            code = None
        output = as_lines(log.read_text(encoding="utf-8"))
        assert code == 0, f"$ {command}\nexit code {code}\n{output}"
        assert pattern(self._real(shown)).fullmatch(output), (
            f"$ {command}\nshows\n{output}\ninstead of\n{shown}"
        )

    def _export(self, command: str) -> None:
        """Set variables for the commands that follow, which have a shell each."""
        pairs = (word.partition("=") for word in shlex.split(self._real(command))[1:])
        self._environment.update({name: value for name, _, value in pairs})

    def leave_running(self, command: str, shown: str) -> None:
        """Start a command in the other terminal once that is free, and wait for its output."""
        self._wait_for_background()
        self.start_service(command, shown)

    def start_service(self, command: str, shown: str, *, is_killed: bool = False) -> None:
        """Start a command in a separate terminal, and wait for its output."""
        log = self._home.parent / f"output-{len(self._background)}"
        started = Background(process=self._start(command, log), log=log, is_killed=is_killed)
        self._background.append(started)
        expected = pattern(self._real(shown))
        deadline = time.monotonic() + PATIENCE
        while not expected.fullmatch(started.said()):
            assert started.process.poll() is None, f"$ {command}\nended\n{started.said()}"
            assert time.monotonic() < deadline, f"$ {command}\nsays\n{started.said()}"
            time.sleep(0.02)

    def wait_for_service(self, shown: str) -> None:
        """Wait for the end of the command that was started last; its output is what the page shows."""
        started = self._background[-1]
        started.process.wait(PATIENCE)
        output = as_lines(started.said())
        assert pattern(self._real(shown)).fullmatch(output), f"it shows\n{output}\ninstead of\n{shown}"

    def seat_person(self, command: str, shown: str) -> None:
        """Start a command in a terminal at which a person types, and wait for its output."""
        self._dismiss_person()
        self._person = Person(self._real(command), self._home, self._environment)
        self._person.sees(self._real(shown))

    def type(self, typed: str, shown: str) -> None:
        """Have the person read what the page shows, and type."""
        assert self._person, "no person sits at a terminal"
        self._person.sees_and_types(self._real(shown), typed)

    def _dismiss_person(self) -> None:
        if self._person:
            self._person.leave()
            self._person = None

    def start_daemon(self) -> None:
        """Start the daemon that a page takes for granted."""
        self.leave_running("stringd", f"...\nstringd listening on http://127.0.0.1:{SHOWN_PORT}\n...\n")

    def close(self) -> None:
        """End what still runs with Ctrl-C; all of it ends well."""
        self._dismiss_person()
        for it in self._background:
            if it.process.poll() is None:
                end_group(it.process, signal.SIGINT)
        self._wait_for_background()
        assert not self._answers(), "the page leaves a daemon behind that it did not start itself"

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def _wait_for_background(self) -> None:
        for it in self._background:
            it.check_end()

    def _start(self, command: str, log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as output:
            return subprocess.Popen(
                ["bash", "-c", self._real(command)],
                cwd=self._home,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _real(self, text: str) -> str:
        """The page's text with the folders and the ports that this terminal really has."""
        for shown, real in self._folders.items():
            text = text.replace(shown, real)
        return re.sub(rf"\b({'|'.join(self._ports)})\b", lambda it: str(self._ports[it[0]]), text)


def as_lines(output: str) -> str:
    """The output as a page shows it: its last line ends like the others, whatever the program did."""
    return output if not output or output.endswith("\n") else f"{output}\n"


def end_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send the signal to the process and all that it started, if any of it is still there."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
    if number == signal.SIGKILL:
        process.wait()
