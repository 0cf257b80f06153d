"""The pages of a package, such as an app: which of them declare an action, and their texts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from stringd.api.documents import Package
from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.paths.text_files import read_text
from stringd.errors import Refusal
from stringd.files.real_path import real_path
from stringd.text.lru_cache import LruCache

MOST_PAGES = 2000
_PAGE = ".md"
_HIDDEN = "."
# A line that may begin or end a fence; only the parser knows whether it does.
_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*?)[ \t\r]*$", re.MULTILINE)
_ACTION = re.compile(r"act\.(?P<id>[a-z][a-z0-9_-]*)")


class _Named(Struct, frozen=True):
    """The actions that a page seems to declare, as of a modification of its file."""

    stamp: tuple[int, int]
    names: tuple[str, ...]


_named: LruCache[str, _Named] = LruCache()


def package_pages(package: Package) -> Iterator[Path]:
    """Yield the real paths of the pages in a package, by name, up to a number; it blocks."""
    count = 0
    for folder, folders, files in os.walk(package.directory):
        folders[:] = sorted(it for it in folders if not it.startswith(_HIDDEN))
        for name in sorted(files):
            if name.endswith(_PAGE) and not name.startswith(_HIDDEN):
                count += 1
                if count > MOST_PAGES:
                    return
                path = real_path(Path(folder, name))
                if path.is_relative_to(package.directory):
                    yield path


def pages_by_action(package: Package) -> Mapping[str, list[Path]]:
    """Return the pages of a package that seem to declare each action; it blocks."""
    found: dict[str, list[Path]] = {}
    for path in package_pages(package):
        for name in _names(path):
            found.setdefault(name, []).append(path)
    return found


def declares(path: Path, action: str) -> bool:
    """Return whether a page declares an action; it blocks."""
    try:
        return action in read_sheet(read_text(path, path.name)).actions.actions
    except Refusal:
        return False


def _names(path: Path) -> tuple[str, ...]:
    try:
        status = path.stat()
        stamp = status.st_mtime_ns, status.st_size
        known = _named.get(str(path))
        if known is not None and known.stamp == stamp:
            return known.names
        names = tuple(dict.fromkeys(_seeming_actions(read_text(path, path.name))))
    except (OSError, Refusal):
        return ()
    _named.put(str(path), _Named(stamp, names), sum(map(len, names)))
    return names


def _seeming_actions(text: str) -> Iterator[str]:
    """Yield the names of the actions whose fences are not within other fences; parsing takes much longer."""
    inside = ""
    for fence in _FENCE.finditer(text):
        mark, info = fence["mark"], fence["info"]
        if inside:
            inside = "" if not info and mark.startswith(inside) else inside
            continue
        inside = mark
        if found := _ACTION.fullmatch(info):
            yield found["id"]
