"""`$NAME`s that earlier versions kept for an app's name alone: each is bound to the app that has it now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

from stringd.plugin import Refusal, Runtime, Service, UnknownUser
from stringd_app.entries import is_name
from stringd_app.origins import read_origin
from stringd_app.registry import brought_app, brought_owner, packages_of

log = logging.getLogger(__name__)

_INSTALLED, _BROUGHT = "installed", "plugin"


def binding(runtime: Runtime) -> Service:
    """Return what binds them, once, when the daemon starts: what is installed later has no claim."""

    async def bind() -> None:
        for user_id, owner in runtime.secrets.owners():
            kind, _, name = owner.partition(":")
            if kind == _INSTALLED:
                await _bind_installed(runtime, user_id, owner, name)
            elif kind == _BROUGHT and ":" not in name and (app := brought_app(name, runtime)):
                await runtime.secrets.rename(user_id, owner, brought_owner(app))

    return Service(name="app-keys", run=bind)


async def _bind_installed(runtime: Runtime, user_id: str, owner: str, identity: str) -> None:
    try:
        user = runtime.user(user_id)
    except UnknownUser:
        return
    owners = await asyncio.to_thread(lambda: list(_owners(packages_of(user), identity)))
    if len(owners) == 1:
        await runtime.secrets.rename(user_id, owner, owners[0])
    elif user.home.is_dir():
        log.warning(
            "the $NAMEs of %s of user %s belong to %d apps: forgotten", identity, user_id, len(owners)
        )
        await runtime.secrets.forget(user_id, owner)


def _owners(packages: Path, identity: str) -> Iterator[str]:
    for directory in packages.iterdir() if packages.is_dir() else ():
        try:
            origin = read_origin(directory) if is_name(directory.name) and directory.is_dir() else None
        except Refusal:
            continue
        if origin and origin.identity.key == identity and not origin.key:
            yield origin.owner(directory.name)
