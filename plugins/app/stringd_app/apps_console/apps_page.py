"""The console's page of apps and plugins."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import lru_cache
from urllib.parse import quote

from stringd.plugin import (
    CommandEnded,
    ErrorCode,
    Event,
    EventFilter,
    Refusal,
    Runtime,
    User,
    UserAdded,
    UserRemoved,
)
from stringd_app.apps_console.app_acts import AppActs
from stringd_app.apps_console.app_secrets import AppSecretChanged
from stringd_app.apps_console.shown_apps import ShownApp, chosen_user, shown_apps
from stringd_console import ConsolePage, Item, PageRequest, PageTemplates, Regions, View

_TEMPLATES = PageTemplates("stringd_app")
_KINDS = frozenset({CommandEnded.kind, AppSecretChanged.kind, UserAdded.kind, UserRemoved.kind})
_CHANGING = ("install", "uninstall", "set", "undo", "write")


def apps_page(runtime: Runtime) -> ConsolePage:
    """Return the page of a daemon's apps and plugins."""
    acts = AppActs(runtime)

    async def changes() -> AsyncGenerator[object, None]:
        with runtime.events.watch(EventFilter(kinds=_KINDS)) as events:
            async for published in events:
                if _may_change(published.event):
                    yield published

    async def view(request: PageRequest) -> View:
        if request.path:
            raise Refusal(ErrorCode.NOT_FOUND, "There is no such page of apps.")
        user = chosen_user(request.query.get("user", ""), runtime)

        async def regions() -> Regions:
            return await _regions(user, acts, runtime)

        values = {
            "chosen": user.id if user else "",
            "users": sorted(it.id for it in runtime.users),
            "plugins": runtime.plugin_summaries,
        }
        return View(title="Apps", template="apps.html", regions=regions, changes=changes, values=values)

    return ConsolePage(
        name="apps", title="Apps", templates=_TEMPLATES, view=view, actions=acts.acts, position=50
    )


async def _regions(user: User | None, acts: AppActs, runtime: Runtime) -> Regions:
    apps = await shown_apps(user, runtime) if user else ()
    report = acts.report(user.id) if user else None
    page = f"/console/apps?user={quote(user.id)}" if user else "/console/apps"
    values = {"user": user, "count": len(apps), "missing": sum(it.missing for it in apps)}
    return {
        "report": _TEMPLATES.render("apps_report.html", report=report, user=user, page=page),
        "summary": _TEMPLATES.render("apps_summary.html", values),
        "apps": tuple(map(_card, apps)),
    }


def _may_change(event: Event) -> bool:
    """Whether an event may concern the apps: commands end often, and apps are read from files."""
    if not isinstance(event, CommandEnded):
        return True
    return event.label.lstrip("/").startswith(_CHANGING)


@lru_cache(maxsize=1024)
def _card(app: ShownApp) -> Item:
    return Item(key=app.name, html=_TEMPLATES.macro("app_card.html", "card")(app))
