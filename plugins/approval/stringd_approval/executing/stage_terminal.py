"""The controlling terminal of privileged stages, on which sudo asks for passwords.

Supervisors import this module: it must not import `stringd.plugin`, and so can't use its functions for /proc.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import termios

_MOST_DESCRIPTORS = 65_536
_SYS_ADMIN = 1 << 21
_STATUS = "/proc/self/status"
_SIGNAL_FOREGROUND = 0x40045436  # TIOCSIG, which termios does not name


class StageTerminal:
    """A pseudo-terminal that this process's session gets as its controlling terminal."""

    def __init__(self) -> None:
        os.setsid()
        # A group in the background that sets the modes or the foreground would be stopped.
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        self.master, self._slave = os.openpty()
        self.leader = 0
        """The process that does nothing but lead the foreground group."""
        fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)
        if _is_exclusiveness_passable():
            # Other processes of this user can't open it, and so can't read what is typed.
            fcntl.ioctl(self._slave, termios.TIOCEXCL)

    def new_foreground(self) -> int:
        """Return the id of a new process group in the foreground; it ends when its leader is killed.

        sudo relays no signals that come from its own group, so the stages can't share this process's.
        """
        leader = os.fork()
        if not leader:
            os.setpgid(0, 0)
            os.closerange(0, _MOST_DESCRIPTORS)
            while True:
                signal.pause()
        os.setpgid(leader, leader)
        os.tcsetpgrp(self._slave, leader)
        self.leader = leader
        return leader

    def interrupt(self) -> None:
        """Send SIGINT to the foreground, whoever its processes belong to."""
        with contextlib.suppress(OSError):
            fcntl.ioctl(self.master, _SIGNAL_FOREGROUND, int(signal.SIGINT))

    def close(self) -> None:
        """Hang up."""
        os.close(self.master)
        os.close(self._slave)


def _is_exclusiveness_passable() -> bool:
    """Return whether sudo, as root, may still open a terminal that is for one process only."""
    with open(_STATUS, encoding="ascii") as status:  # noqa: PTH123 - supervisors import no pathlib
        bounds = [line.split()[1] for line in status if line.startswith("CapBnd:")]
    return bool(bounds) and bool(int(bounds[0], 16) & _SYS_ADMIN)
