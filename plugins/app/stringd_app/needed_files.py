"""The files that a document of an app names: pages, menus, includes, programs and templates."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from enum import Enum, auto
from urllib.parse import unquote

from msgspec import Struct

from stringd.plugin.actions import TEMPLATES, analyse_command, declared_variables
from stringd.plugin.documents import CLI, ParsedDocument, is_uri
from stringd.plugin.files import OWN_PREFIX

_ELSEWHERE = ("/", "~", "@", "{", "$")
_AFTER_PATH = re.compile(r"[?#]")
_WEB_PAGES = frozenset({".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp"})
_LONGEST = 200
REQUIREMENTS = "requirements.md"


class Use(Enum):
    """How a document uses a file."""

    LINKED = auto()
    PROGRAM = auto()
    OPTIONAL = auto()


class NeededFile(Struct, frozen=True, kw_only=True):
    """A file by its path in the app, without `./`, and its use."""

    path: str
    use: Use


def needed_files(page: str, document: ParsedDocument) -> Iterator[NeededFile]:
    """Yield the files within the app's directory that a page needs, given its path in the app."""
    for target in _targets(page, document):
        path = _path_from(posixpath.dirname(page), target)
        if path and _suffix(path) not in {"", *_WEB_PAGES}:
            yield NeededFile(path=path, use=Use.LINKED)
    for action in document.actions.actions.values():
        files = analyse_command(action.target, action.parameters).files if action.method == CLI else ()
        for path in filter(None, (_path_from("", it) for it in files)):
            yield NeededFile(path=path, use=Use.PROGRAM)
        if not any(name == action.id for name, _ in document.actions.templates):
            yield NeededFile(path=f"{TEMPLATES}/{action.id}.md.j2", use=Use.OPTIONAL)
    if declared_variables(document.parsed.frontmatter):
        path = posixpath.join(posixpath.dirname(page), REQUIREMENTS)
        yield NeededFile(path=path, use=Use.OPTIONAL)


def _targets(page: str, document: ParsedDocument) -> Iterator[str]:
    yield from (_AFTER_PATH.split(it.target)[0] for it in document.parsed.links)
    stem = posixpath.splitext(posixpath.basename(page))[0]
    for it in document.parsed.directives:
        is_default = it.kind == "include" and not it.target
        yield f"{stem}.source/{it.name}.md" if is_default else _AFTER_PATH.split(it.target)[0]


def _path_from(directory: str, target: str) -> str | None:
    """Return the path in the app to which a relative target leads, or None if it leads elsewhere."""
    name = unquote(target)
    if not name or is_uri(name) or name.startswith(_ELSEWHERE) or not _is_storable(name):
        return None
    path = posixpath.normpath(posixpath.join(directory, name))
    is_inside = path != "." and path.partition("/")[0] != ".."
    return path if is_inside and not any(it.startswith(OWN_PREFIX) for it in path.split("/")) else None


def _is_storable(name: str) -> bool:
    return name.isprintable() and "\\" not in name and len(name.encode()) <= _LONGEST


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1].lower()
