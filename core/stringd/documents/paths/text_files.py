"""Read and write text files; writes are atomic."""

from __future__ import annotations

import os
import stat
from codecs import utf_8_decode
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from stringd.documents.paths.file_failures import (
    LIMIT,
    changed_meanwhile,
    read_failures,
    require_lease,
    too_large,
    too_large_text,
    write_failures,
)
from stringd.documents.paths.latest_texts import keep_text, known_text
from stringd.documents.paths.text_charsets import (
    UTF_8,
    charset_of_lines,
    decoded,
    encoded,
    known_charset,
    remember_charset,
    remember_utf_8,
)
from stringd.errors import ErrorCode, Refusal
from stringd.files.atomic import replacement, stamp
from stringd.files.open_directory import Directory, is_there, made_folder, open_folder
from stringd.files.protected import refuse_file
from stringd.files.regular_files import Content, open_file, read_regular, require_regular
from stringd.text.media_type_detection import binary_document_type, is_pdf

_PIECE = 4 * 1024 * 1024
_NEW_FILE_MODE = 0o644


class NoText(Refusal):
    """The refusal of a file that is no text; `size` is in bytes, and `kind` the type of a document."""

    def __init__(self, message: str, content: Content) -> None:
        super().__init__(ErrorCode.INVALID_TARGET, message)
        self.size = content.size
        self.kind = binary_document_type(content.data)


def read_text(path: Path, shown: str) -> str:
    """Return the text of the file at a real path, with its byte order mark and line ends, or refuse."""
    return _text_of(path, _read(path, shown), shown)


def read_if_there(path: Path, shown: str) -> str | None:
    """Return a file's text; None if there is no file."""
    try:
        return read_text(path, shown)
    except Refusal as refusal:
        if refusal.code == ErrorCode.NOT_FOUND:
            return None
        raise


def read_bytes(path: Path, shown: str, limit: int = LIMIT) -> bytes:
    """Return the content of the file at a real path, or refuse."""
    content = _read(path, shown, limit)
    if content.size > limit:
        raise too_large(shown, limit)
    return content.data


def write_text(
    path: Path, text: str, shown: str, *, replacing: str | None, charset: str | None = None
) -> int:
    """Replace the file at a real path as `replaced_text` does, and return its size in bytes."""
    with replaced_text(path, text, shown, replacing=replacing, charset=charset) as size:
        return size


@contextmanager
def replaced_text(
    path: Path,
    text: str,
    shown: str,
    *,
    replacing: str | None,
    charset: str | None = None,
    writing: Callable[[bytes], object] = lambda _: None,
) -> Iterator[int]:
    """Write a text to disk, yield its size in bytes, and replace the file at a real path with it at the end.

    `writing` is called with the text in UTF-8 before it is written and synced, which leaves time for other
    work.

    Create missing directories. An existing file keeps its permissions, its owner and its charset, unless
    another one is given. Refuse a file that is not text, or whose content is no longer `replacing` (None:
    there was no file).
    """
    data = in_utf_8 = _utf_8_data(text)
    with write_failures(shown), _folder_for(path, replacing) as folder:
        replaced = _writable(folder, path.name, shown)
        if _text_in(folder, path, shown) != replacing:
            raise changed_meanwhile(shown)
        charset = charset or known_charset(str(path))
        if charset != UTF_8:
            data = encoded(text, charset, shown)
        if len(data) > LIMIT:
            raise too_large(shown)
        with _replacement(folder, path.name, shown, replaced, is_synced=True) as file:
            writing(in_utf_8)
            file.write(data)
            _sync(file)
            yield len(data)
    remember_charset(str(path), charset)
    keep_text(str(path), data, text)


@contextmanager
def replaced_span(path: Path, shown: str, span: tuple[int, int], new: bytes) -> Iterator[str]:
    """Write a copy of a file with a span replaced, yield its SHA-256, and replace the file at the end."""
    with write_failures(shown), open_folder(path.parent) as folder:
        replaced = _writable(folder, path.name, shown)
        new_file = _replacement(folder, path.name, shown, replaced, is_synced=True)
        with open_file(path) as old, new_file as file:
            digest = sha256()
            for piece in _spliced(old, span, new):
                file.write(piece)
                digest.update(piece)
            _sync(file)
            yield digest.hexdigest()


def write_span(path: Path, shown: str, span: tuple[int, int], new: bytes) -> None:
    """Replace a file by a copy with other bytes in a span."""
    with replaced_span(path, shown, span, new):
        pass


def _spliced(source: FileIO, span: tuple[int, int], new: bytes) -> Iterator[bytes]:
    """Yield the bytes of a file piece by piece, with others in a span."""
    left = span[0]
    while left and (piece := source.read(min(_PIECE, left))):
        left -= len(piece)
        yield piece
    yield new
    source.seek(span[1])
    while piece := source.read(_PIECE):
        yield piece


