"""The commands `/install` and `/uninstall`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from stringd.plugin import Command, ErrorCode, Invocation, Refusal, Reply, Secrets, TopicGroup, User
from stringd.plugin.files import finish
from stringd.plugin.workers import READING, STORAGE
from stringd_app.app_registry import find_app, not_installed, packages_directory, plugin_app, source_of
from stringd_app.app_sources import AppSource
from stringd_app.app_update import update_app
from stringd_app.entry_document import entry_in, is_name, read_entry
from stringd_app.install_record import (
    Identity,
    InstallRecord,
    identity_in,
    read_install_record,
    stored_record,
)
from stringd_app.install_report import app_lines
from stringd_app.install_request import REPLACE, USAGE, InstallRequest, read_request
from stringd_app.installed_files import digests_of, write_digests
from stringd_app.obtained_source import Obtained, obtain
from stringd_app.sources import Staged, stage
from stringd_app.staging import Staging, staging
from stringd_app.unproved_values import refuse_unproved

_PREFIX = "app:"


class _Installation(Struct, frozen=True, kw_only=True):
    """An installation: the name and record of the app, and the record of the app that it replaces."""

    name: str
    origin: InstallRecord
    before: InstallRecord | None = None

    async def put_in_place(self, staged: Staged, area: Staging, user: User, secrets: Secrets) -> None:
        """Put the staged app in place of the one before, which also leaves it its `$NAME`s."""
        await STORAGE.run(area.put_in_place, staged.name, self.name)
        await self._hand_over(user, secrets)

    async def _hand_over(self, user: User, secrets: Secrets) -> None:
        """Keep the `$NAME`s of a replaced app if both came from the same place; otherwise forget them."""
        if self.before is None:
            return
        old, new = self.before.owner(self.name), self.origin.owner(self.name)
        if not self.before.is_from(self.origin.place, user.home):
            await secrets.forget(user.id, old)
        elif old != new:
            await secrets.rename(user.id, old, new)


async def _install(invocation: Invocation) -> Reply:
    user, runtime = invocation.session.user, invocation.runtime
    request = read_request(invocation.line.arguments, runtime.added(AppSource))
    if request.updates:
        return await update_app(request, invocation)
    shelf = packages_directory(user, runtime)
    # The source is fetched outside the lock, so that other installations need not wait for it.
    obtained = await obtain(request, invocation)
    try:
        async with runtime.editing(shelf):
            with staging(shelf) as area:
                staged = await stage(obtained, area)
                await READING.run(refuse_unproved, staged.directory)
                found = _installation(staged, obtained, request, invocation)
                with area.folder.folder(staged.name) as app:
                    found.origin.write(app)
                    write_digests(app, await READING.run(digests_of, staged.directory))
                await finish(found.put_in_place(staged, area, user, runtime.secrets))
    except OSError as error:
        raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot install {request.source}: {error.strerror}") from error
    return await _installed(found.name, obtained, staged.missing, invocation)


def _installation(
    staged: Staged, obtained: Obtained, request: InstallRequest, invocation: Invocation
) -> _Installation:
    """Return the name and record of the app to install, or refuse."""
    sheet = read_entry(entry_in(staged.directory))
    identity = identity_in(sheet.parsed.frontmatter, staged.fallback)
    shelf = packages_directory(invocation.session.user, invocation.runtime)
    place = _installed_name(identity, shelf)
    name = request.alias or place or identity.name
    if not is_name(name):
        raise Refusal(
            ErrorCode.INVALID_TARGET, f"Not a valid app name: {name!r}.", "Choose a name with --as NAME."
        )
    if place not in (None, name):
        message = f"{identity} is installed as app:{place}."
        raise Refusal(ErrorCode.CONFLICT, message, f"/uninstall {place} first, or install it without --as.")
    _refuse_taken_name(name, identity, invocation)
    origin = InstallRecord(
        namespace=identity.namespace,
        name=identity.name,
        source=obtained.source,
        place=staged.origin,
        kind=obtained.kind,
        arguments=request.arguments,
    )
    before = read_install_record(shelf / name) if place else None
    is_same = before is not None and before.is_from(origin.place, invocation.session.user.home)
    if before and not is_same and not request.replaces:
        raise _replacement_refusal(name, before, request)
    return _Installation(name=name, origin=origin.following(before if is_same else None), before=before)


def _replacement_refusal(name: str, before: InstallRecord, request: InstallRequest) -> Refusal:
    message = f"app:{name} has another source ({before.source}), not {request.source}."
    hint = f"{REPLACE} puts this one in its place, without the $NAMEs of the other, which are forgotten."
    return Refusal(ErrorCode.CONFLICT, message, hint)


def _installed_name(identity: Identity, packages: Path) -> str | None:
    """Return the name under which an app is already installed."""
    installed = (it for it in packages.iterdir() if is_name(it.name) and it.is_dir())
    return next((it.name for it in installed if _identity(it) == identity), None)


def _identity(directory: Path) -> Identity | None:
    try:
        return read_install_record(directory).identity
    except Refusal:
        return None


def _refuse_taken_name(name: str, identity: Identity, invocation: Invocation) -> None:
    place = packages_directory(invocation.session.user, invocation.runtime) / name
    other: object = _identity(place) if place.is_dir() else plugin_app(name, invocation.runtime)
    if other not in (None, identity):
        is_own = isinstance(other, Identity)
        whose = other if is_own else "an app of a plugin"
        instead = f", or /uninstall {name} first" if is_own else ""
        hint = f"Install it under another name: --as NAME{instead}."
        raise Refusal(ErrorCode.CONFLICT, f"app:{name} is {whose}, not {identity}.", hint)


async def _installed(name: str, obtained: Obtained, missing: Sequence[str], invocation: Invocation) -> Reply:
    place = packages_directory(invocation.session.user, invocation.runtime) / name
    lines = [
        f"source: {obtained.source}",
        f"stored: {place.parent.name}/{name}/{entry_in(place).name}",
        *await app_lines(place, obtained.made, missing, invocation),
        f"open: /open app:{name}",
    ]
    return Reply.page(f"Installed app:{name}", "\n".join(lines))


async def _uninstall(invocation: Invocation) -> Reply:
    name = invocation.line.arguments.strip().removeprefix(_PREFIX)
    session, runtime = invocation.session, invocation.runtime
    if not name:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "Nothing to uninstall.", f"Usage: {UNINSTALL.usage}")
    shelf = packages_directory(session.user, runtime)
    try:
        async with runtime.editing(shelf):
            if not is_name(name) or not (shelf / name).is_dir():
                raise _not_removable(name, invocation)
            owner, source = _owner(name, invocation), source_of(stored_record(shelf / name), runtime)
            with staging(shelf) as area:
                area.take_away(name)
    except OSError as error:
        raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot uninstall {name}: {error.strerror}") from error
    if owner:
        await finish(runtime.secrets.forget(session.user.id, owner))
    if source and source.removed:
        await finish(source.removed(session.user, shelf / name))
    return Reply.confirmation(f"Uninstalled app:{name}")


def _owner(name: str, invocation: Invocation) -> str | None:
    try:
        app = find_app(name, invocation.session.user, invocation.runtime)
    except Refusal:
        return None
    return app.owner if app else None


def _not_removable(name: str, invocation: Invocation) -> Refusal:
    provided = plugin_app(name, invocation.runtime)
    if provided:
        hint = "Uninstall its distribution with pip, or start stringd --without it."
        return Refusal(
            ErrorCode.INVALID_TARGET, f"app:{name} is provided by a plugin ({provided.package}).", hint
        )
    return not_installed(name, invocation.session.user, invocation.runtime)


INSTALL = Command(
    name="install",
    summary="Install or update an app from a path, archive or URL.",
    group="Apps",
    usage=USAGE,
    run=_install,
    topic_types=TopicGroup.DOCUMENTS,
)
UNINSTALL = Command(
    name="uninstall",
    summary="Remove an installed app, with its $NAMEs.",
    group="Apps",
    usage="/uninstall name",
    run=_uninstall,
    topic_types=TopicGroup.DOCUMENTS,
)
