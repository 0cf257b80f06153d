"""Look up the apps of a user: those in `packages/` of the home, and those of plugins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stringd.plugin import ErrorCode, Refusal, Runtime, User
from stringd.plugin.documents import confine
from stringd.plugin.text import nearest
from stringd_app.app_hook import App
from stringd_app.app_package import AppPackage
from stringd_app.app_sources import AppSource
from stringd_app.entry_document import entry_in, is_name, read_entry
from stringd_app.install_record import InstallRecord, declared_record, stored_record

PACKAGES = "packages"


def packages_path(user: User) -> Path:
    """Return the path of a user's installed apps, which need not exist."""
    return user.home / PACKAGES


def packages_directory(user: User, runtime: Runtime) -> Path:
    """Return the real path of a user's installed apps, or refuse if it is outside the allowed paths."""
    return confine(packages_path(user), PACKAGES, user, full_access=runtime.config.full_access)


def find_app(name: str, user: User, runtime: Runtime) -> AppPackage | None:
    """Return the app with a name; an installed app takes precedence over a plugin's."""
    directory = packages_path(user) / name
    if is_name(name) and directory.is_dir():
        real = confine(directory, f"app:{name}", user, full_access=runtime.config.full_access)
        return _installed_app(name, real)
    provided = plugin_app(name, runtime)
    if provided is None:
        return None
    source = f"plugin package {provided.package}"
    return AppPackage(
        name,
        provided.directory,
        entry=entry_in(provided.directory),
        owner=plugin_app_owner(provided),
        source=source,
        functions=provided.functions,
    )


def _installed_app(name: str, directory: Path) -> AppPackage:
    entry = entry_in(directory)
    record, sheet = stored_record(directory), None
    if record is None:
        sheet = read_entry(entry)
        record = declared_record(directory, sheet)
    return AppPackage(
        name,
        directory,
        entry=entry,
        sheet=sheet,
        owner=record.owner(name),
        source=record.source,
        own=not record.is_from_web,
    )


def plugin_app(name: str, runtime: Runtime) -> App | None:
    """Return the plugin's app with this name."""
    return next((it for it in runtime.added(App) if it.name == name), None)


def plugin_app_owner(app: App) -> str:
    """Return the owner of the `$NAME`s of a plugin's app."""
    return f"plugin:{app.package}:{app.name}"


def source_of(record: InstallRecord | None, runtime: Runtime) -> AppSource | None:
    """Return the kind of source that an app was made of, if a plugin has it."""
    if record is None or not record.kind:
        return None
    return next((it for it in runtime.added(AppSource) if it.name == record.kind), None)


def app_names(user: User, runtime: Runtime) -> Iterator[str]:
    """Yield the names of all apps that a user has."""
    yield from (it.name for it in runtime.added(App))
    packages = packages_path(user)
    if packages.is_dir():
        yield from (it.name for it in packages.iterdir() if is_name(it.name) and it.is_dir())


def not_installed(name: str, user: User, runtime: Runtime) -> Refusal:
    """Return the refusal of an app that is not installed."""
    suggestion = nearest(name, app_names(user, runtime))
    context = [f"nearest: app:{suggestion}"] if suggestion else []
    return Refusal(
        ErrorCode.NOT_FOUND, f"App not installed: {name}", *context, "/install path | directory | url"
    )
