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

_BOOT = Path(__file__).with_name("boot.bash")
_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat"}
_TERMINAL = {"TERM": "xterm-256color"}
_NOT_INHERITED = ("COLUMNS", "LINES", "PS1", "PROMPT_COMMAND", "HISTFILE", "BASH_ENV", "ENV", "TMOUT")


class ShellOptions(NamedTuple):
    """How to start a shell."""

    program: str
    rc: str
    home: str
    environment: dict[str, str]
    rows: int
    columns: int


@contextmanager
def open_program(control: MessageSocket, options: Mapping[str, Any]) -> Iterator[ShellProcess]:
    """Prepare a shell and the channel through which it is sent texts."""
    directory = tempfile.mkdtemp(prefix=_prefix(os.getpid()))
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
            shell = self._spawn(prepare_child)
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
        paths = [Path(self._directory, name) for name in ("commands", "reports")]
        for path in (*paths, Path(self._directory, "limit")):
            os.mkfifo(path, 0o600)
        # Opened for both, neither side waits for the other to open its end.
        return [os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in paths]

    def _spawn(self, prepare_child: Callable[[], None]) -> PtyProcess:
        options = self._options
        inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        return PtyProcess.spawn(
            [options.program, "--noprofile", "--noediting", "--rcfile", self._write_boot_file(), "-i"],
            cwd=options.home,
            env=_PAGERS | inherited | _TERMINAL | options.environment | {"__stringd_rc": options.rc},
            dimensions=(options.rows, options.columns),
            preexec_fn=prepare_child,
        )

    def _write_boot_file(self) -> str:
        """Write the channel's directory into the boot file itself, where no text can change it."""
        path = Path(self._directory, "boot.bash")
        script = _BOOT.read_text(encoding="utf-8").replace("CHANNEL", shlex.quote(self._directory))
        path.write_text(script, encoding="utf-8")
        return str(path)


def _prefix(supervisor: int) -> str:
    return f"stringd-bash-{supervisor}-"
