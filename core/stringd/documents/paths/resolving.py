"""Resolve typed paths to real ones, and check that the user may access them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from urllib.parse import unquote_to_bytes

from stringd.api.sessions import Location, Session
from stringd.api.users import User
from stringd.documents.paths.text_files import is_directory, is_there
from stringd.errors import ErrorCode, Refusal
from stringd.files.protected import is_protected, refuse_path
from stringd.files.real_path import real_path
from stringd.text.escaping import printable

LONGEST_PATH = 4000
LONGEST_NAME = 255
# Each candidate end of a name costs a system call.
_MOST_ENDS = 64
_OPEN_FILES = "/proc/self/fd"
_DELETED = " (deleted)"
_SYSTEM_KNOWS = hasattr(os, "O_PATH") and Path(_OPEN_FILES).is_dir()
_FILE_URI = "file:///"
_LINES = r":L([0-9]+)(?:-L([0-9]+))?\Z"
_LINE_RANGE = re.compile(_LINES)
_END_OF_NAME = re.compile(rf"[/#]|{_LINES}|\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTarget:
    """A resolved path, and the block or lines of the file that are addressed.

    Lines count from 1, the last one included. They are not checked against the file.
    """

    typed: str
    path: Path
    block: str | None = None
    lines: tuple[int, int] | None = None


def resolve(typed: str, session: Session, *, full_access: bool, shown: str | None = None) -> FileTarget:
    """Resolve a typed path that the session's user may access, or refuse.

    `shown` replaces the typed path in the refusal.
    """
    shown = shown or typed
    if len(typed.encode(errors="surrogatepass")) > LONGEST_PATH:
        raise Refusal(ErrorCode.INVALID_TARGET, f"The path is longer than {LONGEST_PATH} bytes.")
    name, block, lines = _Splitter(session, full_access=full_access).split(typed)
    if block == "":
        raise Refusal(ErrorCode.INVALID_TARGET, f"No block is named after the #: {shown}")
    path = confine(_absolute(name, session), shown, session.user, full_access=full_access)
    if name.endswith("/"):
        _require_directory(path, shown)
    return FileTarget(typed=typed, path=path, block=block, lines=lines)


def names_something(typed: str, session: Session, *, full_access: bool) -> bool:
    """Whether a path, with or without a block or lines, names something that exists."""
    if len(typed) > LONGEST_PATH:
        return False
    splitter = _Splitter(session, full_access=full_access)
    name = splitter.split(typed)[0]
    return name != "" and splitter.exists(name)


def confine(path: Path, typed: str, user: User, *, full_access: bool) -> Path:
    """Return the real path of an absolute path if the user may access it, or refuse.

    Outside the allowed paths, the refusal does not reveal whether anything exists.
    """
    real, is_final = _resolved(path)
    if not full_access and not _is_allowed(real, user):
        allowed = ", ".join(map(str, (user.home, *user.allowed_paths)))
        raise Refusal(
            ErrorCode.FILE_NOT_ALLOWED, f"Outside the allowed paths: {typed}", f"allowed: {allowed}"
        )
    refuse_path(real, typed)
    if _longest_name(real) > LONGEST_NAME:
        raise Refusal(ErrorCode.INVALID_TARGET, f"A name in the path is longer than {LONGEST_NAME} bytes.")
    if not is_final:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Too many levels of symbolic links: {typed}")
    return Path(real)


def display(path: Path, user: User) -> str:
    """Return a real path for display: relative to the home if it lies inside, else absolute."""
    shown, home = str(path), _real_root(user.home)
    if shown == home:
        return "~/"
    if _lies_in(shown, home):
        shown = shown[len(home) :].lstrip("/")
    return printable(shown)


def shown_document(location: Location, user: User) -> str:
    """Return the name of a location's document in replies: the displayed file, or the URI."""
    path = file_of(location.uri)
    return location.uri if path is None else display(path, user)


def shown_location(location: Location, user: User) -> str:
    """Return the name of a location in replies: its document, with the block."""
    return f"{shown_document(location, user)}{location.block or ''}"


def current_file(session: Session) -> Path | None:
    """Return the session's current document if it is a file."""
    document = session.state.document
    return None if document is None else file_of(document.uri)


@lru_cache(maxsize=1024)
def file_of(uri: str) -> Path | None:
    """Return the path of a `file:` URI; None for other URIs."""
    return _from_uri(uri) if uri.startswith(_FILE_URI) else None


def working_directory(session: Session) -> Path:
    """Return the base of relative paths: the directory last opened, else the document's, else the home."""
    if session.state.directory:
        return Path(session.state.directory)
    current = current_file(session)
    return session.user.home if current is None else current.parent


