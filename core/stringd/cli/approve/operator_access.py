"""Obtain the operator's token for subcommands: start the daemon, or ask the person."""

from __future__ import annotations

import getpass
import os
import sys
from contextlib import suppress

from stringd.client.sync import Client
from stringd.errors import DaemonUnreachable, ErrorCode, Fault, PortTaken, RequestRefused
from stringd.processes.standard_streams import is_terminal

_NO_OPERATOR = (
    "the daemon has no operator, since it was started neither in a terminal nor by a program such as"
    " `stringd approve`; stop it with `stringd shutdown`, then run this again"
)
_LONGEST_TOKEN = 256


def operator_token(client: Client, token_fd: int | None) -> tuple[str, bool]:
    """Return the operator's token, and whether a daemon was started for it.

    In a cluster, a token with the scope `admin` is one.
    """
    if client.address.is_remote:
        client.prepare()
        return client.address.token or _given_token(token_fd), False
    if not _is_running(client):
        from stringd.client.autostart import start_daemon

        token = start_daemon(client.port, client.health, operator=True)
        if token:
            return token, True
    if not _has_operator(client):
        raise Fault(_NO_OPERATOR)
    return _given_token(token_fd), False


def _has_operator(client: Client) -> bool:
    try:
        return bool(client.questions()["operator"] != "none")
    except RequestRefused as refused:
        if refused.code != ErrorCode.TOKEN_REQUIRED:
            raise
        # A node of a cluster, which has one; it takes the operator's token in place of a client's.
        return True


def _is_running(client: Client) -> bool:
    try:
        client.health()
    except PortTaken:
        raise
    except DaemonUnreachable:
        return False
    return True


def _given_token(token_fd: int | None) -> str:
    if token_fd is not None:
        return _read_line(token_fd)
    if not is_terminal(sys.stdin):
        raise Fault("the operator's token must be typed in a terminal, or read with --token-fd")
    with suppress(EOFError):
        return getpass.getpass("The operator's token, as shown by the daemon: ").strip()
    raise Fault("no token was typed")


def _read_line(descriptor: int) -> str:
    """Read one line byte by byte, and leave what follows unread."""
    line = b""
    try:
        while len(line) < _LONGEST_TOKEN and (byte := os.read(descriptor, 1)) not in {b"", b"\n"}:
            line += byte
    except OSError as error:
        raise Fault(f"the operator's token can't be read: {error.strerror}") from error
    return line.decode("ascii", "replace").strip()
