"""Views by their paths, running as long as a browser follows them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from msgspec import Struct, field

from stringd_console.console_page import View
from stringd_console.live.live_page import LivePage


class _Shared(Struct):
    live: LivePage
    running: AsyncExitStack = field(default_factory=AsyncExitStack)
    followers: int = 0


class SharedViews:
    """Shares a running view among the browsers that show the same path."""

    def __init__(self) -> None:
        self._views: dict[str, _Shared] = {}

    @asynccontextmanager
    async def follow(self, key: str, view: View) -> AsyncIterator[LivePage]:
        """Follow the view with this key; `view` is used if nobody else follows it."""
        shared = self._views.get(key)
        if shared is None or shared.live.has_ended:
            shared = self._views[key] = _Shared(LivePage(view))
            await shared.running.enter_async_context(shared.live.running())
        shared.followers += 1
        try:
            yield shared.live
        finally:
            shared.followers -= 1
            if not shared.followers:
                if self._views.get(key) is shared:
                    del self._views[key]
                await shared.running.aclose()
