"""The `$NAME`s of an app as a person sees and sets them: never their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct

from stringd.plugin import ErrorCode, Event, Refusal, Runtime, SecretScope, User
from stringd.plugin.workers import READING
from stringd_app.app_package import AppPackage
from stringd_app.app_registry import find_app, not_installed

_LARGEST = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSecretChanged(Event):
    """A person has set or deleted a `$NAME` of an app; the value is in no event."""

    kind: ClassVar[str] = "app-secret-changed"

    app: str
    name: str
    is_set: bool


class ShownSecret(Struct, frozen=True, kw_only=True):
    """A `$NAME` that an app declares, and whether it has a value."""

    name: str
    description: str
    is_required: bool
    is_set: bool


def shown_secrets(app: AppPackage, user: User, runtime: Runtime) -> Sequence[ShownSecret]:
    """Return what an app declares, in its order."""
    values = runtime.secrets.of(_scope(app, user))
    return [
        ShownSecret(
            name=it.name,
            description=it.description,
            is_required=it.required and not it.default,
            is_set=bool(values.get(it.name)),
        )
        for it in app.declared
    ]


async def set_secret(user: User, app_name: str, name: str, value: str, runtime: Runtime) -> None:
    """Store a value for all configurations of an app, or delete it if it is empty."""
    app = await READING.run(find_app, app_name, user, runtime)
    if app is None:
        raise await READING.run(not_installed, app_name, user, runtime)
    if name not in {it.name for it in await READING.run(lambda: app.declared)}:
        raise Refusal(ErrorCode.NOT_FOUND, f"app:{app_name} declares no ${name}.")
    if len(value.encode()) > _LARGEST:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"A value has at most {_LARGEST // 1024} KiB.")
    await runtime.secrets.keep(_scope(app, user), {name: value})
    runtime.events.publish(AppSecretChanged(user_id=user.id, app=app_name, name=name, is_set=bool(value)))


def _scope(app: AppPackage, user: User) -> SecretScope:
    return SecretScope(user_id=user.id, owner=app.owner)
