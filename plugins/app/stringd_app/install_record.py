"""The install record beside an app: its identity, its source, and the owner of its `$NAME`s."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import asdict, replace

from stringd.plugin import check_optional_text
from stringd.plugin.documents import ParsedDocument, is_uri
from stringd.plugin.files import OWN_PREFIX, Directory, open_folder, read_regular, real_path, write_atomically
from stringd_app.entry_document import entry_in, read_entry

RECORD = f"{OWN_PREFIX}package.json"
LOCAL = "local"
WEB_SCHEMES = frozenset({"http", "https"})
_BY_HAND = "put there by hand"
_MODE = 0o644
_LONGEST_RECORD = 64 * 1024


class Identity(Struct, frozen=True, kw_only=True):
    """The identity of an app, as its author declares it: a namespace and a name."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def key(self) -> str:
        """A unique text for this identity."""
        return f"{quote(self.namespace, safe='')}/{quote(self.name, safe='')}"


class InstallRecord(Struct, frozen=True, kw_only=True):
    """The record of an installed app: its identity and source.

    `source` is the source as typed, `place` its canonical form, and `key` a random key that no other app can
    guess in order to impersonate this one. `place` and `key` are empty for apps that were put there by hand
    or by an earlier version of stringd. `kind` is the kind of source of a plugin; `arguments` are the words
    or options that were given with the source, as JSON.
    """

    namespace: str
    name: str
    source: str
    place: str = ""
    key: str = ""
    kind: str = ""
    arguments: str = ""

    @property
    def identity(self) -> Identity:
        """The identity of the app."""
        return Identity(namespace=self.namespace, name=self.name)

    @property
    def is_from_web(self) -> bool:
        """Whether it was installed from a URL."""
        return (self.place or self.source).partition(":")[0].lower() in WEB_SCHEMES

    def owner(self, directory: str) -> str:
        """Return the owner of the `$NAME`s of the app in the directory with this name."""
        return f"app:{self.key}" if self.key else f"hand:{directory}:{self.identity.key}"

    def is_from(self, place: str, home: Path) -> bool:
        """Return whether the app came from a place, given as `canonical_path` or `canonical_url`."""
        if self.place or self.source == _BY_HAND:
            return self.place == place
        typed = self.source
        return place == (canonical_url(typed) if is_uri(typed) else canonical_path(_in_home(typed, home)))

    def following(self, before: InstallRecord | None) -> InstallRecord:
        """Return the record with the key of the record it replaces, or with a new key."""
        return replace(self, key=(before.key if before else "") or secrets.token_hex(16))

    def write(self, folder: Directory) -> None:
        """Write the record into an app's directory."""
        write_atomically(folder, RECORD, json.dumps(asdict(self), indent=2).encode(), mode=_MODE)


def canonical_path(path: Path) -> str:
    """Return the canonical form of a local source."""
    return real_path(path).as_uri()


def canonical_url(url: str) -> str:
    """Return the canonical form of a URL, before any redirects."""
    from stringd.plugin.text import WebUrl

    return str(WebUrl.read(url))


def read_install_record(directory: Path) -> InstallRecord:
    """Read the record of an app; an app without one has the identity that its document declares."""
    record = stored_record(directory)
    return declared_record(directory, read_entry(entry_in(directory))) if record is None else record


def stored_record(directory: Path) -> InstallRecord | None:
    """Read the record that an installation stored in an app's directory; None without a valid one."""
    try:
        values = json.loads(_read_record(directory))
        check_optional_text("origin", *values.values())
        return InstallRecord(**values)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def declared_record(directory: Path, entry: ParsedDocument) -> InstallRecord:
    """Return the record of an app that was put into its directory by hand, with this entry document."""
    identity = identity_in(entry.parsed.frontmatter, directory.name)
    return InstallRecord(namespace=identity.namespace, name=identity.name, source=_BY_HAND)


def _read_record(directory: Path) -> bytes:
    with open_folder(directory, own=True) as folder:
        return read_regular(folder, RECORD, _LONGEST_RECORD).data


def identity_in(frontmatter: Mapping[str, Any], fallback: str) -> Identity:
    """Return the identity that a document declares; `fallback` is its name if it declares none."""
    declared = {key: str(frontmatter.get(key) or "").strip() for key in ("namespace", "name")}
    return Identity(namespace=declared["namespace"] or LOCAL, name=declared["name"] or fallback)


def _in_home(typed: str, home: Path) -> Path:
    return home / typed.removeprefix("~").lstrip("/") if typed.startswith("~") else home / typed
