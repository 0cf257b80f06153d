"""Replace several files by new texts: all of them, or none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from stringd.documents.paths.text_files import remove_text, replaced_text, write_text
from stringd.errors import Refusal
from stringd.files.open_directory import is_there, open_folder


class FileChange(Struct, frozen=True, kw_only=True):
    """The texts of a file before and after a change; None where there is no file.

    `directories` is the number of directories that are to be removed with the file. Without a `charset`, the
    file keeps its own.
    """

    path: Path
    shown: str
    before: str | None
    after: str | None
    charset: str | None = None
    directories: int = 0

    def apply(self) -> None:
        """Replace or remove the file, or refuse."""
        if self.after is None:
            remove_text(self.path, self.shown)
            remove_directories(self.path, self.directories)
        else:
            write_text(self.path, self.after, self.shown, replacing=self.before, charset=self.charset)


@contextmanager
def replaced_files(
    changes: Sequence[FileChange], writing: Callable[[bytes], object] = lambda _: None
) -> Iterator[Sequence[int]]:
    """Write the new texts to disk, yield their sizes, and replace the files at the end.

    `writing` is called with each in UTF-8 before it is written and synced, which leaves time for other work.

    If one of them can't be replaced, those that were are restored.
    """
    begun: deque[tuple[FileChange, AbstractContextManager[int]]] = deque()
    sizes: list[int] = []
    try:
        for change in changes:
            if change.after is not None:
                new = _new_text(change, change.after, writing)
                sizes.append(new.__enter__())
                begun.append((change, new))
        yield sizes
    except BaseException as error:
        _discard(begun, error)
        raise
    replaced: list[FileChange] = []
    try:
        while begun:
            change, new = begun.popleft()
            new.__exit__(None, None, None)
            replaced.append(change)
        for change in changes:
            if change.after is None:
                change.apply()
                replaced.append(change)
    except BaseException as error:
        _discard(begun, error)
        raise _with_restored(error, replaced) from None


def replace_files(changes: Sequence[FileChange]) -> None:
    """Replace or remove all of the files, or none of them."""
    with replaced_files(changes):
        pass


def _new_text(
    change: FileChange, after: str, writing: Callable[[bytes], object]
) -> AbstractContextManager[int]:
    return replaced_text(
        change.path, after, change.shown, replacing=change.before, charset=change.charset, writing=writing
    )


def _discard(begun: Iterable[tuple[FileChange, AbstractContextManager[int]]], error: BaseException) -> None:
    """Remove the new texts after an error, which is raised even if one of them can't be removed."""
    for _, new in begun:
        with suppress(Exception):
            new.__exit__(type(error), error, error.__traceback__)


def _with_restored(error: BaseException, replaced: Iterable[FileChange]) -> BaseException:
    """Restore files, and return the error, which names those that could not be restored."""
    left = []
    for change in replaced:
        try:
            replace(change, before=change.after, after=change.before).apply()
        except Refusal:
            left.append(change.shown)
    if left and isinstance(error, Refusal):
        return Refusal(error.code, error.message, *error.context, f"Changed nevertheless: {', '.join(left)}")
    return error


def missing_directories(path: Path) -> int:
    """Return the number of parent directories of a real path that do not exist."""
    return next(number for number, parent in enumerate(path.parents) if is_there(parent))


def remove_directories(path: Path, count: int) -> None:
    """Remove up to `count` parent directories of a path, innermost first, stopping at one that is in use."""
    with suppress(OSError):
        for parent in path.parents[:count]:
            with open_folder(parent.parent) as folder:
                folder.remove_folder(parent.name)
