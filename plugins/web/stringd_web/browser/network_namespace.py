"""Move a process into a network namespace of its own, where only its own loopback can be reached."""

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
_UNPRIVILEGED = 1000


def leave_network() -> bool:
    """Move this process to a network with nothing but a loopback; return False if the system forbids that.

    A process of root becomes an unprivileged one, so that Chromium's own sandbox works in it.
    """
    if not _is_allowed():
        return False
    _unshare()
    return True


def _is_allowed() -> bool:
    """Let a child try first, since a process that fails halfway can't go back."""
    child = os.fork()
    if not child:
        try:
            _unshare()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _unshare() -> None:
    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER | _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no namespaces")
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user or _UNPRIVILEGED} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group or _UNPRIVILEGED} {group} 1", encoding="ascii")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _UP_AND_RUNNING))
