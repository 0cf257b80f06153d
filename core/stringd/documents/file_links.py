"""Resolve and read the links in files."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from msgspec.structs import replace

from stringd.api.documents import Package
from stringd.api.sessions import Session
from stringd.documents.pages.includes import Linked
from stringd.documents.paths.document_origins import Origin
from stringd.documents.paths.resolving import locate, resolve
from stringd.documents.paths.text_files import read_if_there
from stringd.files.open_directory import is_there
from stringd.files.typed_paths import FileTarget


class FileLinks:
    """The links in files, resolved within the paths that the session's user may access."""

    def __init__(self, session: Session, *, full_access: bool) -> None:
        self._session = session
        self._full_access = full_access

    def resolve(self, link: str, author: Path) -> FileTarget:
        """Resolve a link in a file: as written or, if no such file exists, percent-decoded."""
        literal = self._beside(link, author, link)
        if "%" not in link:
            return literal
        if is_there(literal.path):
            # Ids of blocks never contain a percent sign.
            return replace(literal, block=literal.block and unquote(literal.block))
        decoded = self._beside(os.fsdecode(unquote_to_bytes(link)), author, link)
        return decoded if is_there(decoded.path) else literal

    def read(self, link: str, author: Origin) -> Linked:
        """Read the target of a link in a file."""
        found = self.resolve(link, Path(author))
        return Linked(origin=found.path, block=found.block, text=read_if_there(found.path, link))

    def read_packaged(self, package: Package, link: str, author: Origin) -> Linked:
        """Read the target of a link in a file of a package; relative links stay in the package."""
        path = Path(author)
        found = self.resolve(link, path) if is_absolute(link) else locate(link, path, package)
        return Linked(origin=found.path, block=found.block, text=read_if_there(found.path, link))

    def _beside(self, link: str, author: Path, shown: str) -> FileTarget:
        if link.startswith("#"):
            typed = f"{author}{link}"
        else:
            typed = link if link.startswith(("/", "~/")) else f"{author.parent}/{link}"
        return resolve(typed, self._session, full_access=self._full_access, shown=shown)


def is_absolute(link: str) -> bool:
    """Whether a link is a path that is not relative to the file that contains it."""
    return link.startswith(("/", "~"))
