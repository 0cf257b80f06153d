"""`/install --update name`: fetch the source of an installed app again, and take over what has changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin import ErrorCode, Invocation, Refusal, Reply
from stringd.plugin.documents import file_of
from stringd.plugin.files import finish
from stringd.plugin.workers import READING, STORAGE
from stringd_app.app_registry import not_installed, packages_directory, plugin_app
from stringd_app.app_sources import AppSource
from stringd_app.entry_document import entry_in, is_name, read_entry
from stringd_app.install_record import InstallRecord, identity_in, stored_record
from stringd_app.install_report import app_lines
from stringd_app.install_request import REPLACE, InstallRequest
from stringd_app.installed_files import (
    FileChanges,
    compare_files,
    digests_of,
    keep_files,
    read_digests,
    write_digests,
)
from stringd_app.obtained_source import Obtained, obtain
from stringd_app.sources import Staged, stage
from stringd_app.staging import Staging, staging
from stringd_app.unproved_values import refuse_unproved
from stringd_app.update_report import change_lines


class _Update(Struct, frozen=True, kw_only=True):
    """An update of an installed app by what its source has now."""

    name: str
    directory: Path
    record: InstallRecord
    obtained: Obtained
    takes_all: bool

    async def run(self, area: Staging) -> tuple[Staged, Sequence[str] | None]:
        """Update the app; return what was staged, and what has changed, None if nothing has."""
        if stored_record(self.directory) != self.record:
            message = f"app:{self.name} was installed anew or removed while its source was fetched."
            raise Refusal(ErrorCode.CONFLICT, message, "Look at /apps, then try again.")
        staged = await stage(self.obtained, area)
        self._check_identity(staged)
        found, digests = await READING.run(self._compared, staged)
        if not found.changes and digests == read_digests(self.directory):
            return staged, None
        lines = await READING.run(change_lines, found, self.directory, staged.directory)
        with area.folder.folder(staged.name) as app:
            await READING.run(keep_files, self.directory, app, found.kept)
            await READING.run(refuse_unproved, staged.directory)
            replace(self.record, place=staged.origin).write(app)
            write_digests(app, digests)
        await finish(STORAGE.run(area.put_in_place, staged.name, self.name))
        return staged, lines

    def _compared(self, staged: Staged) -> tuple[FileChanges, dict[str, str]]:
        base, new = read_digests(self.directory), digests_of(staged.directory)
        if base is None and not self.takes_all and new != digests_of(self.directory):
            message = f"It isn't known which files of app:{self.name} you have changed."
            hint = f"{REPLACE} takes all files of its source; copy what you have changed first."
            raise Refusal(ErrorCode.CONFLICT, message, hint)
        known = {} if base is None else base
        return compare_files(self.directory, staged.directory, known, takes_all=self.takes_all), new

    def _check_identity(self, staged: Staged) -> None:
        sheet = read_entry(entry_in(staged.directory))
        now, before = identity_in(sheet.parsed.frontmatter, staged.fallback), self.record.identity
        if now != before:
            message = f"{self.record.source} has another app now: {now}, not {before}."
            hint = f"/uninstall {self.name}, then install it, or install it beside the other with --as NAME."
            raise Refusal(ErrorCode.CONFLICT, message, hint)


async def update_app(request: InstallRequest, invocation: Invocation) -> Reply:
    """Update an installed app, or refuse."""
    name, runtime = request.source, invocation.runtime
    shelf = packages_directory(invocation.session.user, runtime)
    record = await READING.run(_record_of, name, shelf, invocation)
    again = _request_again(name, record, runtime.added(AppSource))
    obtained = await obtain(again, invocation, shelf / name)
    if obtained.kind != record.kind:
        message = f"{record.source} is not of the kind {record.kind or 'document'} any more."
        raise Refusal(ErrorCode.CONFLICT, message, f"/uninstall {name}, then install it again.")
    update = _Update(
        name=name,
        directory=shelf / name,
        record=record,
        obtained=obtained,
        takes_all=request.replaces,
    )
    try:
        async with runtime.editing(shelf):
            with staging(shelf) as area:
                staged, changes = await update.run(area)
    except OSError as error:
        raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot update {name}: {error.strerror}") from error
    if changes is None:
        return Reply.confirmation(f"Up to date: app:{name}")
    lines = [f"source: {record.source}", *changes]
    lines += await app_lines(shelf / name, obtained.made, staged.missing, invocation)
    return Reply.page(f"Updated app:{name}", "\n".join((*lines, f"open: /open app:{name}")))


def _record_of(name: str, shelf: Path, invocation: Invocation) -> InstallRecord:
    """Return the record of an installed app that has a source, or refuse."""
    if not is_name(name) or not (shelf / name).is_dir():
        provided = plugin_app(name, invocation.runtime)
        if provided is None:
            raise not_installed(name, invocation.session.user, invocation.runtime)
        message = f"app:{name} is provided by a plugin ({provided.package})."
        raise Refusal(ErrorCode.INVALID_TARGET, message, "Update its distribution with pip.")
    record = stored_record(shelf / name)
    if record is None or not record.place:
        message = f"app:{name} was put there by hand, so there is no source to fetch it from."
        raise Refusal(ErrorCode.INVALID_TARGET, message, "Install it from a path or URL: /install")
    return record


def _request_again(name: str, record: InstallRecord, kinds: Sequence[AppSource]) -> InstallRequest:
    """Return the request that installs an app from the same source, with the same words and options."""
    kind = next((it for it in kinds if it.name == record.kind), None)
    if record.kind and kind is None:
        message = f"No plugin installs apps of the kind {record.kind}, as app:{name} is one."
        raise Refusal(ErrorCode.INVALID_TARGET, message, "Start stringd with the plugin that does.")
    arguments = json.loads(record.arguments or "{}")
    words, options = tuple(arguments.get("words", ())), arguments.get("options", {})
    if words:
        return InstallRequest(source=record.source, kind=kind, words=words)
    path = file_of(record.place)
    return InstallRequest(source=str(path) if path else record.place, options=options)
