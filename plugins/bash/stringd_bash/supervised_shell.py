"""A shell on a pseudo-terminal, as its supervisor starts it.

Supervisors import this module: it must not import `stringd.plugin`, which would cost each of them the memory
of all of the core.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ptyprocess import PtyProcess

if TYPE_CHECKING:
    from stringd.plugin.processes import MessageSocket

# What the fork server does once costs its forks no memory of their own.
_BOOT = Path(__file__).with_name("boot.bash").read_text(encoding="utf-8")
_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat"}
_TERMINAL = {"TERM": "xterm-256color"}
_NOT_INHERITED = ("COLUMNS", "LINES", "PS1", "PROMPT_COMMAND", "HISTFILE", "BASH_ENV", "ENV", "TMOUT")
_INHERITED = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}


class ShellOptions(NamedTuple):
    """How to start a shell."""

    program: str
    rc: str
    directory: str
    environment: dict[str, str]
    rows: int
    columns: int


def prepare_forks() -> None:
    """Start a first program, so that what that loads belongs to no supervisor alone."""
    PtyProcess.spawn(["true"]).wait()


@contextmanager
def open_program(control: MessageSocket, options: Mapping[str, Any]) -> Iterator[ShellProcess]:
    """Prepare a shell and the channel through which it is sent texts."""
    # An unguessable name, so that no other process can have created it.
    directory = f"{tempfile.gettempdir()}/{_prefix(os.getpid())}{os.urandom(8).hex()}"
    os.mkdir(directory, 0o700)  # noqa: PTH102 - a Path costs more than it says here
    try:
        yield ShellProcess(control, ShellOptions(**options), directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def remove_leftovers(supervisor: int) -> None:
    """Remove the channel of a supervisor that was killed."""
    for directory in Path(tempfile.gettempdir()).glob(f"{_prefix(supervisor)}*"):
        shutil.rmtree(directory, ignore_errors=True)


class ShellProcess:
    """Starts a shell and sends the daemon its process id, its terminal and both pipes of its channel."""

    poll_seconds: float | None = None
    memory_limit: int | None = None

    def __init__(self, control: MessageSocket, options: ShellOptions, directory: str) -> None:
        self._control = control
        self._options = options
        self._directory = directory

    def start(self, prepare_child: Callable[[], None]) -> int | None:
        """Start the shell; send the daemon an error if that fails."""
        try:
            pipes = self._make_pipes()
            shell = self._spawn(self._write_boot_file(), prepare_child)
        except Exception as error:
            self._control.send({"error": str(error)})
            return None
        pid: int = shell.pid
        self._control.send({"pid": pid}, [shell.fd, *pipes])
        for descriptor in (shell.fd, *pipes):
            os.close(descriptor)
        # Otherwise its destructor would close the descriptor again, and terminate the shell.
        shell.closed = True
        return pid

    def handle_request(self) -> bool:
        """End the shell: the daemon sends no requests, so it has closed the control socket."""
        return False

    def poll(self) -> None:
        """Do nothing."""

    def report_exit(self, status: int) -> None:
        """Send the daemon the exit status."""
        with contextlib.suppress(OSError):
            self._control.send({"status": status})

    def _make_pipes(self) -> list[int]:
        """Make the shell's named pipes; open those for texts to the shell and for its reports."""
        paths = [f"{self._directory}/{name}" for name in ("commands", "reports")]
        for path in (*paths, f"{self._directory}/limit"):
            os.mkfifo(path, 0o600)
        # Opened for both, neither side waits for the other to open its end.
        return [os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in paths]

    def _spawn(self, boot_file: str, prepare_child: Callable[[], None]) -> PtyProcess:
        options = self._options
        given = options.environment | {"__stringd_rc": options.rc}
        return PtyProcess.spawn(
            [options.program, "--noprofile", "--noediting", "--rcfile", boot_file, "-i"],
            cwd=options.directory,
            env=_PAGERS | _INHERITED | _TERMINAL | given,
            dimensions=(options.rows, options.columns),
            preexec_fn=prepare_child,
        )

    def _write_boot_file(self) -> str:
        """Write the channel's directory into the boot file itself, where no text can change it."""
        path = f"{self._directory}/boot.bash"
        boot_file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(boot_file, _BOOT.replace("CHANNEL", shlex.quote(self._directory)).encode())
        finally:
            os.close(boot_file)
        return path


def _prefix(supervisor: int) -> str:
    return f"stringd-bash-{supervisor}-"
