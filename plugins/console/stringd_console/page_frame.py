"""What surrounds all pages: navigation, badges, what waits for a person, errors, and signing in."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial

from markupsafe import Markup

from stringd.plugin import (
    EventFilter,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    Runtime,
)
from stringd.plugin.workers import guarded_call
from stringd_console.access.signed_in_browsers import SignedInBrowsers
from stringd_console.console_page import ConsolePage, Regions, View, on_events
from stringd_console.live.snapshot import Snapshot, joined
from stringd_console.node_pages.nodes_page import nodes_page
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.questions.questions_page import questions_page
from stringd_console.topic_pages.topics_page import TopicsPage
from stringd_console.user_pages.users_page import UsersPage

log = logging.getLogger(__name__)

_QUESTION_KINDS = frozenset({QuestionAsked.kind, QuestionAnswered.kind, QuestionWithdrawn.kind})


def own_pages(
    runtime: Runtime, browsers: SignedInBrowsers, others: Sequence[ConsolePage]
) -> Sequence[ConsolePage]:
    """Return the pages that the console itself has, given those of other plugins."""
    pages = (TopicsPage(runtime).page, questions_page(runtime), UsersPage(runtime, browsers, others).page)
    return (*pages, nodes_page(runtime, runtime.peers)) if runtime.peers else pages


class PageFrame:
    """Renders whole pages, and keeps the navigation up to date."""

    def __init__(self, runtime: Runtime, browsers: SignedInBrowsers) -> None:
        self._runtime = runtime
        self._templates = PageTemplates("stringd_console")
        others = runtime.added(ConsolePage)
        self.pages: Sequence[ConsolePage] = sorted(
            (*own_pages(runtime, browsers, others), *others), key=lambda it: (it.position, it.name)
        )
        self._by_name = {it.name: it for it in self.pages}
        badge_kinds = frozenset[str]().union(*(it.badge_kinds for it in self.pages))
        self.view = View(
            title="",
            template="",
            regions=self._regions,
            changes=on_events(runtime, EventFilter(kinds=_QUESTION_KINDS | badge_kinds, everywhere=True)),
        )

    def find(self, name: str) -> ConsolePage | None:
        """Return the page with this name."""
        return self._by_name.get(name)

    async def page(self, page: ConsolePage, view: View, browser: str) -> Markup:
        """Return a page as it is now, for the browser with this id."""
        frame = Snapshot(await self._regions())
        parts = [Snapshot(await (it.first_regions or it.regions)()) for it in (view, *view.parts)]
        shown = {name: region for part in parts for name, region in part.regions.items()}
        return self._templates.render(
            "page.html",
            browser=browser,
            content=page.templates.render(
                view.template, view.values, region=partial(_region, shown), title=view.title
            ),
            current=page,
            known=",".join(it.digest for it in (frame, *parts)),
            pages=self.pages,
            region=partial(_region, frame.regions),
            title=view.title,
        )

    def error_page(self, message: str) -> Markup:
        """Return the page that says what is wrong with a path."""
        return self._templates.render("error.html", message=message, pages=self.pages, title="Not found")

    def sign_in_page(self) -> Markup:
        """Return the page for a browser that is not signed in, which says how to do that."""
        has_operator = self._runtime.questions.operator_state != "none"
        return self._templates.render("sign_in.html", port=self._runtime.port, has_operator=has_operator)

    def opening_page(self) -> Markup:
        """Return the page without content that a navigation gets; its script loads the content."""
        return self._templates.render("opening.html", title="stringd")

    async def _regions(self) -> Regions:
        waiting = self._runtime.questions.listed()
        badges = {f"badge-{it.name}": _badge(it) for it in self.pages if it.badge}
        return {**badges, "waiting": self._templates.render("waiting.html", waiting=waiting)}


def _badge(page: ConsolePage) -> Markup:
    """Return the number beside the title of a page; nothing if its plugin fails."""
    try:
        count = guarded_call(page.badge) if page.badge else 0
    except Exception:
        log.exception("the badge of the console's page %s can't be shown", page.name)
        count = 0
    return Markup('<span class="count">{}</span>').format(count) if count else Markup()


def _region(
    regions: Regions, name: str, tag: str = "div", attributes: Mapping[str, str] | None = None
) -> Markup:
    """Return the element of a region; further attributes, such as its class, may be given."""
    more = Markup("").join(Markup(' {}="{}"').format(*it) for it in (attributes or {}).items())
    return Markup('<{0} data-region="{1}"{2}>{3}</{0}>').format(tag, name, more, joined(regions[name]))
