"""Say of a path that leads nowhere which one is nearest, and where it was looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stringd.api.sessions import Session
from stringd.documents.paths.resolving import resolve, shown_anywhere, working_directory
from stringd.errors import NoSuchFile, Refusal
from stringd.file_search.finder import nearest_file
from stringd.files.open_directory import is_there, open_folder
from stringd.files.typed_paths import FILE_URI
from stringd.text.escaping import printable
from stringd.text.nearest import nearest
from stringd.workers.threads import READING

# Reading more names would take longer than to type the path again.
_MOST_NAMES = 2000
_ABSOLUTE = ("/", "~", FILE_URI)
_PART = re.compile(r"#|:L\d")
_LINES = re.compile(r":L\d+(?:-L?\d+)?", re.ASCII)
_KEPT = frozenset({"", ".", "..", "~"})


async def missing_file(typed: str, session: Session, *, full_access: bool) -> NoSuchFile:
    """Return the refusal of a path that names nothing, with what helps to retry."""
    missing = _MissingFile(typed, session, full_access=full_access)
    return NoSuchFile(typed, *missing.context(await missing.nearest()))


class _MissingFile:
    """A path that was typed in a topic and names nothing, without the block or lines of it."""

    def __init__(self, typed: str, session: Session, *, full_access: bool) -> None:
        part = _PART.search(typed)
        self._typed = typed[: part.start()] if part else typed
        self._part = typed[part.start() :] if part else ""
        lines = _LINES.match(self._part)
        self._has_bad_lines = lines is not None and lines[0] != self._part
        if lines:
            self._part = lines[0]
        self._session = session
        self._full_access = full_access
        self._base = working_directory(session)
        self._is_relative = not typed.startswith(_ABSOLUTE)
        self._name = Path(self._typed).name

    async def nearest(self) -> str | None:
        """Return the path that may have been meant, if any; its name is rather kept than corrected."""
        moved = await READING.run(self._existing, self._moved())
        if moved is not None:
            return moved
        similar = await READING.run(self._existing, self._similar())
        if similar is not None and Path(similar).name == self._name:
            return similar
        return await self._below() or similar

    def context(self, near: str | None) -> Iterator[str]:
        """Yield the nearest path, and the directory that the path is relative to unless that is the home."""
        if near is not None:
            yield f"nearest: {printable(near)}{self._part}"
        if self._has_bad_lines:
            yield "Lines are written as :L5 or :L5-L10."
        if self._is_relative and self._base != self._session.user.home:
            state = self._session.state
            reason = "opened last" if state.directory else "of the current document"
            shown = shown_anywhere(self._base, self._session.user)
            yield f"looked in: {shown}, the directory {reason}; paths from the home begin with ~/"

    async def _below(self) -> str | None:
        """Return the least nested file of the same name in a directory below."""
        root = await READING.run(self._root) if self._is_relative else None
        found = root and await nearest_file(root, self._name)
        near = root and found and found.removeprefix(f"{root.rstrip('/')}/")
        if not near:
            return None
        return near if await READING.run(self._names_something, near) else None

    def _moved(self) -> Iterator[str]:
        """Yield the typed path, as it may be meant from somewhere else."""
        if self._is_relative:
            first, _, rest = self._typed.partition("/")
            yield f"~/{self._typed}"
            yield rest if rest and first == self._base.name else self._typed

    def _similar(self) -> Iterator[str]:
        """Yield existing paths that are spelled like the typed one."""
        yield from self._corrected(self._typed)
        if self._is_relative:
            yield from self._corrected(f"~/{self._typed}")

    def _corrected(self, typed: str) -> Iterator[str]:
        """Yield a path with each name that does not exist replaced by the most similar one."""
        known = ""
        for part in typed.rstrip("/").split("/"):
            name = part
            if part not in _KEPT and not self._names_something(f"{known}{part}"):
                name = _nearest_name(part, self._names_in(known or "."))
            if not name and part:
                return
            known = f"{known}{name}/"
        yield known.rstrip("/") + ("/" if typed.endswith("/") else "")

    def _existing(self, paths: Iterator[str]) -> str | None:
        return next(filter(self._names_something, paths), None)

    def _root(self) -> str | None:
        try:
            return str(self._resolved("."))
        except Refusal:
            return None

    def _names_in(self, typed: str) -> list[str]:
        try:
            with open_folder(self._resolved(typed)) as folder, folder.entries() as entries:
                return [it.name for it in islice(entries, _MOST_NAMES)]
        except (OSError, Refusal):
            return []

    def _names_something(self, typed: str) -> bool:
        try:
            return is_there(self._resolved(typed))
        except Refusal:
            return False

    def _resolved(self, typed: str) -> Path:
        return resolve(typed, self._session, full_access=self._full_access).path


def _nearest_name(name: str, names: list[str]) -> str:
    """Return the name that differs in case only, else the most similar one, if any is."""
    alike = (it for it in names if it.casefold() == name.casefold())
    return next(alike, None) or nearest(name, names) or ""
