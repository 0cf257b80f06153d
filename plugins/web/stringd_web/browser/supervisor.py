"""The parent of one Chromium, in a process of its own: it ends the browser, come what may."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field

from stringd.plugin.processes import adopt_orphans, die_with_parent, end_descendants, reaped, signalled
from stringd_web.browser.isolation import leave_network
from stringd_web.browser.memory import MOST_MEMORY, keep_within

_LOOK_SECONDS = 0.25
_WORDS_KEPT = 4096
_DEVTOOLS = (3, 4)
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BACKLOG = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be started, the socket that its DevTools use, and a folder of its own."""

    command: tuple[str, ...]
    devtools: int
    folder: str


def main() -> None:
    """Carry out the order that the command line holds until the browser or the daemon has ended."""
    order = Order(**json.loads(sys.argv[1]))
    _put_in_place(order.devtools)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    with socket.socket(fileno=0) as control:
        control.sendall(json.dumps({"alone": leave_network()}).encode())
        try:
            _Supervisor(control, order).run()
        finally:
            end_descendants()
            shutil.rmtree(order.folder, ignore_errors=True)


@dataclass(slots=True)
class _Supervisor:
    control: socket.socket
    order: Order
    _said: bytearray = field(default_factory=bytearray)

    def run(self) -> None:
        ended = signalled()
        browser, words = _start(self.order)
        with selectors.DefaultSelector() as selector:
            selector.register(self.control, selectors.EVENT_READ)
            selector.register(ended, selectors.EVENT_READ)
            # Kept as long as it is waited for: it would ask for its end itself when it is thrown away.
            while browser.pid not in dict(reaped()):
                ready = {key.fd for key, _ in selector.select(_LOOK_SECONDS)}
                if self.control.fileno() in ready and not self._serve():
                    return
                self._listen_to(words)
                _drain(ended)
                keep_within(MOST_MEMORY)
        self._listen_to(words)
        self._report()

    def _serve(self) -> bool:
        """Open one more way out for the browser, where the browser is; the other end is the daemon's."""
        if not self.control.recv(1):
            return False
        with socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG) as listener:
            socket.send_fds(self.control, [b"+"], [listener.fileno()])
        return True

    def _listen_to(self, words: int) -> None:
        self._said += _drain(words)
        del self._said[:-_WORDS_KEPT]

    def _report(self) -> None:
        said = self._said.decode(errors="replace")
        try:
            self.control.sendall(json.dumps({"said": said}).encode())
        except OSError:
            return


def _start(order: Order) -> tuple[subprocess.Popen[bytes], int]:
    """Start the browser; return it, and where it says what is wrong."""
    words, theirs = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    browser = subprocess.Popen(
        order.command,
        env={"HOME": order.folder, "TMPDIR": order.folder, "PATH": os.environ.get("PATH", os.defpath)},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        pass_fds=_DEVTOOLS,
        preexec_fn=_prepare_child,
    )
    for descriptor in (theirs, *_DEVTOOLS):
        os.close(descriptor)
    return browser, words


def _put_in_place(devtools: int) -> None:
    """Have a socket where the browser expects its pipes; nothing else is open there yet."""
    for descriptor in reversed(_DEVTOOLS):
        os.dup2(devtools, descriptor)
    if devtools not in _DEVTOOLS:
        os.close(devtools)


def _prepare_child() -> None:
    die_with_parent()
    for number in (*_IGNORED, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _drain(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except BlockingIOError:
        return b""
