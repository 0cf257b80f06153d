"""What an app is installed from, a file, a directory, an archive or a URL, brought into a staging area."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from stringd.documents.paths import resolve
from stringd.documents.uris import is_uri
from stringd.plugin import Invocation, Refusal
from stringd_app.archives import archive_members, is_archive
from stringd_app.entries import ENTRIES, entry_in
from stringd_app.fetching import fetch
from stringd_app.members import members_of_directory, members_of_file, without_wrapper, write_members
from stringd_app.registry import packages_of

_SCHEMES = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """An app's files, ready to be put in place, and what it is called where its document does not say."""

    directory: Path
    fallback: str


async def stage(source: str, directory: Path, invocation: Invocation) -> Staged:
    """Bring what is to be installed into a directory, or refuse."""
    if is_uri(source):
        if source.partition(":")[0].lower() not in _SCHEMES:
            raise Refusal("INVALID_TARGET", f"Apps come from paths and from http(s) URLs, not from {source}")
        fetched = directory / "fetched"
        fetched.mkdir()
        found = await fetch(source, fetched, invocation.daemon.http)
    else:
        found = _local(source, invocation)
    return await asyncio.to_thread(_stage, found, directory / "app")


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


def _stage(found: Path, app: Path) -> Staged:
    app.mkdir()
    if found.is_dir():
        write_members(members_of_directory(found), app)
    elif is_archive(found):
        with archive_members(found) as members:
            write_members(members, app)
        app = without_wrapper(app)
    else:
        write_members(members_of_file(found), app)
    is_page = found.is_file() and found.name not in ENTRIES
    fallback = found.name.partition(".")[0] if is_page else found.name
    entry_in(app)
    return Staged(directory=app, fallback=fallback)
