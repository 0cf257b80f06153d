"""`/install` and `/uninstall`: apps of the user's own."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from stringd.plugin import Command, Invocation, Refusal, Reply, TopicGroup
from stringd.text.path_arguments import parse_path_arguments
from stringd_app.entries import entry_in, is_name
from stringd_app.packages import Identity, Origin, identity_in, read_entry, read_origin
from stringd_app.proving import refuse_unproved
from stringd_app.registry import brought_app, find_app, not_installed, packages_of
from stringd_app.sources import Staged, fetched_from, stage
from stringd_app.staging import put_in_place, staging, take_away

_ALIAS = re.compile(r"(?:^|\s+)--as(?:=|\s+)(?P<name>\S+)(?=\s|$)")
_PREFIX = "app:"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What is to be installed, and under which name, if not its own."""

    source: str
    alias: str | None


async def _install(invocation: Invocation) -> Reply:
    request = _request(invocation.line.arguments)
    packages = packages_of(invocation.session.user)
    # Other installations need not wait for the network.
    fetched = await fetched_from(request.source, invocation.daemon.http)
    try:
        async with invocation.daemon.editing(packages):
            with staging(packages) as directory:
                staged = await stage(request.source, fetched, directory, invocation)
                await asyncio.to_thread(refuse_unproved, staged.directory)
                name, origin = _named(staged, request, invocation)
                origin.write(staged.directory)
                await asyncio.to_thread(put_in_place, staged.directory, packages / name)
    except OSError as error:
        raise Refusal("WRITE_FAILED", f"Cannot install {request.source}: {error.strerror}") from error
    return _installed(name, request, packages / name)


def _request(arguments: str) -> _Request:
    alias = _ALIAS.search(arguments)
    rest = arguments[: alias.start()] + arguments[alias.end() :] if alias else arguments
    source = parse_path_arguments(rest, "--app").path
    if not source:
        raise Refusal("INVALID_PAYLOAD", "Nothing to install.", f"Usage: {INSTALL.usage}")
    return _Request(source=source, alias=alias["name"] if alias else None)


def _named(staged: Staged, request: _Request, invocation: Invocation) -> tuple[str, Origin]:
    """Return under which name the app is installed, and what is noted beside it, or refuse."""
    sheet = read_entry(entry_in(staged.directory))
    identity = identity_in(sheet.parsed.frontmatter, staged.fallback)
    packages = packages_of(invocation.session.user)
    before = _place_of(identity, packages)
    name = request.alias or before or identity.name
    if not is_name(name):
        raise Refusal("INVALID_TARGET", f"No app can be called {name!r}.", "Choose a name with --as NAME.")
    if before not in (None, name):
        message = f"{identity} is installed as app:{before}."
        raise Refusal("CONFLICT", message, f"/uninstall {before} first, or install it without --as.")
    _refuse_taken(name, identity, invocation)
    return name, Origin(namespace=identity.namespace, name=identity.name, source=request.source)


def _place_of(identity: Identity, packages: Path) -> str | None:
    """Return the name under which an app is installed already."""
    installed = (it for it in packages.iterdir() if is_name(it.name) and it.is_dir())
    return next((it.name for it in installed if _identity(it) == identity), None)


def _identity(directory: Path) -> Identity | None:
    try:
        return read_origin(directory).identity
    except Refusal:
        return None


def _refuse_taken(name: str, identity: Identity, invocation: Invocation) -> None:
    place = packages_of(invocation.session.user) / name
    other: object = _identity(place) if place.is_dir() else brought_app(name, invocation.daemon)
    if other not in (None, identity):
        is_own = isinstance(other, Identity)
        whose = other if is_own else "an app that a plugin brings"
        instead = f", or /uninstall {name} first" if is_own else ""
        hint = f"Install it under another name: --as NAME{instead}."
        raise Refusal("CONFLICT", f"app:{name} is {whose}, not {identity}.", hint)


def _installed(name: str, request: _Request, place: Path) -> Reply:
    sheet = read_entry(entry_in(place))
    flaws = len(sheet.flaws)
    lines = [
        f"source: {request.source}",
        f"stored: {place.parent.name}/{name}/{entry_in(place).name}",
        *([f"warnings: {flaws}, which stringd check lists"] if flaws else []),
        f"open: /open app:{name}",
    ]
    return Reply.page(f"Installed app:{name}", "\n".join(lines))


async def _uninstall(invocation: Invocation) -> Reply:
    name = invocation.line.arguments.strip().removeprefix(_PREFIX)
    session, daemon = invocation.session, invocation.daemon
    if not name:
        raise Refusal("INVALID_PAYLOAD", "Nothing to uninstall.", f"Usage: {UNINSTALL.usage}")
    packages = packages_of(session.user)
    try:
        async with daemon.editing(packages):
            if not is_name(name) or not (packages / name).is_dir():
                raise _not_removable(name, invocation)
            owner = _owner(name, invocation)
            with staging(packages) as directory:
                take_away(packages / name, directory)
    except OSError as error:
        raise Refusal("WRITE_FAILED", f"Cannot uninstall {name}: {error.strerror}") from error
    if owner:
        await daemon.secrets.forget(session.user.id, owner)
    return Reply.confirmation(f"Uninstalled app:{name}")


def _owner(name: str, invocation: Invocation) -> str | None:
    try:
        app = find_app(name, invocation.session.user, invocation.daemon)
    except Refusal:
        return None
    return app.owner if app else None


def _not_removable(name: str, invocation: Invocation) -> Refusal:
    brought = brought_app(name, invocation.daemon)
    if brought:
        hint = "Uninstall its distribution with pip, or start stringd --without it."
        return Refusal("INVALID_TARGET", f"app:{name} is brought by a plugin ({brought.package}).", hint)
    return not_installed(name, invocation.session.user, invocation.daemon)


INSTALL = Command(
    name="install",
    summary="Install an app from a document, a directory, an archive or a URL; it is app:name then.",
    usage="/install path | directory | archive | url [--as name]",
    run=_install,
    topic_types=TopicGroup.DOCUMENTS,
)
UNINSTALL = Command(
    name="uninstall",
    summary="Remove an app that /install has installed, and forget its $NAMEs.",
    usage="/uninstall name",
    run=_uninstall,
    topic_types=TopicGroup.DOCUMENTS,
)
