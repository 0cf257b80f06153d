"""Swap a directory and a symbolic link as fast as possible: `python swapping.py ONE OTHER`."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD = -100
_EXCHANGE = 2


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """Let two names change places all the while."""
    swapper = subprocess.Popen([sys.executable, __file__, one, other], stdout=subprocess.PIPE)
    try:
        assert swapper.stdout
        assert swapper.stdout.readline() == b"swapping\n"
        yield
        assert swapper.poll() is None
    finally:
        swapper.kill()
        swapper.communicate()


def _swap(one: str, other: str) -> None:
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    names = os.fsencode(one), os.fsencode(other)
    print("swapping", flush=True)
    while exchange(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0:
        pass


if __name__ == "__main__":
    _swap(*sys.argv[1:])
