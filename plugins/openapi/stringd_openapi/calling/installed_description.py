"""The description of an installed app: its operations, read when they are called, and its server."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal, Zone
from stringd.plugin.documents import read_sheet, read_text
from stringd.plugin.files import open_folder, read_regular
from stringd_openapi.app_pages.front_page import ENTRY, OVERRIDE, SERVER, ZONE
from stringd_openapi.app_pages.package_files import DESCRIPTION
from stringd_openapi.model.names import is_tagged, operation_keys
from stringd_openapi.model.operation_reader import OperationReader, closed
from stringd_openapi.model.operations import Operation
from stringd_openapi.reading.description_text import LARGEST
from stringd_openapi.reading.description_text import read_text as read_description
from stringd_openapi.reading.servers import absolute_server

T = TypeVar("T")

_KEPT = 200
_INSTALL_AGAIN = "/install --update brings back what a package lacks."


class AppSettings(Struct, frozen=True, kw_only=True):
    """What the first page of an app says about its server, which the user may edit.

    `server` is empty if none is known. With `overrides`, operations with servers of their own go there, too.
    """

    server: str
    overrides: bool
    nearest_zone: Zone

    def server_of(self, operation: Operation) -> str:
        """Return the server that calls of an operation go to, or refuse if none is known."""
        own = next((absolute_server(it, f"{self.server}/") for it in operation.servers), "")
        found = self.server if self.overrides or not own else own
        if not found:
            message = "The description names no server that calls could go to."
            raise Refusal(ErrorCode.INVALID_TARGET, message, f"Write `{SERVER}: https://…` into {ENTRY}.")
        return found


class _Kept:
    """Keeps what was read of files until these change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, path: Path, key: Hashable, read: Callable[[], T]) -> T:
        status = path.stat()
        stamp = (path, status.st_mtime_ns, status.st_size, status.st_ino, key)
        with self._lock:
            if stamp in self._values:
                self._values.move_to_end(stamp)
                found: T = self._values[stamp]
                return found
        made = read()
        with self._lock:
            self._values[stamp] = made
            while len(self._values) > _KEPT:
                self._values.popitem(last=False)
        return made


_kept = _Kept()


def operation_of(package: Path | None, action: str) -> Operation:
    """Return the operation of an app by its id, or refuse; it may block."""
    if package is None:
        message = "Only pages of an installed app call operations of a description."
        raise Refusal(ErrorCode.INVALID_TARGET, message, "/install openapi.json makes an app of one.")
    path = package / DESCRIPTION
    try:
        return _kept.get(path, action, lambda: _read_operation(path, action))
    except OSError as error:
        message = f"Cannot read {DESCRIPTION} of the app: {error.strerror}"
        raise Refusal(ErrorCode.NOT_FOUND, message, _INSTALL_AGAIN) from None


def flags_of(package: Path) -> Mapping[str, frozenset[str]]:
    """Return the flags of all operations of an app by their ids, or refuse; it may block."""
    path = package / DESCRIPTION
    return _kept.get(path, None, lambda: _read_flags(path))


def _read_flags(path: Path) -> Mapping[str, frozenset[str]]:
    document = _document(path)
    reader = OperationReader(document, tagged=is_tagged(document))
    return {key[0]: frozenset(reader.read(*key).flags()) for key in operation_keys(document)}


def _document(path: Path) -> dict[str, Any]:
    with open_folder(path.parent) as folder:
        data = read_regular(folder, path.name, most=LARGEST + 1).data
    try:
        document = read_description(data)
    except Refusal as refusal:
        raise Refusal(refusal.code, f"{DESCRIPTION}: {refusal.message}", _INSTALL_AGAIN) from None
    if not isinstance(document, dict):
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{DESCRIPTION} is no description", _INSTALL_AGAIN)
    return document


def _read_operation(path: Path, action: str) -> Operation:
    document = _document(path)
    key = next((it for it in operation_keys(document) if it[0] == action), None)
    if key is None:
        message = f"{DESCRIPTION} of the app has no operation {action}."
        raise Refusal(ErrorCode.NOT_FOUND, message, _INSTALL_AGAIN)
    return closed(OperationReader(document, tagged=is_tagged(document)).read(*key))


def settings_of(package: Path) -> AppSettings:
    """Return what the first page of an app says, or refuse; it may block."""
    path = package / ENTRY
    return _kept.get(path, None, lambda: _read_settings(path))


def _read_settings(path: Path) -> AppSettings:
    found = read_sheet(read_text(path, ENTRY)).parsed.frontmatter
    zone = str(found.get(ZONE, ""))
    return AppSettings(
        server=absolute_server(str(found.get(SERVER) or ""), ""),
        overrides=str(found.get(OVERRIDE)).lower() == "true",
        nearest_zone=next((it for it in Zone if it.name.lower() == zone), Zone.LOOPBACK),
    )
