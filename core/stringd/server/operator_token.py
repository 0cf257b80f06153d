"""Hand the operator's token over to whoever started the daemon, once."""

from __future__ import annotations

import os
import socket
import stat
import sys

from stringd.errors import Fault
from stringd.questions.operator import Operator


def will_have_operator(descriptor: int | None) -> bool:
    """Whether a token can be handed over; standard error may be a log unless it is a terminal."""
    return descriptor is not None or (sys.stderr is not None and sys.stderr.isatty())


def hand_over_token(operator: Operator, descriptor: int | None) -> None:
    """Write a token to the inherited socket, or show it on the terminal, if there is one."""
    if descriptor is not None:
        _send(operator, descriptor)
    elif will_have_operator(descriptor):
        token = operator.appoint()
        operator.terminal = sys.stderr
        operator.tell(f"stringd: the operator's token, shown only here: {token}")


def _send(operator: Operator, descriptor: int) -> None:
    # Not a pipe, whose other end other processes could open through /proc.
    if not _is_socket(descriptor):
        raise Fault(f"descriptor {descriptor} is no socket that the operator's token could be written to")
    with socket.socket(fileno=descriptor) as channel:
        channel.set_inheritable(False)
        try:
            channel.sendall(f"{operator.appoint()}\n".encode())
        except OSError as error:
            raise Fault(f"the operator's token can't be handed over: {error.strerror}") from error


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        return False
