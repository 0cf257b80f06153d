"""A PostgreSQL of the tests' own: on a UNIX socket, with a data directory that ends with it."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.protocol.waits import eventually

INSTALLED = Path("/usr/lib/postgresql")
SUPERUSER = "postgres"
PORT = 5432
READY_SECONDS = 30.0
_MEMORY = Path("/dev/shm")
_ENOUGH_MEMORY = 1 << 30
_INITDB = ("--no-sync", "--auth=trust", f"--username={SUPERUSER}", "--encoding=UTF8", "--locale=C.UTF-8")
# What is written is synced before it is acknowledged, as nodes demand.
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "max_wal_size": "128MB",
    # In the data directory: after a kill, nothing else remains.
    "dynamic_shared_memory_type": "mmap",
}


def find_programs() -> Path | None:
    """Return the directory of the newest PostgreSQL that Debian has installed, if any."""
    found = [it.parent for it in INSTALLED.glob("*/bin/postgres")]
    return max(found, key=lambda it: float(it.parent.name), default=None)


class Engine:
    """A PostgreSQL server, which runs as the user `postgres` if this process is root."""

    def __init__(
        self, programs: Path, *, directory: Path | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self._programs = programs
        self._settings = {**_SETTINGS, **(settings or {})}
        self._names = itertools.count(1)
        # The path of a socket may have 107 characters, which those of pytest's directories exceed.
        self.folder = Path(tempfile.mkdtemp(prefix="stringd-pg-", dir=directory or _fast_directory()))
        self.data = self.folder / "data"
        self._owner = SUPERUSER if os.geteuid() == 0 else None
        if self._owner:
            shutil.chown(self.folder, self._owner)
        self._run("initdb", *_INITDB, "--wal-segsize=1", "--pgdata", str(self.data))
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        """The UNIX socket that it listens on."""
        return self.folder / f".s.PGSQL.{PORT}"

    def url(self, database: str, host: str | None = None) -> str:
        """Return the URL of a database, over the socket or another way to it such as `127.0.0.1:9999`."""
        if host:
            return f"postgresql://{SUPERUSER}@{host}/{database}"
        return f"postgresql://{SUPERUSER}@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        # Another process may have got the id of the one that was killed.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        settings = {**self._settings, "unix_socket_directories": str(self.folder)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [*self._privileges(), str(self._programs / "postgres"), "-D", str(self.data), *options],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C in a terminal would end it before the tests end their daemons.
                start_new_session=True,
            )
        eventually(self._is_ready, within=READY_SECONDS)

    def configure(self, name: str, value: str) -> None:
        """Change a setting, which holds from its next start on."""
        self._settings[name] = value

    def kill(self) -> None:
        """Kill it with all its processes, as a crash of the machine would."""
        if self._server is None:
            return
        self._server.send_signal(signal.SIGSTOP)
        children = self._children()
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.kill()
        self._server.wait(READY_SECONDS)
        self._server = None
        # They have the shared memory until they have ended.
        eventually(lambda: not any(map(_is_running, children)), READY_SECONDS)

    def is_running(self) -> bool:
        """Return whether it accepts connections."""
        return self._server is not None and self._is_ready()

    def pause(self) -> None:
        """Stop all its processes where they are."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._signal_all(signal.SIGCONT)

    def close(self) -> None:
        """End it, and remove its data."""
        if self._server is not None:
            self.resume()
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait(READY_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)

    def create_database(self) -> str:
        """Create an empty database; return its name."""
        name = f"test_{next(self._names)}"
        self.sql(f"CREATE DATABASE {name}", database=SUPERUSER)
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database and end its connections."""
        self.sql(f"DROP DATABASE {name} WITH (FORCE)", database=SUPERUSER)

    def sql(self, *statements: str, database: str) -> str:
        """Run statements, each in a transaction of its own; return the rows, with tabs between columns."""
        commands = [word for it in statements for word in ("--command", it)]
        options = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator=\t"]
        return self._run("psql", *options, "--set=ON_ERROR_STOP=1", self.url(database), *commands).strip()

    def log(self) -> str:
        """Return what it has written to its log."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def _is_ready(self) -> bool:
        assert self._server is not None
        assert self._server.poll() is None, f"PostgreSQL did not start: {self.log()}"
        try:
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return False
        # It may have been read while it was being written.
        return len(lines) > 1 and [lines[0], lines[-1].strip()] == [str(self._server.pid), "ready"]

    def _signal_all(self, number: int) -> None:
        assert self._server is not None
        for pid in (self._server.pid, *self._children()):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _children(self) -> list[int]:
        """Return its processes, which are sessions and groups of their own."""
        assert self._server is not None
        listed = Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children")
        return [int(it) for it in listed.read_text(encoding="ascii").split()]

    def _run(self, program: str, *arguments: str) -> str:
        """Run one of its programs to its end; return the output."""
        done = subprocess.run(
            [*self._privileges(), str(self._programs / program), *arguments],
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            timeout=READY_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done.stdout

    def _privileges(self) -> Sequence[str]:
        """Return what is put before a command: it ends with this process, and is not root."""
        user = ("--reuid", self._owner, "--regid", self._owner, "--clear-groups") if self._owner else ()
        return ("setpriv", "--pdeathsig=KILL", *user)


def _is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def _fast_directory() -> Path | None:
    """Return where syncs cost nothing, unless that is small, as it is in containers."""
    if not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _ENOUGH_MEMORY:
        return None
    return _MEMORY
