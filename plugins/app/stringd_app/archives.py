"""Read apps from zip and tar archives of regular files and directories."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.files import open_file
from stringd_app.app_files import Member

_FILE_MODE = 0o644
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
)


_PACKED: Mapping[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_LARGEST_READ = 1024 * 1024


def is_archive(path: Path) -> bool:
    """Return whether a file is an archive, by its content."""
    if _is_zip(path):
        return True
    try:
        with _unpacked(path) as file, tarfile.open(fileobj=file, mode="r:"):
            return True
    except _BROKEN:
        return False


@contextmanager
def archive_members(path: Path) -> Iterator[Iterator[Member]]:
    """Open an archive and yield its members, or refuse it."""
    try:
        if _is_zip(path):
            with open_file(path) as opened, zipfile.ZipFile(opened) as zipped:
                yield _zip_members(zipped)
        else:
            with _unpacked(path) as file, tarfile.open(fileobj=file, mode="r:") as tarred:
                yield _tar_members(tarred)
    except _BROKEN as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"The archive is broken: {error}") from error


class _BoundedReader(io.BufferedReader):
    """A file that limits the size of each read, because an archive's header can claim any size."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _LARGEST_READ:
            raise tarfile.ReadError("one of its headers is too large")
        return super().read(size)


def _is_zip(path: Path) -> bool:
    with open_file(path) as file:
        return zipfile.is_zipfile(file)


@contextmanager
def _unpacked(path: Path) -> Iterator[io.BufferedReader]:
    with open_file(path) as file:
        start = file.read(max(map(len, _PACKED)))
        file.seek(0)
        opener = next((it for mark, it in _PACKED.items() if start.startswith(mark)), None)
        with _BoundedReader(opener(file) if opener else file) as read:
            yield read


def _zip_members(archive: zipfile.ZipFile) -> Iterator[Member]:
    for info in archive.infolist():
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
            raise _unsupported(info.filename)
        source = None if info.is_dir() else partial(archive.open, info)
        yield Member(name=info.filename, mode=mode or _FILE_MODE, open=source)


def _tar_members(archive: tarfile.TarFile) -> Iterator[Member]:
    for info in archive:
        if info.name in {".", "./"}:
            continue
        if not (info.isreg() or info.isdir()):
            raise _unsupported(info.name)
        source = None if info.isdir() else partial(_extracted, archive, info)
        yield Member(name=info.name, mode=info.mode, open=source)


def _extracted(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = archive.extractfile(info)
    assert file is not None
    return file


def _unsupported(name: str) -> Refusal:
    return Refusal(
        ErrorCode.INVALID_TARGET, f"An archive of an app may hold files and directories only: {name!r}"
    )
