"""Where an app came from, who it says it is, and whose its `$NAME`s are."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from stringd.plugin import check_optional_text
from stringd.plugin.documents import is_uri
from stringd.plugin.files import OWN_PREFIX, Directory, open_folder, read_regular, real_path, write_atomically
from stringd_app.entries import entry_in, read_entry

RECORD = f"{OWN_PREFIX}package.json"
LOCAL = "local"
_BY_HAND = "put there by hand"
_MODE = 0o644
_LONGEST_RECORD = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who an app is, by its author's word: two of one name and of different namespaces are two apps."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def key(self) -> str:
        """A text that no other identity has."""
        return f"{quote(self.namespace, safe='')}/{quote(self.name, safe='')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What is noted beside an installed app: who it is, and where it came from.

    `source` is as it was typed, `place` the same text for the same place, and `key` what nobody can guess who
    would like to be taken for it. The last two are empty where the app was put there by hand, or by an
    earlier version of stringd.
    """

    namespace: str
    name: str
    source: str
    place: str = ""
    key: str = ""

    @property
    def identity(self) -> Identity:
        """Who it is."""
        return Identity(namespace=self.namespace, name=self.name)

    def owner(self, directory: str) -> str:
        """Return whose the `$NAME`s of the app in a directory of this name are."""
        return f"app:{self.key}" if self.key else f"hand:{directory}:{self.identity.key}"

    def is_from(self, place: str, home: Path) -> bool:
        """Whether it came from a place: a path or a URL as `path_origin` and `url_origin` write it."""
        if self.place or self.source == _BY_HAND:
            return self.place == place
        typed = self.source
        return place == (url_origin(typed) if is_uri(typed) else path_origin(_in_home(typed, home)))

    def following(self, before: Origin | None) -> Origin:
        """Return it with the key of what it takes the place of; or else with a new one."""
        return replace(self, key=(before.key if before else "") or secrets.token_hex(16))

    def write(self, folder: Directory) -> None:
        """Note it in an app's directory."""
        write_atomically(folder, RECORD, json.dumps(asdict(self), indent=2).encode(), mode=_MODE)


def path_origin(path: Path) -> str:
    """Return how the place of a file or of a directory is noted."""
    return real_path(path).as_uri()


def url_origin(url: str) -> str:
    """Return how the place of what was fetched is noted, whatever it was redirected to."""
    from stringd.plugin.text import WebUrl

    return str(WebUrl.read(url))


def read_origin(directory: Path) -> Origin:
    """Return what was noted beside an app; one that was put there by hand is what its document says."""
    try:
        noted = json.loads(_read_record(directory))
        check_optional_text("origin", *noted.values())
        return Origin(**noted)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        identity = identity_in(read_entry(entry_in(directory)).parsed.frontmatter, directory.name)
        return Origin(namespace=identity.namespace, name=identity.name, source=_BY_HAND)


def _read_record(directory: Path) -> bytes:
    with open_folder(directory, own=True) as folder:
        return read_regular(folder, RECORD, _LONGEST_RECORD).data


def identity_in(frontmatter: Mapping[str, Any], fallback: str) -> Identity:
    """Return who a document says it is; without a name, it goes by that of its file or directory."""
    said = {key: str(frontmatter.get(key) or "").strip() for key in ("namespace", "name")}
    return Identity(namespace=said["namespace"] or LOCAL, name=said["name"] or fallback)


def _in_home(typed: str, home: Path) -> Path:
    return home / typed.removeprefix("~").lstrip("/") if typed.startswith("~") else home / typed
