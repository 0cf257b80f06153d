"""Stage the source of an app: a file, a directory, an archive, a download, or files that a plugin made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.documents import is_directory
from stringd.plugin.files import Directory, NotRegular, write_atomically
from stringd.plugin.workers import READING
from stringd_app.app_files import Member, members_of_directory, members_of_file, write_members
from stringd_app.app_sources import SourceApp
from stringd_app.archives import archive_members, is_archive
from stringd_app.download import Download
from stringd_app.entry_document import ENTRIES, entry_in
from stringd_app.obtained_source import Obtained
from stringd_app.site_download import SiteFile
from stringd_app.staging import Staging

_PAGE = ".md"
_APP, _UNWRAPPED = "app", "unwrapped"
_PRIVATE = 0o600


class Staged(Struct, frozen=True, kw_only=True):
    """A staged app: its directory, its name if its document has none, and where it came from.

    `origin` is a canonical form of the source, independent of how it was typed.
    """

    name: str
    directory: Path
    fallback: str
    origin: str
    missing: tuple[str, ...] = ()


async def stage(obtained: Obtained, staging: Staging) -> Staged:
    """Copy the source into the staging area, or refuse."""
    if obtained.made:
        return await READING.run(_stage_made, obtained, obtained.made, staging.folder)
    fetched = obtained.download
    if fetched and fetched.site.files:
        return await READING.run(_stage_site, obtained, fetched, staging.folder)
    found = _written(fetched, staging.folder) if fetched else obtained.path
    assert found is not None
    name = await READING.run(_stage, found, staging.folder, obtained.source)
    return Staged(
        name=name,
        directory=staging.folder.path / name,
        fallback=_fallback(found, fetched),
        origin=obtained.place,
        missing=fetched.site.missing if fetched else (),
    )


def _stage_made(obtained: Obtained, made: SourceApp, staged: Directory) -> Staged:
    """Write an app that a plugin has made into the staging area."""
    members = (Member(name=it.path, mode=it.mode, open=partial(BytesIO, it.data)) for it in made.files)
    return _written_app(members, staged, obtained, made.name)


def _stage_site(obtained: Obtained, fetched: Download, staged: Directory) -> Staged:
    """Write a document of a web site and the files that it needs into the staging area."""
    members = _members_of_site(fetched)
    app = _written_app(members, staged, obtained, _fallback(Path(fetched.name), fetched))
    return replace(app, missing=fetched.site.missing)


def _written_app(members: Iterable[Member], staged: Directory, obtained: Obtained, fallback: str) -> Staged:
    with staged.made(_APP) as app:
        write_members(members, app)
    directory = staged.path / _APP
    entry_in(directory, obtained.source)
    return Staged(name=_APP, directory=directory, fallback=fallback, origin=obtained.place)


def _written(fetched: Download, staged: Directory) -> Path:
    with staged.made("fetched") as folder:
        write_atomically(folder, fetched.name, fetched.data, mode=_PRIVATE)
        return folder.path / fetched.name


def _fallback(found: Path, fetched: Download | None) -> str:
    """Return the name of an app whose document has none: that of its file or directory."""
    if fetched and fetched.name in ENTRIES:
        return fetched.directory
    return found.name if not fetched and found.is_dir() else found.name.partition(".")[0]


def _stage(found: Path, staged: Directory, source: str) -> str:
    """Write the app into the staging area, and return the name of its directory there."""
    try:
        with staged.made(_APP) as app:
            wrapper = _write(found, app, source)
            if wrapper:
                app.rename(wrapper, staged, _UNWRAPPED)
    except NotRegular:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Neither a file nor a directory: {source}") from None
    name = _UNWRAPPED if wrapper else _APP
    entry_in(staged.path / name, source)
    return name


def _write(found: Path, app: Directory, source: str) -> str | None:
    """Write the source; return the single top-level directory of an archive, if there is one."""
    if is_directory(found, source):
        write_members(members_of_directory(found), app)
    elif is_archive(found):
        with archive_members(found) as members:
            write_members(members, app)
        return _wrapper(app)
    elif found.suffix == _PAGE:
        write_members(members_of_file(found), app)
    else:
        hint = f"A document's name ends in {_PAGE}; archives are zip or tar."
        raise Refusal(ErrorCode.INVALID_TARGET, f"Neither a document nor an archive: {source}", hint)
    return None


def _wrapper(app: Directory) -> str | None:
    with app.entries() as found:
        entries = list(found)
        is_wrapped = len(entries) == 1 and entries[0].is_dir(follow_symlinks=False)
        return entries[0].name if is_wrapped else None


def _members_of_site(fetched: Download) -> Iterator[Member]:
    """Yield the files of a web site; a document of another name is also stored as the entry of its app."""
    entry = SiteFile(path=fetched.name, data=fetched.data)
    files = {it.path: it for it in (*fetched.site.files, entry)}
    documents = [it for it in files if "/" not in it and it.endswith(_PAGE)]
    if len(documents) > 1 and fetched.name not in ENTRIES:
        files.setdefault(ENTRIES[0], replace(entry, path=ENTRIES[0]))
    for it in files.values():
        yield Member(name=it.path, mode=it.mode, open=partial(BytesIO, it.data))
