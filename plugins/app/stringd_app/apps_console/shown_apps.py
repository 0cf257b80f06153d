"""The apps of a user, as the console shows them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal, Runtime, User
from stringd.plugin.workers import READING
from stringd_app.app_registry import packages_path
from stringd_app.apps_console.app_secrets import ShownSecret, shown_secrets
from stringd_app.install_record import stored_record
from stringd_app.listed_apps import installed_apps, listed_app

_MOST_APPS = 200


class ShownApp(Struct, frozen=True, kw_only=True):
    """An app: what it does, where it is from, and what can be done with it."""

    user_id: str
    name: str
    purpose: str
    source: str = ""
    actions: tuple[str, ...] = ()
    secrets: tuple[ShownSecret, ...] = ()
    is_readable: bool = True
    is_installed: bool = False
    is_updatable: bool = False

    @property
    def missing(self) -> int:
        """How many required `$NAME`s have no value."""
        return sum(it.is_required and not it.is_set for it in self.secrets)


async def shown_apps(user: User, runtime: Runtime) -> Sequence[ShownApp]:
    """Return the apps of a user by name; they are read in threads."""
    names = await READING.run(_names, user, runtime)
    return [await READING.run(_shown, name, user, runtime) for name in names[:_MOST_APPS]]


def _names(user: User, runtime: Runtime) -> list[str]:
    try:
        return installed_apps(user, runtime)
    except OSError:
        return []


def _shown(name: str, user: User, runtime: Runtime) -> ShownApp:
    listed = listed_app(name, user, runtime)
    directory = packages_path(user) / name
    shown = ShownApp(
        user_id=user.id,
        name=name,
        purpose=listed.purpose.removeprefix("[!] "),
        is_readable=listed.app is not None,
        is_installed=directory.is_dir(),
    )
    if listed.app is None:
        return shown
    record = stored_record(directory)
    return ShownApp(
        user_id=user.id,
        name=name,
        purpose=listed.purpose,
        source=listed.app.source,
        actions=listed.actions,
        secrets=tuple(shown_secrets(listed.app, user, runtime)),
        is_installed=shown.is_installed,
        is_updatable=record is not None and bool(record.place),
    )


def chosen_user(wanted: str, runtime: Runtime) -> User | None:
    """Return the user that is asked for, else `default` or the first one; None if there is none."""
    users = {it.id: it for it in sorted(runtime.users, key=lambda it: it.id)}
    if wanted and wanted not in users:
        raise Refusal(ErrorCode.NOT_FOUND, f"There is no user {wanted}.")
    return users.get(wanted or "default") or next(iter(users.values()), None)
