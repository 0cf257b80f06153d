"""Which apps there are for a user: those in `packages/` of the home, and those that plugins bring."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stringd.plugin import Refusal, Runtime, User
from stringd.plugin.documents import confine
from stringd.plugin.text import nearest
from stringd_app.entries import is_name
from stringd_app.origins import read_origin
from stringd_app.packages import AppPackage
from stringd_app.records import App

PACKAGES = "packages"


def packages_of(user: User) -> Path:
    """Return the directory of a user's installed apps."""
    return user.home / PACKAGES


def shelf_of(user: User, runtime: Runtime) -> Path:
    """Return the real path of that directory, or refuse one that lies outside of what may be touched."""
    return confine(packages_of(user), PACKAGES, user, full_access=runtime.config.full_access)


def find_app(name: str, user: User, runtime: Runtime) -> AppPackage | None:
    """Return the app of a name: the user's own before a plugin's."""
    directory = packages_of(user) / name
    if is_name(name) and directory.is_dir():
        real = confine(directory, f"app:{name}", user, full_access=runtime.config.full_access)
        origin = read_origin(real)
        return AppPackage(name, real, owner=origin.owner(name), source=origin.source)
    brought = brought_app(name, runtime)
    if brought is None:
        return None
    source = f"plugin package {brought.package}"
    return AppPackage(
        name, brought.directory, owner=brought_owner(brought), source=source, functions=brought.functions
    )


def brought_app(name: str, runtime: Runtime) -> App | None:
    """Return the app of this name that a plugin brings."""
    return next((it for it in runtime.added(App) if it.name == name), None)


def brought_owner(app: App) -> str:
    """Return whose the `$NAME`s of an app are that a plugin brings: those of this plugin's app alone."""
    return f"plugin:{app.package}:{app.name}"


def app_names(user: User, runtime: Runtime) -> Iterator[str]:
    """Yield the names of all apps that a user has."""
    yield from (it.name for it in runtime.added(App))
    packages = packages_of(user)
    if packages.is_dir():
        yield from (it.name for it in packages.iterdir() if is_name(it.name) and it.is_dir())


def not_installed(name: str, user: User, runtime: Runtime) -> Refusal:
    """Return the refusal of an app that is not there."""
    meant = nearest(name, app_names(user, runtime))
    context = [f"nearest: app:{meant}"] if meant else []
    return Refusal("NOT_FOUND", f"App not installed: {name}", *context, "/install path | directory | url")
