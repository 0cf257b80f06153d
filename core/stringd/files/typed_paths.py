"""Resolve typed paths to real ones, and check that the user may access them."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from msgspec import Struct
from msgspec.structs import replace

from stringd.api.users import User
from stringd.errors import ErrorCode, NoSuchFile, Refusal
from stringd.files.open_directory import is_there
from stringd.files.protected import is_protected, refuse_path
from stringd.files.real_path import final_path, real_path
from stringd.text.escaping import printable

LONGEST_PATH = 4000
LONGEST_NAME = 255
# Each candidate end of a name costs a system call.
_MOST_ENDS = 64
FILE_URI = "file:///"
_WITH_A_MEANING = ("~", FILE_URI)
_LINES = r":L([0-9]+)(?:-L?([0-9]+))?\Z"
_LINE_RANGE = re.compile(_LINES)
_END_OF_NAME = re.compile(rf"[/#]|{_LINES}|\Z")


class FileTarget(Struct, frozen=True, kw_only=True):
    """A resolved path, and the block or lines of the file that are addressed.

    Lines count from 1, the last one included. They are not checked against the file.
    """

    typed: str
    path: Path
    block: str | None = None
    lines: tuple[int, int] | None = None


class PathScope(NamedTuple):
    """What typed paths are relative to, and whose access to them is checked.

    Paths are relative to `directory`, else to the document's, else to the home. A block or lines without a
    path belong to the document.
    """

    user: User
    directory: str | None
    document_uri: str | None
    full_access: bool

    @property
    def document(self) -> Path | None:
        """The current document, if it is a file."""
        return file_of(self.document_uri) if self.document_uri else None

    @property
    def folder(self) -> str:
        """The name of the directory that paths are relative to."""
        beside = _folder_of(self.document_uri) if self.document_uri and not self.directory else None
        return self.directory or beside or str(self.user.home)

    @property
    def base(self) -> Path:
        """The directory that paths are relative to."""
        return Path(self.folder)


def resolve_path(typed: str, scope: PathScope, shown: str) -> FileTarget:
    """Resolve a typed path that the user may access, or refuse; refusals show it as `shown`."""
    plain = _plain_target(typed, scope.folder)
    if plain:
        path = confine(plain.path, shown, scope.user, full_access=scope.full_access)
        return plain if path is plain.path else replace(plain, path=path)
    if len(typed.encode(errors="surrogatepass")) > LONGEST_PATH:
        raise Refusal(ErrorCode.INVALID_TARGET, f"The path is longer than {LONGEST_PATH} bytes.")
    name, block, lines = _Splitter(scope).split(typed)
    if block == "":
        raise Refusal(ErrorCode.INVALID_TARGET, f"No block is named after the #: {shown}")
    path = confine(_absolute(name, scope), shown, scope.user, full_access=scope.full_access)
    if name.endswith("/"):
        _require_directory(path, shown)
    return FileTarget(typed=typed, path=path, block=block, lines=lines)


@lru_cache(maxsize=1024)
def _plain_target(typed: str, folder: str) -> FileTarget | None:
    """Return the target of a path that can't be split, nor led elsewhere by its form; it is not resolved.

    What it leads to is never remembered: a link may have been put there meanwhile.
    """
    has_marks = typed.startswith(_WITH_A_MEANING) or typed.endswith("/") or "#" in typed or ":L" in typed
    if not typed or has_marks or len(typed.encode(errors="surrogatepass")) > LONGEST_PATH:
        return None
    return FileTarget(typed=typed, path=_path(os.path.join(folder, typed)))  # noqa: PTH118


def names_something(typed: str, scope: PathScope) -> bool:
    """Whether a path, with or without a block or lines, names something that exists."""
    if len(typed) > LONGEST_PATH:
        return False
    splitter = _Splitter(scope)
    name = splitter.split(typed)[0]
    return name != "" and splitter.exists(name)


def is_line_range(typed: str) -> bool:
    """Whether a target is lines without a path, `:L5` or `:L5-L10`, unless a file has this name."""
    return _LINE_RANGE.match(typed) is not None


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
    return _path(real)


def display(path: Path, user: User) -> str:
    """Return a real path for display: relative to the home if it lies inside, else absolute."""
    shown, home = str(path), _real_root(user.home)
    if shown == home:
        return "~/"
    if lies_in(shown, home):
        shown = shown[len(home) :].lstrip("/")
    return printable(shown)


def lies_in(real: str, root: str) -> bool:
    """Whether a real path is a directory or in it."""
    return real == root or real.startswith(f"{root.rstrip('/')}/")


class _Splitter:
    """Splits a typed path into name and block or lines, preferring names that exist and are accessible."""

    def __init__(self, scope: PathScope) -> None:
        self._scope = scope

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
        path = _absolute(name, self._scope)
        _require_storable(path)
        # Most candidates name nothing, which one system call tells; what `..` leaves may be missing.
        if ".." not in path.parts and not os.path.lexists(path):
            return False
        real = _real(path)
        allowed = self._scope.full_access or _is_allowed(real, self._scope.user)
        return allowed and not is_protected(real) and is_there(Path(real))


def _absolute(name: str, scope: PathScope) -> Path:
    if name.startswith(FILE_URI):
        return _path_of(name)
    if name == "~" or name.startswith("~/"):
        return scope.user.home / name[1:].lstrip("/")
    if name:
        return _path(os.path.join(scope.folder, name))  # noqa: PTH118
    document = scope.document
    if document is None:
        hint = "Open one, or name it: path#block, path:L5"
        raise Refusal(ErrorCode.INVALID_TARGET, "No file is open in this topic.", hint)
    return document


@lru_cache(maxsize=1024)
def _path(text: str) -> Path:
    """Return a path, which is taken apart once: the same ones are typed again and again."""
    return Path(text)


@lru_cache(maxsize=1024)
def file_of(uri: str) -> Path | None:
    """Return the path of a `file:` URI; None for other URIs."""
    return _path_of(uri) if uri.startswith(FILE_URI) else None


@lru_cache(maxsize=1024)
def _folder_of(uri: str) -> str | None:
    path = file_of(uri)
    return str(path.parent) if path else None


def _path_of(uri: str) -> Path:
    return Path("/", os.fsdecode(unquote_to_bytes(uri.removeprefix(FILE_URI))))


def _real(path: Path) -> str:
    _require_storable(path)
    return _with_one_slash(str(real_path(path)))


def _resolved(path: Path) -> tuple[str, bool]:
    """Return the real path, and whether it is free of links."""
    try:
        return _with_one_slash(final_path(path)), True
    except (OSError, RecursionError, ValueError):
        # Nothing exists there, or links form a loop; beyond a loop `realpath` removes `..` textually, which
        # may leave a link that leads outside.
        real = _real(path)
        return real, _real(Path(real)) == real


def _with_one_slash(path: str) -> str:
    # POSIX allows a special meaning for two leading slashes; no supported system has one.
    return f"/{path.lstrip('/')}" if path.startswith("//") else path


def _is_allowed(real: str, user: User) -> bool:
    for root in (user.home, *user.allowed_paths):
        # No part of a real path is a link, so a root that it begins with is real, too.
        if lies_in(real, str(root)) or lies_in(real, _real_root(root)):
            return True
    return False


def _real_root(root: Path) -> str:
    """Return the real path of a home or allowed path, cached as long as the directory is the same."""
    name = str(root)
    try:
        status = os.stat(name)  # noqa: PTH116
    except OSError:
        return _real(root)
    return _known_root(name, status.st_dev, status.st_ino)


@lru_cache(maxsize=1024)
def _known_root(root: str, _device: int, _inode: int) -> str:
    return _real(Path(root))


def _longest_name(real: str) -> int:
    # No component is longer than the whole path.
    size = len(real) if real.isascii() else len(os.fsencode(real))
    return size if size <= LONGEST_NAME else max(map(len, os.fsencode(real).split(b"/")))


def _require_storable(path: Path) -> None:
    try:
        is_storable = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_storable = False
    if not is_storable:
        raise Refusal(ErrorCode.INVALID_TARGET, "A path can't contain a NUL character or a lone surrogate.")


def is_directory(path: Path, shown: str) -> bool:
    """Whether a real path is a directory; refuse if that cannot be determined."""
    try:
        # Only a choice between two operations, neither of which follows links.
        return path.is_dir()
    except OSError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Cannot read {shown}: {error.strerror}") from error


def _require_directory(path: Path, shown: str) -> None:
    if is_directory(path, shown):
        return
    if is_there(path):
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a directory: {shown}")
    raise NoSuchFile(shown)
