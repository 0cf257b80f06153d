"""The apps of a user as lists show them: what they do, what their actions are, and what they miss."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from stringd.plugin import Refusal, Runtime, SecretScope, User
from stringd.plugin.actions import DeclaredVariable
from stringd.plugin.documents import ParsedDocument
from stringd.plugin.text import printable
from stringd_app.app_package import AppPackage
from stringd_app.app_registry import app_names, find_app

_LONGEST = 120


class ListedApp(Struct, frozen=True, kw_only=True):
    """An app in a list: what it does, or why it cannot be read."""

    name: str
    purpose: str
    app: AppPackage | None = None

    @property
    def actions(self) -> tuple[str, ...]:
        """The ids of the actions of its entry document."""
        return tuple(self.app.sheet.actions.actions) if self.app else ()

    def missing(self, user_id: str, runtime: Runtime) -> Iterator[DeclaredVariable]:
        """Yield the required `$NAME`s that are not set."""
        if self.app is None:
            return
        values = runtime.secrets.of(SecretScope(user_id=user_id, owner=self.app.owner))
        yield from (it for it in self.app.declared if it.required and not values.get(it.name))


def installed_apps(user: User, runtime: Runtime) -> list[str]:
    """Return the names of all apps that a user has, sorted."""
    return sorted(set(app_names(user, runtime)))


def listed_app(name: str, user: User, runtime: Runtime) -> ListedApp:
    """Return an app for a list; it reads files."""
    try:
        app = find_app(name, user, runtime)
        purpose = _purpose(app.sheet) if app else "it has been uninstalled"
    except Refusal as refusal:
        return ListedApp(name=name, purpose=f"[!] {refusal.message}")
    return ListedApp(name=name, purpose=purpose, app=app)


def _purpose(sheet: ParsedDocument) -> str:
    """Return the description that an app gives of itself, else its title and what it says first."""
    described = sheet.parsed.frontmatter.get("description")
    if isinstance(described, str) and described.strip():
        return in_line(described)
    lines = (it.strip() for it in sheet.rendered.text.split("\n"))
    first = next((it for it in lines if it and it[0] not in "#[<!|-*>`"), "")
    return in_line(": ".join(filter(None, (sheet.parsed.title, first))))


def in_line(text: str) -> str:
    """Return a text as a short line."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