def write_bytes(path: Path, data: bytes, shown: str) -> int:
    """Replace the file at a real path, whatever its content, and return the new size in bytes."""
    with (
        write_failures(shown),
        made_folder(path.parent) as folder,
        _replacement(folder, path.name, shown, _writable(folder, path.name, shown)) as file,
    ):
        file.write(data)
    return len(data)


def check_writable(path: Path, shown: str) -> None:
    """Refuse a real path that `write_bytes` would refuse, without writing anything."""
    parent = next(it for it in path.parents if is_there(it))
    with write_failures(shown), open_folder(parent) as folder:
        if parent == path.parent:
            _writable(folder, path.name, shown)
        if not os.access(".", os.W_OK, dir_fd=folder.descriptor):
            raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot write {shown}: its directory is read-only")


@contextmanager
def new_file(path: Path, shown: str) -> Iterator[BinaryIO]:
    """Yield a file that appears at a real path at the end of the block; refuse if there is one."""

    def require_absent() -> None:
        require_lease(shown)
        status = folder.status(path.name)
        if status:
            problem = "Is a directory" if stat.S_ISDIR(status.st_mode) else "Exists already"
            raise Refusal(ErrorCode.CONFLICT, f"{problem}: {shown}", "Name a new file.")

    with write_failures(shown), made_folder(path.parent) as folder:
        require_absent()
        with replacement(folder, path.name, mode=_NEW_FILE_MODE, check=require_absent) as file:
            yield file


def remove_text(path: Path, shown: str) -> None:
    """Remove the file at a real path, or refuse."""
    require_lease(shown)
    try:
        with open_folder(path.parent) as folder:
            folder.remove(path.name)
    except OSError as error:
        raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot remove {shown}: {error.strerror}") from error


def _folder_for(path: Path, replacing: str | None) -> Directory:
    return made_folder(path.parent) if replacing is None else open_folder(path.parent)


def _replacement(
    folder: Directory, name: str, shown: str, replaced: os.stat_result | None, *, is_synced: bool = False
) -> AbstractContextManager[BinaryIO]:
    def require_untouched() -> None:
        require_lease(shown)
        now = folder.status(name)
        if (now and stamp(now)) != (replaced and stamp(replaced)):
            raise changed_meanwhile(shown)

    return replacement(
        folder, name, mode=_NEW_FILE_MODE, like=replaced, check=require_untouched, is_synced=is_synced
    )


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _writable(folder: Directory, name: str, shown: str) -> os.stat_result | None:
    status = folder.status(name)
    if status:
        require_regular(status)
        refuse_file(status, shown)
        if not os.access(name, os.W_OK, dir_fd=folder.descriptor):
            raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot write {shown}: it is read-only")
    return status


def _text_in(folder: Directory, path: Path, shown: str) -> str | None:
    try:
        return _text_of(path, read_regular(folder, path.name, LIMIT), shown)
    except FileNotFoundError:
        remember_charset(str(path), UTF_8)
        return None


def _read(path: Path, shown: str, limit: int = LIMIT) -> Content:
    with read_failures(shown), open_folder(path.parent) as folder:
        return read_regular(folder, path.name or ".", limit)


def _text_of(path: Path, content: Content, shown: str) -> str:
    """Return the text of a file's data: the same object again if the same data was last read or written.

    Caches find the same object at once, while another one is hashed first, and compared then.
    """
    text = known_text(str(path), content.data)
    if text is None:
        text = _decoded(path, content, shown)
        keep_text(str(path), content.data, text)
    return text


def _decoded(path: Path, content: Content, shown: str) -> str:
    """Decode a file's data; a file above the limit was read in part, and is refused."""
    is_whole = len(content.data) <= LIMIT
    if is_pdf(content.data):
        raise NoText(f"Not a text file, but a PDF document: {shown}", content)
    try:
        text, _ = utf_8_decode(content.data, "strict", is_whole)
    except UnicodeDecodeError:
        if not is_whole and charset_of_lines(content.data, str(path)):
            raise too_large_text(shown) from None
        return _in_other_charset(path, content, f"Not a UTF-8 text file: {shown}")
    if "\0" in text:
        return _in_other_charset(path, content, f"Not a text file, it contains NUL bytes: {shown}")
    if not is_whole:
        raise too_large_text(shown)
    remember_utf_8(str(path), content.data)
    return text


def _in_other_charset(path: Path, content: Content, problem: str) -> str:
    text = decoded(content.data, str(path)) if len(content.data) <= LIMIT else None
    if text is None:
        raise NoText(problem, content)
    return text


def _utf_8_data(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "A text can't contain a lone surrogate.") from None
    if b"\0" in data:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "A text file can't contain a NUL character.")
    return data