class _Splitter:
    """Splits a typed path into name and block or lines, preferring names that exist and are accessible."""

    def __init__(self, session: Session, *, full_access: bool) -> None:
        self._session = session
        self._full_access = full_access

    def split(self, typed: str) -> tuple[str, str | None, tuple[int, int] | None]:
        """Return name, block and lines; everything after the `#` is the block's name."""
        name, mark, block = self._cut(typed)
        if mark:
            return name, block, None
        lines = _LINE_RANGE.search(name)
        if lines is None or self.exists(name):
            return name, None, None
        first = int(lines[1])
        return name[: lines.start()], None, (first, int(lines[2] or first))

    def _cut(self, typed: str) -> tuple[str, str, str]:
        """Split at the first `#` that is not part of an existing name."""
        first = typed.find("#")
        if first < 0:
            return typed, "", ""
        ends = [end.start() for end in islice(_END_OF_NAME.finditer(typed, first + 1), _MOST_ENDS)]
        known = next((end for end in reversed(ends) if self.exists(typed[:end])), first)
        name, mark, block = typed[known:].partition("#")
        return typed[:known] + name, mark, block

    def exists(self, name: str) -> bool:
        """Whether something of this name exists and is accessible."""
        path = _real(_absolute(name, self._session))
        allowed = self._full_access or _is_allowed(path, self._session.user)
        return allowed and not is_protected(path) and is_there(Path(path))


def _absolute(name: str, session: Session) -> Path:
    if name.startswith(_FILE_URI):
        return _from_uri(name)
    if name == "~" or name.startswith("~/"):
        return session.user.home / name[1:].lstrip("/")
    return working_directory(session) / name if name else _current(session)


def _current(session: Session) -> Path:
    current = current_file(session)
    if current is None:
        raise Refusal(
            ErrorCode.INVALID_TARGET, "No file is open in this topic.", "Open one, or name it: path#block"
        )
    return current


def _from_uri(uri: str) -> Path:
    return Path("/", os.fsdecode(unquote_to_bytes(uri.removeprefix(_FILE_URI))))


def _real(path: Path) -> str:
    if "\0" in str(path) or not _is_storable(path):
        raise Refusal(ErrorCode.INVALID_TARGET, "A path can't contain a NUL character or a lone surrogate.")
    return _with_one_slash(str(real_path(path)))


def _resolved(path: Path) -> tuple[str, bool]:
    """Return the real path, and whether it is free of links."""
    try:
        return _with_one_slash(_final_path(path)), True
    except (OSError, RecursionError, ValueError):
        # Nothing exists there, or links form a loop; beyond a loop `realpath` removes `..` textually, which
        # may leave a link that leads outside.
        real = _real(path)
        return real, _real(Path(real)) == real


def _final_path(path: Path) -> str:
    """Return the real path of something that exists, from the system itself where it can tell."""
    known = _known_by_system(path) if _SYSTEM_KNOWS else None
    return os.path.realpath(path, strict=True) if known is None else known


def _known_by_system(path: Path) -> str | None:
    """Return the current name of an opened path; None if the file was renamed over or removed meanwhile."""
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        name = os.readlink(f"{_OPEN_FILES}/{descriptor}")  # noqa: PTH115
        # Linux appends this to the name of a file that was replaced or removed meanwhile.
        is_lost = name.endswith(_DELETED) and not _is_same_file(name, descriptor)
        return None if is_lost else name
    finally:
        os.close(descriptor)


def _is_same_file(name: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(name), os.fstat(descriptor))  # noqa: PTH116
    except OSError:
        return False


def _with_one_slash(path: str) -> str:
    # POSIX allows a special meaning for two leading slashes; no supported system has one.
    return f"/{path.lstrip('/')}"


def _is_allowed(real: str, user: User) -> bool:
    return any(_lies_in(real, _real_root(root)) for root in (user.home, *user.allowed_paths))


def _lies_in(real: str, root: str) -> bool:
    return real == root or real.startswith(f"{root.rstrip('/')}/")


def _real_root(root: Path) -> str:
    """Return the real path of a home or allowed path, cached as long as the directory is the same."""
    try:
        status = root.stat()
    except OSError:
        return _real(root)
    return _known_root(root, status.st_dev, status.st_ino)


@lru_cache(maxsize=1024)
def _known_root(root: Path, _device: int, _inode: int) -> str:
    return _real(root)


def _longest_name(real: str) -> int:
    # No component is longer than the whole path.
    size = len(os.fsencode(real))
    return size if size <= LONGEST_NAME else max(map(len, os.fsencode(real).split(b"/")))


def _is_storable(path: Path) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def _require_directory(path: Path, shown: str) -> None:
    if is_directory(path, shown):
        return
    if is_there(path):
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a directory: {shown}")
    raise Refusal(ErrorCode.NOT_FOUND, f"File not found: {shown}")
