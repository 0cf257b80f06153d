"""The entries of a run's page as HTML; Markdown is rendered in a thread, the latest first."""

from __future__ import annotations

import time
from collections.abc import Sequence

from markupsafe import Markup

from stringd.plugin.workers import READING
from stringd_console import Item, markdown_html
from stringd_runs.run_pages.figures import money, seconds_between, seconds_of
from stringd_runs.run_pages.page_templates import TEMPLATES
from stringd_runs.run_pages.run_entries import CallState, Note, Said
from stringd_runs.run_pages.run_story import RunEntry

_SECONDS = 0.08
"""How long a page waits for Markdown before it shows the rest as it is."""
_STREAMED = 6_000
"""How much of a text is shown while it is streamed, in characters."""
_RESULTS = frozenset({"completed"})


class CallContent:
    """Renders entries, each once per version."""

    def __init__(self) -> None:
        self._items: dict[int, tuple[int, bool, Item]] = {}

    async def items(self, entries: Sequence[RunEntry]) -> tuple[tuple[Item, ...], bool]:
        """Return the items of entries, and whether all of their Markdown is rendered."""
        is_complete = await _render_markdown(entries)
        rendered = {it.number: self._rendered(it) for it in entries}
        self._items = rendered
        return tuple(item for _, _, item in rendered.values()), is_complete

    def _rendered(self, entry: RunEntry) -> tuple[int, bool, Item]:
        has_markdown = all(it.html is not None for it in _texts(entry))
        known = self._items.get(entry.number)
        if known and known[:2] == (entry.version, has_markdown):
            return known
        return entry.version, has_markdown, Item(key=str(entry.number), html=_html(entry))


async def _render_markdown(entries: Sequence[RunEntry]) -> bool:
    end = time.monotonic() + _SECONDS
    for it in [text for entry in entries for text in _texts(entry) if text.html is None]:
        if time.monotonic() > end:
            return False
        it.html = await READING.run(markdown_html, it.text.text)
    return True


def _texts(entry: RunEntry) -> list[Said | Note]:
    """Return what is Markdown: an agent's texts, once it has ended, and the result."""
    if isinstance(entry, Note):
        return [entry] if entry.kind in _RESULTS else []
    return [] if entry.state is CallState.ACTIVE else list(entry.texts())


def _html(entry: RunEntry) -> Markup:
    if isinstance(entry, Note):
        return TEMPLATES.macro("entries.html", "note")(entry, seconds_of(entry.at))
    duration = seconds_between(entry.at, entry.ended_at)
    cost = None if entry.cost is None else money(entry.cost)
    macro = TEMPLATES.macro("entries.html", "call")
    return macro(entry, seconds_of(entry.at), duration, cost, _STREAMED)
