"""Paths in a topic: typed ones, those in packages, those of its document, and their names in replies."""

from __future__ import annotations

from pathlib import Path

from stringd.api.documents import Package
from stringd.api.sessions import Location, Session
from stringd.api.users import User
from stringd.errors import ErrorCode, Refusal
from stringd.files.real_path import real_path
from stringd.files.typed_paths import (
    FileTarget,
    PathScope,
    display,
    file_of,
    resolve_path,
)
from stringd.text.formatting import line_range


def resolve(typed: str, session: Session, *, full_access: bool, shown: str | None = None) -> FileTarget:
    """Resolve a typed path that the session's user may access, or refuse.

    `shown` replaces the typed path in the refusal.
    """
    return resolve_path(typed, path_scope(session, full_access=full_access), shown or typed)


def path_scope(session: Session, *, full_access: bool) -> PathScope:
    """Return what the paths typed in a topic are relative to, and whose they are."""
    state = session.state
    return PathScope(
        user=session.user,
        directory=state.directory,
        document_uri=state.document.uri if state.document else None,
        full_access=full_access,
    )


def shown_document(location: Location, user: User) -> str:
    """Return the name of a location's document in replies."""
    return shown_uri(location.uri, user)


def shown_uri(uri: str, user: User) -> str:
    """Return the name of a document in replies: the displayed file, or the URI."""
    path = file_of(uri)
    return uri if path is None else display(path, user)


def shown_anywhere(path: Path, user: User) -> str:
    """Return a name of a real path that can be typed in any directory."""
    shown = display(path, user)
    return shown if shown.startswith(("/", "~/")) else f"~/{shown}"


def shown_location(location: Location, user: User) -> str:
    """Return the name of a location in replies: its document, with the block or the lines."""
    lines = line_range(*location.lines) if location.lines else ""
    return f"{shown_document(location, user)}{location.block or lines}"


def working_directory(session: Session) -> Path:
    """Return the base of relative paths: the directory last opened, else the document's, else the home."""
    return path_scope(session, full_access=False).base


def locate(target: str, author: Path, package: Package) -> FileTarget:
    """Resolve a relative link in a file of a package to another file of it, or refuse."""
    name, mark, block = target.partition("#")
    if mark and not block:
        raise Refusal(ErrorCode.INVALID_TARGET, f"No block is named after the #: {target}")
    path = author if not name else real_path(author.parent / name)
    if not path.is_relative_to(package.directory):
        raise Refusal(ErrorCode.FILE_NOT_ALLOWED, f"Outside {package.uri}: {target}")
    return FileTarget(typed=target, path=path, block=block or None)


def inside(directory: Path, name: str) -> Path:
    """Return the real path of a name in a directory, or refuse one that lies outside."""
    path = real_path(directory / name)
    if not path.is_relative_to(real_path(directory)):
        raise Refusal(ErrorCode.FILE_NOT_ALLOWED, f"Outside the package: {name}")
    return path
