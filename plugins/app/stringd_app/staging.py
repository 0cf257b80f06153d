"""Directories that are made beside the installed apps and take their place in one step."""

from __future__ import annotations

import ctypes
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stringd.plugin.files import Directory, made_folder

_PREFIX = ".staged-"
_EXCHANGE = 2
_APP_MODE = 0o755
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """The directory of the installed apps, and an empty one in it that is gone at the end."""

    shelf: Directory
    folder: Directory

    def put_in_place(self, staged: str, name: str) -> None:
        """Let a staged directory be the app: whoever looks finds the old one whole or the new one whole."""
        self.folder.set_mode(staged, _APP_MODE)
        if self.shelf.status(name) is None:
            self.folder.rename(staged, self.shelf, name)
        elif not self._exchange(staged, name):
            self.take_away(name)
            self.folder.rename(staged, self.shelf, name)

    def take_away(self, name: str) -> None:
        """Let an app be gone in one step; what is left of it goes with the staging directory."""
        self.shelf.rename(name, self.folder, "removed")

    def _exchange(self, staged: str, name: str) -> bool:
        """Let two directories change places at once; false where the system can't."""
        if sys.platform != "linux":
            return False
        exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        one = self.folder.descriptor, os.fsencode(staged)
        other = self.shelf.descriptor, os.fsencode(name)
        return exchange is not None and exchange(*one, *other, _EXCHANGE) == 0


@contextmanager
def staging(packages: Path) -> Iterator[Staging]:
    """Give room for an installation at a real path; what a killed one left goes with it.

    Only one installation at a time may work in the same place.
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
