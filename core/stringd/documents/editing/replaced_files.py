"""Replace several files by new texts: all of them, or none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from stringd.documents.paths.text_files import remove_text, replaced_text, write_text
from stringd.errors import Refusal
from stringd.files.open_directory import is_there, open_folder
from stringd.workers.threads import STORAGE


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


@asynccontextmanager
async def replaced_files(
    changes: Sequence[FileChange], written: Callable[[], object] = lambda: None
) -> AsyncIterator[Sequence[int]]:
    """Write the new texts to disk, yield their sizes, and replace the files at the end.

    `written` is called for each before it is synced, which leaves time for other work.

    If one of them can't be replaced, those that were are restored.
    """
    begun: list[tuple[FileChange, AbstractAsyncContextManager[int]]] = []
    sizes: list[int] = []
    try:
        for change in changes:
            if change.after is not None:
                new = STORAGE.within(_new_text(change, change.after, written))
                sizes.append(await new.__aenter__())
                begun.append((change, new))
        yield sizes
    except BaseException as error:
        await _discard(begun, error)
        raise
    replaced: list[FileChange] = []
    try:
        while begun:
            change, file = begun.pop(0)
            await file.__aexit__(None, None, None)
            replaced.append(change)
        for change in changes:
            if change.after is None:
                await STORAGE.run(change.apply)
                replaced.append(change)
    except BaseException as error:
        await _discard(begun, error)
        raise await _with_restored(error, replaced) from None


def _new_text(change: FileChange, after: str, written: Callable[[], object]) -> AbstractContextManager[int]:
    return replaced_text(
        change.path,
        after,
        change.shown,
        replacing=change.before,
        charset=change.charset,
        written=partial(asyncio.get_running_loop().call_soon_threadsafe, written),
    )


async def _discard(
    written: Iterable[tuple[FileChange, AbstractAsyncContextManager[int]]], error: BaseException
) -> None:
    for _, file in written:
        await file.__aexit__(type(error), error, error.__traceback__)


async def _with_restored(error: BaseException, replaced: Iterable[FileChange]) -> BaseException:
    """Restore files, and return the error, which names those that could not be restored."""
    left = []
    for change in replaced:
        try:
            await STORAGE.run(replace(change, before=change.after, after=change.before).apply)
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
