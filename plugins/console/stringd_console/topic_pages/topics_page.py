"""The page of all topics."""

from __future__ import annotations

from functools import lru_cache

from stringd.plugin import EventFilter, Runtime, SessionSummary
from stringd_console.console_page import ConsolePage, Item, PageRequest, Regions, View, on_events
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.topic_pages.topic_actions import TopicActions
from stringd_console.topic_pages.topic_page import find_topic

_TEMPLATES = PageTemplates("stringd_console")


def topics_page(runtime: Runtime) -> ConsolePage:
    """Return the page of a daemon's topics."""

    async def regions() -> Regions:
        topics = sorted(runtime.sessions(None), key=lambda it: (it.user_id, it.topic_type, it.topic))
        summary = _TEMPLATES.render(
            "topics_summary.html",
            total=len(topics),
            running=sum(it.executing for it in topics),
            queued=sum(it.queue_length for it in topics),
        )
        return {"summary": summary, "topics": tuple(map(_row, topics))}

    async def view(request: PageRequest) -> View:
        if request.path:
            return find_topic(runtime, request).view()
        return View(
            title="Topics",
            template="topics.html",
            regions=regions,
            changes=on_events(runtime, EventFilter()),
        )

    return ConsolePage(
        name="topics",
        title="Topics",
        templates=_TEMPLATES,
        view=view,
        actions=TopicActions(runtime).acts,
        position=10,
    )


@lru_cache(maxsize=4096)
def _row(topic: SessionSummary) -> Item:
    html = _TEMPLATES.macro("topic_row.html", "row")(topic)
    return Item(key=f"{topic.user_id}/{topic.topic}", html=html)
