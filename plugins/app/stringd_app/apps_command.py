"""The command `/apps`: list the installed apps, what they do, and what they miss."""

from __future__ import annotations

from collections.abc import Iterator

from stringd.plugin import Command, Invocation, Reply
from stringd.plugin.text import counted
from stringd.plugin.workers import READING
from stringd_app.listed_apps import ListedApp, in_line, installed_apps, listed_app

_MOST_APPS, _MOST_ACTIONS = 50, 12
_LONGEST = 120
_NOTHING = "(none)\nInstall one: /install path | directory | archive | url"


async def _apps(invocation: Invocation) -> Reply:
    user, runtime = invocation.session.user, invocation.runtime
    names = await READING.run(installed_apps, user, runtime)
    listed = [await READING.run(listed_app, it, user, runtime) for it in names[:_MOST_APPS]]
    lines = [line for it in listed for line in _lines(it, invocation)]
    if (more := len(names) - _MOST_APPS) > 0:
        lines.append(f"… and {counted(more, 'more app')}: {', '.join(names[_MOST_APPS:])[:_LONGEST]}")
    return Reply.page("Apps", "\n".join(lines) or _NOTHING)


def _lines(listed: ListedApp, invocation: Invocation) -> Iterator[str]:
    yield f"app:{listed.name}  {listed.purpose}".rstrip()
    if actions := listed.actions:
        more = f" and {len(actions) - _MOST_ACTIONS} more" if len(actions) > _MOST_ACTIONS else ""
        yield f"  actions: {', '.join(actions[:_MOST_ACTIONS])}{more}"
    for it in listed.missing(invocation.session.user.id, invocation.runtime):
        explanation = f" ({in_line(it.description)})" if it.description else ""
        yield f'  missing: ${it.name}{explanation} — in app:{listed.name}: /set ${it.name} = "..."'


APPS = Command(
    name="apps",
    summary="List the installed apps, what they do and what they need.",
    usage="/apps",
    run=_apps,
    takes_arguments=False,
    group="Apps",
)
