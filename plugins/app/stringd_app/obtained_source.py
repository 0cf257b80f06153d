"""Obtain the source of an app: a local path, a download, or what a plugin's kind of source makes of them."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from stringd.plugin import RESPONSE_LIMIT, ErrorCode, Invocation, Refusal
from stringd.plugin.documents import confine, is_directory, is_there, is_uri, resolve
from stringd.plugin.files import NotRegular, open_file
from stringd.plugin.media_types import detect_media_type
from stringd.plugin.workers import READING
from stringd_app.app_registry import packages_directory
from stringd_app.app_sources import AppSource, SourceApp, SourceFile, SourceRequest
from stringd_app.download import Download, download_app, fetch
from stringd_app.entry_document import ENTRIES
from stringd_app.install_record import WEB_SCHEMES, canonical_path, canonical_url
from stringd_app.install_request import InstallRequest
from stringd_app.site_download import kind_of

log = logging.getLogger(__name__)

_PAGE = ".md"


class Obtained(Struct, frozen=True, kw_only=True):
    """The source of an app: how it is shown, its canonical form, and a path, a download or a made app.

    `kind` is the name of the kind of source that made the app.
    """

    source: str
    place: str
    path: Path | None = None
    download: Download | None = None
    made: SourceApp | None = None
    kind: str = ""


async def obtain(request: InstallRequest, invocation: Invocation, installed: Path | None = None) -> Obtained:
    """Fetch or find the source, or refuse; `installed` is the directory of an app that is updated."""
    if request.kind is not None:
        place = f"{request.kind.name}:{shlex.join(request.words)}"
        wanted = SourceRequest(
            invocation=invocation, words=request.words, installed=installed, alias=request.alias
        )
        return await _made(request.kind, wanted, request.source, place)
    if is_uri(request.source):
        return await _fetched(request, invocation, installed)
    found = _local(request.source, invocation)
    place = canonical_path(found)
    file = await READING.run(_file_at, found, _largest(invocation))
    kind = await _kind_of_file(file, request, invocation)
    if kind is None or file is None:
        return Obtained(source=request.source, place=place, path=found)
    wanted = SourceRequest(invocation=invocation, file=file, options=request.options, installed=installed)
    return await _made(kind, wanted, request.source, place)


async def _fetched(request: InstallRequest, invocation: Invocation, installed: Path | None) -> Obtained:
    source, client = request.source, invocation.runtime.http
    if source.partition(":")[0].lower() not in WEB_SCHEMES:
        raise Refusal(
            ErrorCode.INVALID_TARGET, f"Apps come from paths and from http(s) URLs, not from {source}"
        )
    fetched = await fetch(source, client, _largest(invocation))
    file = SourceFile(
        name=fetched.path.name,
        uri=str(fetched.final),
        data=fetched.response.body,
        media_type=kind_of(fetched.response),
    )
    place = canonical_url(source)
    kind = await _kind_of_file(file, request, invocation)
    if kind is None:
        return Obtained(source=source, place=place, download=await download_app(fetched, client))
    wanted = SourceRequest(invocation=invocation, file=file, options=request.options, installed=installed)
    return await _made(kind, wanted, source, place)


async def _made(kind: AppSource, wanted: SourceRequest, source: str, place: str) -> Obtained:
    made: object = await kind.stage(wanted)
    if not isinstance(made, SourceApp):
        raise TypeError(f"the kind of source {kind.name} returned {type(made)} instead of a SourceApp")
    return Obtained(source=made.source or source, place=made.place or place, made=made, kind=kind.name)


def _largest(invocation: Invocation) -> int:
    return max((RESPONSE_LIMIT, *(it.largest for it in _recognising(invocation))))


def _recognising(invocation: Invocation) -> Sequence[AppSource]:
    return [it for it in invocation.runtime.added(AppSource) if it.recognise]


async def _kind_of_file(
    file: SourceFile | None, request: InstallRequest, invocation: Invocation
) -> AppSource | None:
    """Return the kind of a file; refuse options that it does not take."""
    kinds = _recognising(invocation)
    kind = await READING.run(_first_kind, file, kinds) if file and kinds else None
    others = [it for it in request.options if kind is None or it not in kind.options]
    if others:
        what = f"a source of the kind {kind.name}" if kind else "this source"
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{', '.join(others)} is not an option of {what}.")
    return kind


def _first_kind(file: SourceFile, kinds: Sequence[AppSource]) -> AppSource | None:
    return next((it for it in kinds if len(file.data) <= it.largest and _is_of_kind(it, file)), None)


def _is_of_kind(kind: AppSource, file: SourceFile) -> bool:
    try:
        return kind.recognise is not None and bool(kind.recognise(file))
    except BaseException:
        log.exception("the kind of source %s failed to recognise %s", kind.name, file.uri)
        return False


def _file_at(path: Path, largest: int) -> SourceFile | None:
    """Read a file that may be of some kind; None for documents, directories and what is too large."""
    if path.suffix == _PAGE or is_directory(path, path.name):
        return None
    try:
        with open_file(path) as file:
            data = file.read(largest + 1)
    except NotRegular:
        return None
    except OSError as error:
        message = f"Cannot read {path.name}: {error.strerror}"
        raise Refusal(ErrorCode.INVALID_TARGET, message) from error
    media_type = detect_media_type("", data, path.name)
    return SourceFile(name=path.name, uri=path.as_uri(), data=data, media_type=media_type)


def _local(source: str, invocation: Invocation) -> Path:
    session, full_access = invocation.session, invocation.runtime.config.full_access
    found = resolve(source, session, full_access=full_access).path
    if not is_there(found):
        raise Refusal(ErrorCode.NOT_FOUND, f"File not found: {source}")
    if found.name in ENTRIES and not is_directory(found, source):
        # The directory is checked too, because the allowed path may be the single file.
        found = confine(found.parent, source, session.user, full_access=full_access)
    if packages_directory(session.user, invocation.runtime).is_relative_to(found):
        raise Refusal(ErrorCode.INVALID_TARGET, f"This directory contains the installed apps: {source}")
    return found
