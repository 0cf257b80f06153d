"""A process without a network: what it starts reaches nothing but what listens in the same place."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_SIOCSIFFLAGS = 0x8914
_UP_AND_RUNNING = 0x41
_SOMEBODY = 1000


def leave_network() -> bool:
    """Move this process out of every network but a loopback of its own; False where the system forbids it.

    A process of root's is an ordinary one afterwards, so that Chromium's own sandbox works in it.
    """
    if not _may_leave():
        return False
    _leave()
    return True


def _may_leave() -> bool:
    """Let a child try first: whoever gets half of the way can't go back."""
    child = os.fork()
    if not child:
        try:
            _leave()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _leave() -> None:
    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER | _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no namespaces")
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user or _SOMEBODY} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group or _SOMEBODY} {group} 1", encoding="ascii")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _UP_AND_RUNNING))
