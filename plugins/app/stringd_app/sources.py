"""What an app is installed from, a file, a directory, an archive or a URL, brought into a staging area."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from stringd.documents.paths import resolve
from stringd.documents.uris import is_uri
from stringd.plugin import HttpClient, Invocation, Refusal
from stringd_app.archives import archive_members, is_archive
from stringd_app.entries import ENTRIES, entry_in
from stringd_app.fetching import Fetched, fetch
from stringd_app.members import members_of_directory, members_of_file, without_wrapper, write_members
from stringd_app.registry import packages_of

_PAGE = ".md"
_SCHEMES = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """An app's files, ready to be put in place, and what it is called where its document does not say."""

    directory: Path
    fallback: str


async def fetched_from(source: str, client: HttpClient) -> Fetched | None:
    """Return what a URL brings, or refuse; None when the source is a path."""
    if not is_uri(source):
        return None
    if source.partition(":")[0].lower() not in _SCHEMES:
        raise Refusal("INVALID_TARGET", f"Apps come from paths and from http(s) URLs, not from {source}")
    return await fetch(source, client)


async def stage(source: str, fetched: Fetched | None, directory: Path, invocation: Invocation) -> Staged:
    """Bring what is to be installed into a directory, or refuse."""
    found = _written(fetched, directory / "fetched") if fetched else _local(source, invocation)
    app = await asyncio.to_thread(_stage, found, directory / "app", source)
    return Staged(directory=app, fallback=_fallback(found, fetched))


def _written(fetched: Fetched, directory: Path) -> Path:
    directory.mkdir()
    file = directory / fetched.name
    file.write_bytes(fetched.data)
    return file


def _fallback(found: Path, fetched: Fetched | None) -> str:
    """Return what an app goes by without a name of its own: its file, or its directory."""
    if fetched and fetched.name in ENTRIES:
        return fetched.directory
    return found.name.partition(".")[0] if found.is_file() else found.name


def _local(source: str, invocation: Invocation) -> Path:
    session = invocation.session
    found = resolve(source, session, full_access=invocation.daemon.config.full_access).path
    if not found.exists():
        raise Refusal("NOT_FOUND", f"File not found: {source}")
    if found.is_file() and found.name in ENTRIES:
        found = found.parent
    if packages_of(session.user).resolve().is_relative_to(found):
        raise Refusal("INVALID_TARGET", f"The installed apps lie in this directory themselves: {source}")
    return found


def _stage(found: Path, app: Path, source: str) -> Path:
    app.mkdir()
    if found.is_dir():
        write_members(members_of_directory(found), app)
    elif is_archive(found):
        with archive_members(found) as members:
            write_members(members, app)
        app = without_wrapper(app)
    elif found.suffix == _PAGE:
        write_members(members_of_file(found), app)
    else:
        hint = f"A document's name ends in {_PAGE}; archives are zip or tar."
        raise Refusal("INVALID_TARGET", f"Neither a document nor an archive: {source}", hint)
    entry_in(app, source)
    return app
