"""The files of an installed app: as they were installed, and how they differ from what its source has now."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import IO

from msgspec import Struct

from stringd.plugin.files import OWN_PREFIX, Directory, open_folder, read_regular, write_atomically
from stringd_app.app_files import members_of_directory, write_members

_DIGESTS = f"{OWN_PREFIX}files.json"
_MODE = 0o644
_LONGEST = 4 * 1024 * 1024
_LARGEST_FILE = 64 * 1024 * 1024
_CHUNK = 1024 * 1024
_HISTORY = ".git"


class Change(Enum):
    """How an update changes a file."""

    ADDED = "new"
    CHANGED = "changed"
    REMOVED = "removed"
    RESTORED = "restored"


class KeptFile(Struct, frozen=True, kw_only=True):
    """A file that stays as the user has it; the source `differs` if it has another version by now, too."""

    path: str
    differs: bool


class FileChanges(Struct, frozen=True, kw_only=True):
    """What an update changes, and which files stay because the user has changed or added them."""

    changes: Mapping[str, Change]
    kept: Sequence[KeptFile]


def digests_of(directory: Path) -> dict[str, str]:
    """Return the digest of each file of an app, by its path."""
    found = {}
    for member in members_of_directory(directory):
        if member.open is not None:
            with member.open() as file:
                found[member.name] = _digest(file)
    return found


def _digest(file: IO[bytes]) -> str:
    made = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        made.update(chunk)
    return made.hexdigest()


def write_digests(folder: Directory, digests: Mapping[str, str]) -> None:
    """Write the digests of an app's files into its directory, as its source had them."""
    write_atomically(folder, _DIGESTS, json.dumps(digests, indent=0).encode(), mode=_MODE)


def read_digests(directory: Path) -> Mapping[str, str] | None:
    """Return the digests of an app's files as its source had them; None if they are not known."""
    try:
        with open_folder(directory, own=True) as folder:
            read = json.loads(read_regular(folder, _DIGESTS, _LONGEST).data)
    except (OSError, ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def compare_files(installed: Path, fetched: Path, base: Mapping[str, str], *, takes_all: bool) -> FileChanges:
    """Return how the files of a source differ from the installed ones, of which `base` are the originals.

    A file that the user has changed is kept, unless the update `takes_all` of the source's files. Files that
    only the user has are always kept.
    """
    current, new = digests_of(installed), digests_of(fetched)
    changes: dict[str, Change] = {}
    kept = []
    for path in sorted({*current, *new}):
        was, now, original = current.get(path), new.get(path), base.get(path)
        if was == now:
            continue
        is_edited = was is not None and was != original
        is_own = now is None and original is None
        if is_edited and (is_own or not takes_all):
            kept.append(KeptFile(path=path, differs=now != original))
        elif was is None:
            changes[path] = Change.ADDED if original is None else Change.RESTORED
        else:
            changes[path] = Change.REMOVED if now is None else Change.CHANGED
    return FileChanges(changes=changes, kept=kept)


def rewrite_files(directory: Path, files: Mapping[str, bytes]) -> Sequence[str]:
    """Replace files of an installed app that the user has not changed; return the others, which are kept.

    The new contents count as those that the app was installed with.
    """
    digests = dict(read_digests(directory) or {})
    kept = []
    with open_folder(directory, own=True) as folder:
        for path, data in files.items():
            if folder.status(path) and digests.get(path) != _digest_at(folder, path):
                kept.append(path)
                continue
            write_atomically(folder, path, data, mode=_MODE)
            digests[path] = hashlib.sha256(data).hexdigest()
        write_digests(folder, digests)
    return kept


def _digest_at(folder: Directory, path: str) -> str:
    return hashlib.sha256(read_regular(folder, path, _LARGEST_FILE).data).hexdigest()


def keep_files(installed: Path, staged: Directory, kept: Sequence[KeptFile]) -> None:
    """Put the kept files of an installed app into the app that is about to take its place."""
    paths = {it.path for it in kept}
    members = [it for it in members_of_directory(installed) if it.name in paths]
    for member in members:
        (staged.path / member.name).unlink(missing_ok=True)
    write_members(members, staged)
    if (installed / _HISTORY).is_dir():
        shutil.copytree(installed / _HISTORY, staged.path / _HISTORY, symlinks=True)
