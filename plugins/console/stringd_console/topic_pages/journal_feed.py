"""The service that tells the journal which commands were refused, and which topics and users are gone."""

from __future__ import annotations

import asyncio

from stringd.plugin import CommandEnded, EventFilter, Runtime, SessionEnded, UserRemoved
from stringd_console.topic_pages.journal import journal_of

_KINDS = frozenset({CommandEnded.kind, SessionEnded.kind, UserRemoved.kind})
_PAUSE_SECONDS = 0.2


async def feed_journal(runtime: Runtime) -> None:
    """Apply events to the journal until the daemon stops."""
    journal = journal_of(runtime)
    while True:
        with runtime.events.watch(EventFilter(kinds=_KINDS)) as events:
            async for published in events:
                journal.apply(published)
        # It was too slow to read all of them, or the daemon stops.
        await asyncio.sleep(_PAUSE_SECONDS)
