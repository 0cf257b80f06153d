"""The command `/apps`: list the installed apps, what they do, and what they miss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stringd.plugin import Command, Invocation, Refusal, Reply, Runtime, SecretScope, User
from stringd.plugin.documents import ParsedDocument
from stringd.plugin.text import counted, printable
from stringd.plugin.workers import READING
from stringd_app.app_package import AppPackage
from stringd_app.app_registry import app_names, find_app

_MOST_APPS, _MOST_ACTIONS = 50, 12
_LONGEST = 120
_NOTHING = "(none)\nInstall one: /install path | directory | archive | url"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    """An app in the list: what it does, or why it cannot be read."""

    name: str
    purpose: str
    app: AppPackage | None = None


def installed_apps(user: User, runtime: Runtime) -> list[str]:
    """Return the names of all apps that a user has, sorted."""
    return sorted(set(app_names(user, runtime)))


async def _apps(invocation: Invocation) -> Reply:
    user, runtime = invocation.session.user, invocation.runtime
    names = await READING.run(installed_apps, user, runtime)
    listed = [await READING.run(_described, it, user, runtime) for it in names[:_MOST_APPS]]
    lines = [line for it in listed for line in _lines(it, invocation)]
    if (more := len(names) - _MOST_APPS) > 0:
        lines.append(f"… and {counted(more, 'more app')}: {', '.join(names[_MOST_APPS:])[:_LONGEST]}")
    return Reply.page("Apps", "\n".join(lines) or _NOTHING)


def _described(name: str, user: User, runtime: Runtime) -> _Listed:
    try:
        app = find_app(name, user, runtime)
        purpose = _purpose(app.sheet) if app else "it has been uninstalled"
    except Refusal as refusal:
        return _Listed(name=name, purpose=f"[!] {refusal.message}")
    return _Listed(name=name, purpose=purpose, app=app)


def _purpose(sheet: ParsedDocument) -> str:
    """Return the description that an app gives of itself, else its title and what it says first."""
    described = sheet.parsed.frontmatter.get("description")
    if isinstance(described, str) and described.strip():
        return _in_line(described)
    lines = (it.strip() for it in sheet.rendered.text.split("\n"))
    first = next((it for it in lines if it and it[0] not in "#[<!|-*>`"), "")
    return _in_line(": ".join(filter(None, (sheet.parsed.title, first))))


def _in_line(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _lines(listed: _Listed, invocation: Invocation) -> Iterator[str]:
    yield f"app:{listed.name}  {listed.purpose}".rstrip()
    if listed.app is None:
        return
    actions = [*listed.app.sheet.actions.actions]
    if actions:
        more = f" and {len(actions) - _MOST_ACTIONS} more" if len(actions) > _MOST_ACTIONS else ""
        yield f"  actions: {', '.join(actions[:_MOST_ACTIONS])}{more}"
    for name, explanation in _missing(listed.app, invocation):
        yield f'  missing: ${name}{explanation} — in app:{listed.name}: /set ${name} = "..."'


def _missing(app: AppPackage, invocation: Invocation) -> Iterator[tuple[str, str]]:
    """Yield the required `$NAME`s that are not set, each with what the app says of it."""
    scope = SecretScope(user_id=invocation.session.user.id, owner=app.owner)
    values = invocation.runtime.secrets.of(scope)
    for it in app.declared:
        if it.required and not values.get(it.name):
            yield it.name, f" ({_in_line(it.description)})" if it.description else ""


APPS = Command(
    name="apps",
    summary="List the installed apps, what they do and what they need.",
    usage="/apps",
    run=_apps,
    takes_arguments=False,
    group="Apps",
)
