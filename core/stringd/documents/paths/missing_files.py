"""Say of a path that leads nowhere which one is nearest, and where it was looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stringd.api.sessions import Session
from stringd.documents.paths.resolving import resolve, working_directory
from stringd.errors import NoSuchFile, Refusal
from stringd.file_search.file_walk import searched_files
from stringd.files.open_directory import is_there, open_folder
from stringd.files.typed_paths import FILE_URI, display
from stringd.text.escaping import printable
from stringd.text.nearest import nearest

# Reading more names would take longer than to type the path again.
_MOST_NAMES, _MOST_FILES = 2000, 3000
_ABSOLUTE = ("/", "~", FILE_URI)
_PART = re.compile(r"#|:L\d")
_KEPT = frozenset({"", ".", "..", "~"})


def missing_file(typed: str, session: Session, *, full_access: bool) -> NoSuchFile:
    """Return the refusal of a path that names nothing, with what helps to retry."""
    return NoSuchFile(typed, *_MissingFile(typed, session, full_access=full_access).context())


class _MissingFile:
    """A path that was typed in a topic and names nothing, without the block or lines of it."""

    def __init__(self, typed: str, session: Session, *, full_access: bool) -> None:
        part = _PART.search(typed)
        self._typed = typed[: part.start()] if part else typed
        self._part = typed[part.start() :] if part else ""
        self._session = session
        self._full_access = full_access
        self._base = working_directory(session)
        self._is_relative = not typed.startswith(_ABSOLUTE)

    def context(self) -> Iterator[str]:
        """Yield the nearest path, and the directory that the path is relative to unless that is the home."""
        near = next(filter(self._names_something, self._candidates()), None)
        if near is not None:
            yield f"nearest: {printable(near)}{self._part}"
        if self._is_relative and self._base != self._session.user.home:
            state = self._session.state
            reason = "opened last" if state.directory else "of the current document"
            shown = display(self._base, self._session.user)
            shown = shown if shown.startswith(_ABSOLUTE) else f"~/{shown}"
            yield f"looked in: {shown}, the directory {reason}; paths from the home begin with ~/"

    def _candidates(self) -> Iterator[str]:
        """Yield paths that may have been meant, the likeliest first."""
        first, _, rest = self._typed.partition("/")
        if self._is_relative:
            yield f"~/{self._typed}"
            yield rest if rest and first == self._base.name else self._typed
        yield from self._corrected(self._typed)
        if self._is_relative:
            yield from self._corrected(f"~/{self._typed}")
            yield from self._elsewhere()

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

    def _elsewhere(self) -> Iterator[str]:
        """Yield the first file of the same name in a directory below."""
        name, base = Path(self._typed).name, f"{str(self._base).rstrip('/')}/"
        try:
            files = islice(searched_files(str(self._resolved("."))), _MOST_FILES)
            yield from (it.path.removeprefix(base) for it in files if it.path.endswith(f"/{name}"))
        except (OSError, Refusal):
            return

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
