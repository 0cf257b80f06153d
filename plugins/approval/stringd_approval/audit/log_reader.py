"""Read the lines of a log, from the oldest file to the one that is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from stringd.plugin import Fault
from stringd.plugin.files import Directory, open_folder
from stringd_approval.audit.log_names import FILE, rotated_files
from stringd_approval.audit.tampering import LinePlace
from stringd_approval.audit.verification import ReadLine

_READ = os.O_RDONLY | os.O_NONBLOCK


def read_log(data_dir: Path) -> Iterator[ReadLine]:
    """Yield all lines of the log in a data directory; raise `Fault` if they can't be read.

    The last file is opened first: a daemon may put it aside meanwhile.
    """
    with opened_log(data_dir) as files:
        yield from _lines(files)


@contextmanager
def opened_log(data_dir: Path) -> Iterator[Sequence[tuple[str, BinaryIO]]]:
    """Return the names and the files of a log, the oldest first; raise `Fault` if they can't be read."""
    try:
        with ExitStack() as stack:
            folder = stack.enter_context(open_folder(Path(os.path.realpath(data_dir)), own=True))
            yield _opened(folder, stack)
    except OSError as error:
        raise Fault(f"cannot read the log in {data_dir}: {error.strerror}") from error


def read_files(paths: Sequence[Path]) -> Iterator[ReadLine]:
    """Yield the lines of these files, in this order; raise `Fault` if they can't be read."""
    for path in paths:
        try:
            with path.open("rb") as file:
                yield from _lines([(str(path), file)])
        except OSError as error:
            raise Fault(f"cannot read {path}: {error.strerror}") from error


def _opened(folder: Directory, stack: ExitStack) -> list[tuple[str, BinaryIO]]:
    current = _open(folder, FILE, stack) if folder.status(FILE) else None
    older = [(name, _open(folder, name, stack)) for name in rotated_files(folder)]
    if current is None:
        return older
    own = os.fstat(current.fileno())
    return [
        *((name, file) for name, file in older if not os.path.samestat(own, os.fstat(file.fileno()))),
        (FILE, current),
    ]


def _open(folder: Directory, name: str, stack: ExitStack) -> BinaryIO:
    return stack.enter_context(os.fdopen(folder.open(name, _READ), "rb"))


def _lines(files: Sequence[tuple[str, BinaryIO]]) -> Iterator[ReadLine]:
    for name, file in files:
        for number, data in enumerate(file, 1):
            yield ReadLine(place=LinePlace(file=name, line=number), data=data)
