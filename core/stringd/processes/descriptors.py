"""The descriptors of this process: a raised limit, and none of them inherited by programs."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource

# Programs that close all possible descriptors one by one would take minutes without a limit.
MOST = 65_536
_FIRST_AFTER_STANDARD_STREAMS = 3
_LAST = 0xFFFFFFFF
_CLOSE_RANGE_CLOEXEC = 4
# Not a CDLL: releasing the interpreter's lock gains nothing in a child that was just forked.
_close_range = getattr(ctypes.PyDLL(None), "close_range", None)


class DescriptorLimit:
    """The limit of open descriptors, raised for this process alone."""

    def __init__(self) -> None:
        self._initial = resource.getrlimit(resource.RLIMIT_NOFILE)

    @property
    def current(self) -> int:
        """The current limit of open descriptors."""
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return MOST if soft == resource.RLIM_INFINITY else soft

    def raise_to_most(self) -> None:
        """Raise the soft limit to the hard one if possible."""
        soft, hard = self._initial
        most = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
        if soft != resource.RLIM_INFINITY and soft < most:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

    def restore(self) -> None:
        """Restore the initial limit; to be called in a child before it becomes another program."""
        resource.setrlimit(resource.RLIMIT_NOFILE, self._initial)

    def prepare_child(self) -> None:
        """Restore the initial limit and let the program inherit the standard streams alone.

        `subprocess.Popen` closes other descriptors itself. Processes of uvloop inherit all that are
        inheritable, among them its own duplicates of their standard streams.
        """
        self.restore()
        if _close_range is None or _close_range(_FIRST_AFTER_STANDARD_STREAMS, _LAST, _CLOSE_RANGE_CLOEXEC):
            _close_listed_on_exec()


DESCRIPTORS = DescriptorLimit()


def _close_listed_on_exec() -> None:
    """Fallback for systems without `close_range`."""
    for name in os.listdir("/dev/fd"):  # noqa: PTH208 - a Path costs more than it says here
        if int(name) >= _FIRST_AFTER_STANDARD_STREAMS:
            with contextlib.suppress(OSError):
                os.set_inheritable(int(name), False)
