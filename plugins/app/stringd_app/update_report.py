"""What `/install --update` reports: the changed files with their lines, and those that were kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stringd.plugin.files import real_path
from stringd.plugin.text import compare_lines, counted, fenced, printable
from stringd_app.installed_files import Change, FileChanges

_MOST_FILES = 20
_MOST_SHOWN = 12_000
_LARGEST = 1024 * 1024


def change_lines(found: FileChanges, installed: Path, fetched: Path) -> list[str]:
    """Return the lines that tell what an update changes; only the first changed lines are shown."""
    return [*_changed(found, installed, fetched), *_kept(found)]


def _changed(found: FileChanges, installed: Path, fetched: Path) -> Iterator[str]:
    yield f"changed: {counted(len(found.changes), 'file')}"
    room, shown = _MOST_SHOWN, []
    for path, change in [*found.changes.items()][:_MOST_FILES]:
        summary, rows = _difference(change, installed / path, fetched / path, room)
        yield f"- {printable(path)}: {summary}"
        if rows and room > 0:
            shown.append(f"{printable(path)}\n{rows}")
            room -= len(rows)
    if (more := len(found.changes) - _MOST_FILES) > 0:
        yield f"- … and {more} more"
    if shown:
        yield fenced("\n\n".join(shown), "diff")


def _difference(change: Change, before: Path, after: Path, room: int) -> tuple[str, str]:
    """Return what happened to a file in a few words, and its changed lines."""
    if change is not Change.CHANGED:
        return change.value, ""
    old, new = _text(before), _text(after)
    if old is None or new is None:
        return change.value, ""
    difference = compare_lines(old, new, max(room, 1))
    return difference.summary.lower(), "\n".join(map(printable, difference.rows.split("\n")))


def _text(path: Path) -> str | None:
    """Return a text file's content; None for other files, and for those that would take long to compare."""
    real = real_path(path)
    if real.stat().st_size > _LARGEST:
        return None
    try:
        return real.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def _kept(found: FileChanges) -> Iterator[str]:
    if not found.kept:
        return
    yield f"kept, since you have changed or added them: {counted(len(found.kept), 'file')}"
    for it in found.kept[:_MOST_FILES]:
        told = " (the source has another version by now; --replace takes it)" if it.differs else ""
        yield f"- {printable(it.path)}{told}"
    if (more := len(found.kept) - _MOST_FILES) > 0:
        yield f"- … and {more} more"
