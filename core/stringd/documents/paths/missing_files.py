"""Say of a path that leads nowhere where it was looked for, and which one is nearest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from stringd.api.sessions import Session
from stringd.documents.paths.resolving import current_file, resolve, working_directory
from stringd.errors import ErrorCode, Refusal
from stringd.files.open_directory import is_there, open_folder
from stringd.files.typed_paths import FILE_URI, display
from stringd.text.escaping import printable
from stringd.text.nearest import nearest

# Reading more names would take longer than the command that was mistyped.
_MOST_NAMES = 2000
_ABSOLUTE = ("/", "~", FILE_URI)


class MissingFile:
    """A path as it was typed in a topic, which names nothing."""

    def __init__(self, typed: str, session: Session, *, full_access: bool) -> None:
        self._typed = typed
        self._session = session
        self._full_access = full_access
        self._base = working_directory(session)

    def refusal(self) -> Refusal:
        """Return the refusal, with the nearest path and the directory that the path is relative to."""
        return Refusal(ErrorCode.NOT_FOUND, f"File not found: {self._typed}", *self.context())

    def context(self) -> Iterator[str]:
        """Yield the lines that help to retry."""
        near = next(filter(self._names_something, self._candidates()), None)
        if near is not None:
            yield f"nearest: {printable(near)}"
        if not self._typed.startswith(_ABSOLUTE):
            yield f"looked in: {display(self._base, self._session.user)} ({self._reason()})"

    def _reason(self) -> str:
        state = self._session.state
        if state.directory:
            return "the directory that /open opened; ~/ leads to the home"
        if current_file(self._session):
            return "the directory of the current document; ~/ leads to the home"
        return "the home"

    def _candidates(self) -> Iterator[str]:
        """Yield paths that may have been meant, the likeliest first."""
        if not self._typed.startswith(_ABSOLUTE):
            yield f"~/{self._typed}"
            first, _, rest = self._typed.partition("/")
            if rest and first == self._base.name:
                yield rest
        yield from self._corrected(self._typed)
        if not self._typed.startswith(_ABSOLUTE):
            yield from self._corrected(f"~/{self._typed}")

    def _corrected(self, typed: str) -> Iterator[str]:
        """Yield a path with each name that does not exist replaced by the most similar one."""
        parts, known = typed.split("/"), ""
        for number, part in enumerate(parts):
            path = f"{known}{part}"
            if part in {"", ".", "..", "~"} or self._names_something(path):
                known = f"{path}/"
                continue
            near = nearest(part, self._names_in(known or "."))
            if near is None:
                return
            known = f"{known}{near}{'/' if number < len(parts) - 1 else ''}"
        yield known

    def _names_in(self, typed: str) -> list[str]:
        try:
            path = resolve(typed, self._session, full_access=self._full_access).path
            with open_folder(path) as folder, folder.entries() as entries:
                return [it.name for it in islice(entries, _MOST_NAMES)]
        except (OSError, Refusal):
            return []

    def _names_something(self, typed: str) -> bool:
        try:
            return is_there(resolve(typed, self._session, full_access=self._full_access).path)
        except Refusal:
            return False
