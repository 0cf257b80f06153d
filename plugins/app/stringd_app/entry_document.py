"""The entry document of an app: `string.md`, `index.md`, or its only document."""

from __future__ import annotations

import re
from pathlib import Path

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.actions import TEMPLATE_SUFFIXES
from stringd.plugin.documents import ParsedDocument, parsing_effort, read_sheet, read_text

ENTRIES = ("string.md", "index.md")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
# How deep in its app a page is expected at most.
_DEEPEST = 4
# The entry document is parsed wherever an app is named, so its parsing cost is limited.
MOST_EFFORT = 500_000


def is_name(name: str) -> bool:
    """Return whether `app:name` is a valid topic."""
    return _NAME.fullmatch(name) is not None


def check_name(name: object) -> None:
    """Raise `ValueError` for an invalid app name."""
    if not isinstance(name, str) or not is_name(name):
        raise ValueError(f"an app needs a name of letters, digits, _ and -, not {name!r}")


def named_entry(directory: Path, called: str | None = None) -> Path:
    """Return the entry document of a directory by its name, or refuse; `called` is the name to show."""
    for name in ENTRIES:
        if (directory / name).is_file():
            return directory / name
    raise Refusal(
        ErrorCode.INVALID_TARGET, f"Neither {' nor '.join(ENTRIES)} in {called or directory.name + '/'}"
    )


def entry_in(directory: Path, called: str | None = None) -> Path:
    """Return the entry document of an app, or refuse."""
    documents = list(directory.glob("*.md"))
    return documents[0] if len(documents) == 1 else named_entry(directory, called)


def app_around(page: Path) -> Path:
    """Return the directory of the app that a page belongs to: one with an entry document, or its own."""
    around = list(page.parents)[:_DEEPEST]
    return next((it for it in around if any((it / name).is_file() for name in ENTRIES)), page.parent)


def app_texts(directory: Path) -> list[Path]:
    """Return the documents and templates of an app."""
    documents = sorted(it for it in directory.rglob("*.md") if it.is_file())
    return [*documents, *sorted(it for it in directory.rglob("templates/*") if _is_template(it))]


def _is_template(path: Path) -> bool:
    return path.name.endswith(TEMPLATE_SUFFIXES) and path.is_file()


def read_entry(entry: Path) -> ParsedDocument:
    """Read the entry document of an app, or refuse."""
    text = read_text(entry, entry.name)
    if parsing_effort(text) > MOST_EFFORT:
        raise Refusal(ErrorCode.LOAD_ERROR, f"The app's document is too complex: {entry.name}")
    return read_sheet(text)
