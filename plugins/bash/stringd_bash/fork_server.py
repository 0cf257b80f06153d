"""The process that a daemon's supervisors are forked from: small, so that a topic costs little."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import traceback

from stringd.plugin.processes import adopt_orphans, end_strays, reaped, signalled
from stringd_bash.socket_messages import Message, Order, receive
from stringd_bash.supervisor import remove_channel, supervise


def main() -> None:
    """Fork a supervisor for each order that comes over standard input, until the daemon has ended."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    with socket.socket(fileno=0) as control:
        _ForkServer(control).run()


class _ForkServer:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._supervisors: set[int] = set()

    def run(self) -> None:
        ended = signalled()
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(ended, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in selector.select()}
                self._bury()
                with contextlib.suppress(BlockingIOError):
                    os.read(ended, 4096)
                if self._control in ready and not self._serve_all():
                    return

    def _bury(self) -> None:
        """Take leave of supervisors; what a killed one leaves behind is a child of this process now."""
        statuses = dict(reaped())
        self._supervisors -= statuses.keys()
        killed = [pid for pid, status in statuses.items() if status]
        if killed:
            end_strays(self._supervisors)
        for pid in killed:
            remove_channel(pid)

    def _serve_all(self) -> bool:
        for message in receive(self._control):
            if not message.fields:
                return False
            self._serve(message)
        return True

    def _serve(self, message: Message) -> None:
        with socket.socket(fileno=message.descriptors[0]) as link:
            supervisor = os.fork()
            if supervisor:
                self._supervisors.add(supervisor)
                return
            self._control.close()
            _supervise(link, Order(**message.fields))


def _supervise(link: socket.socket, order: Order) -> None:
    try:
        supervise(link, order)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
