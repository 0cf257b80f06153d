"""Directories that are made beside the installed apps and take their place in one step."""

from __future__ import annotations

import ctypes
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stringd_app.members import remove_tree

_PREFIX = ".staged-"
_AT_FDCWD = -100
_EXCHANGE = 2


@contextmanager
def staging(packages: Path) -> Iterator[Path]:
    """Give an empty directory that is gone at the end; what a killed installation left goes with it.

    Only one installation at a time may work in the same place.
    """
    packages.mkdir(parents=True, exist_ok=True)
    for leftover in packages.glob(f"{_PREFIX}*"):
        remove_tree(leftover)
    directory = packages / f"{_PREFIX}{secrets.token_hex(8)}"
    directory.mkdir(mode=0o700)
    try:
        yield directory
    finally:
        remove_tree(directory)


def put_in_place(staged: Path, place: Path) -> None:
    """Let a staged directory be the app: whoever looks finds the old one whole or the new one whole."""
    staged.chmod(0o755)
    if not os.path.lexists(place):
        staged.rename(place)
    elif not _exchange(staged, place):
        aside = staged.with_name(f"{staged.name}-old")
        place.rename(aside)
        staged.rename(place)
        remove_tree(aside)


def take_away(place: Path, staged: Path) -> None:
    """Let an app be gone in one step; what is left of it goes with the staging directory."""
    place.rename(staged / "removed")


def _exchange(one: Path, other: Path) -> bool:
    """Let two directories change places at once; false where the system can't."""
    if sys.platform != "linux":
        return False
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    paths = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    return exchange is not None and exchange(*paths, _EXCHANGE) == 0
