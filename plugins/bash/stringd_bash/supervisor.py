"""The parent of one shell, in a process of its own: what the shell leaves behind, it ends."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ptyprocess import PtyProcess

from stringd.plugin.processes import adopt_orphans, die_with_parent, end_descendants, reaped, signalled
from stringd_bash.socket_messages import Order, encode, send

_BOOT = Path(__file__).with_name("boot.bash")
_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat"}
_TERMINAL = {"TERM": "xterm-256color"}
_NOT_INHERITED = ("COLUMNS", "LINES", "PS1", "PROMPT_COMMAND", "HISTFILE", "BASH_ENV", "ENV", "TMOUT")


def supervise(link: socket.socket, order: Order) -> None:
    """Run a shell until it ends or the daemon lets go of the link; then end what still descends from it."""
    adopt_orphans()
    ended = signalled()
    with _channel() as (directory, pipes):
        try:
            shell = _spawn(order, directory)
        except Exception as error:
            send(link, encode({"error": str(error)}))
            return
        send(link, encode({"pid": shell.pid}), [shell.fd, *pipes])
        for descriptor in (shell.fd, *pipes):
            os.close(descriptor)
        shell.closed = True
        _watch(shell.pid, link, ended)
        end_descendants()


def _spawn(order: Order, channel: str) -> PtyProcess:
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    return PtyProcess.spawn(
        [order.program, "--noprofile", "--noediting", "--rcfile", _boot_file(channel), "-i"],
        cwd=order.home,
        env=_PAGERS | inherited | _TERMINAL | order.environment | {"__stringd_rc": order.rc},
        dimensions=(order.rows, order.columns),
        preexec_fn=_prepare_child,
    )


def _boot_file(channel: str) -> str:
    """Write down where the channel is: what a text can't change."""
    path = Path(channel, "boot.bash")
    path.write_text(
        _BOOT.read_text(encoding="utf-8").replace("CHANNEL", shlex.quote(channel)), encoding="utf-8"
    )
    return str(path)


def _prepare_child() -> None:
    die_with_parent()
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@contextmanager
def _channel() -> Iterator[tuple[str, list[int]]]:
    """Make the two pipes, named in a private directory: texts to the shell, reports from it."""
    directory = tempfile.mkdtemp(prefix=_prefix(os.getpid()))
    try:
        paths = [Path(directory, name) for name in ("commands", "reports")]
        for path in paths:
            os.mkfifo(path, 0o600)
        # Open for both ways, so that neither side ever waits for the other to open it.
        yield directory, [os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in paths]
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def remove_channel(supervisor: int) -> None:
    """Remove what a supervisor that was killed could not remove by itself."""
    for directory in Path(tempfile.gettempdir()).glob(f"{_prefix(supervisor)}*"):
        shutil.rmtree(directory, ignore_errors=True)


def _prefix(supervisor: int) -> str:
    return f"stringd-bash-{supervisor}-"


def _watch(shell: int, link: socket.socket, ended: int) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(link, selectors.EVENT_READ)
        selector.register(ended, selectors.EVENT_READ)
        while (status := dict(reaped()).get(shell)) is None:
            if link in {key.fileobj for key, _ in selector.select()}:
                return
            with contextlib.suppress(BlockingIOError):
                os.read(ended, 4096)
    with contextlib.suppress(OSError):
        send(link, encode({"status": status}))
