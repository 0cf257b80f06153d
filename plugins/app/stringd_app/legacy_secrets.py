"""Bind the `$NAME`s that earlier versions stored by an app's name to the app that has that name now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

from stringd.plugin import Refusal, Runtime, Service, UnknownUser
from stringd_app.app_registry import packages_path, plugin_app, plugin_app_owner
from stringd_app.entry_document import is_name
from stringd_app.install_record import read_install_record

log = logging.getLogger(__name__)

_INSTALLED, _BROUGHT = "installed", "plugin"


def legacy_secret_binding(runtime: Runtime) -> Service:
    """Return the service that binds them once at startup; apps installed later have no claim to them."""

    async def bind() -> None:
        for user_id, owner in runtime.secrets.owners():
            kind, _, name = owner.partition(":")
            if kind == _INSTALLED:
                await _bind_installed(runtime, user_id, owner, name)
            elif kind == _BROUGHT and ":" not in name and (app := plugin_app(name, runtime)):
                await runtime.secrets.rename(user_id, owner, plugin_app_owner(app))

    return Service(name="app-keys", run=bind)


async def _bind_installed(runtime: Runtime, user_id: str, owner: str, identity: str) -> None:
    try:
        user = runtime.user(user_id)
    except UnknownUser:
        return
    owners = await asyncio.to_thread(lambda: list(_owners(packages_path(user), identity)))
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
            origin = (
                read_install_record(directory) if is_name(directory.name) and directory.is_dir() else None
            )
        except Refusal:
            continue
        if origin and origin.identity.key == identity and not origin.key:
            yield origin.owner(directory.name)
