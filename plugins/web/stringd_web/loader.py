"""Brings the pages of the web to topics, and keeps for each topic what its sites let it keep."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stringd.plugin import Daemon, Loaded, Loader, Refusal, Topic, Wanted

if TYPE_CHECKING:
    from stringd_web.memory import Memory

SCHEMES = ("http", "https")
TOTAL_SECONDS = 20.0


def web_loader(daemon: Daemon) -> Loader:
    """Return what loads the URLs of the web."""
    memories: WeakKeyDictionary[Topic, Memory] = WeakKeyDictionary()

    async def load(wanted: Wanted) -> Loaded:
        # It takes a while to import, and not every daemon needs it.
        from stringd_web.fetching import fetch_page
        from stringd_web.memory import Memory

        memory = memories.get(wanted.topic)
        if memory is None:
            memory = memories[wanted.topic] = Memory()
        try:
            async with asyncio.timeout(TOTAL_SECONDS):
                return await fetch_page(daemon.http, memory, wanted)
        except TimeoutError:
            raise Refusal("LOAD_ERROR", f"No answer within {TOTAL_SECONDS:g} s: {wanted.uri}") from None

    return Loader(schemes=SCHEMES, load=load)
