"""Stage new apps beside the installed ones, and put them in place atomically."""

from __future__ import annotations

import ctypes
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from stringd.plugin.files import Directory, made_folder

_PREFIX = ".staged-"
_EXCHANGE = 2
_APP_MODE = 0o755
_PRIVATE = 0o700


class Staging(Struct, frozen=True, kw_only=True):
    """The directory of the installed apps, and a temporary directory in it."""

    shelf: Directory
    folder: Directory

    def put_in_place(self, staged: str, name: str) -> None:
        """Replace an app by a staged directory atomically."""
        self.folder.set_mode(staged, _APP_MODE)
        if self.shelf.status(name) is None:
            self.folder.rename(staged, self.shelf, name)
        elif not self._exchange(staged, name):
            self.take_away(name)
            self.folder.rename(staged, self.shelf, name)

    def take_away(self, name: str) -> None:
        """Remove an app atomically, by moving it into the staging directory."""
        self.shelf.rename(name, self.folder, "removed")

    def _exchange(self, staged: str, name: str) -> bool:
        """Exchange two directories atomically; return False if the system does not support it."""
        if sys.platform != "linux":
            return False
        exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        one = self.folder.descriptor, os.fsencode(staged)
        other = self.shelf.descriptor, os.fsencode(name)
        return exchange is not None and exchange(*one, *other, _EXCHANGE) == 0


@contextmanager
def staging(packages: Path) -> Iterator[Staging]:
    """Open a staging directory for one installation, and remove leftovers of killed ones.

    `packages` is a real path, and only one installation at a time may use it.
    """
    with made_folder(packages) as shelf:
        _clear(shelf)
        name = f"{_PREFIX}{secrets.token_hex(8)}"
        shelf.make(name, _PRIVATE)
        try:
            with shelf.folder(name) as folder:
                yield Staging(shelf=shelf, folder=folder)
        finally:
            shelf.remove_tree(name)


def _clear(shelf: Directory) -> None:
    with shelf.entries() as entries:
        leftovers = [it.name for it in entries if it.name.startswith(_PREFIX)]
    for leftover in leftovers:
        shelf.remove_tree(leftover)
