"""The process that a daemon's supervisors are forked from: small, so that a topic costs little."""

from __future__ import annotations

import os
import signal
import socket

from stringd_bash.link import Message, Order, receive
from stringd_bash.supervisor import supervise


def main() -> None:
    """Fork a supervisor for each order that comes over standard input, until the daemon has ended."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # Supervisors end by themselves, when the daemon lets go of them; nobody asks how.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=0) as control:
        while True:
            for message in receive(control):
                if not message.fields:
                    return
                _serve(message, control)


def _serve(message: Message, control: socket.socket) -> None:
    with socket.socket(fileno=message.descriptors[0]) as link:
        if os.fork():
            return
        control.close()
        try:
            supervise(link, Order(**message.fields))
        finally:
            os._exit(0)
