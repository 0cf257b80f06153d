"""Blocking of popups."""

from __future__ import annotations

import asyncio

from stringd_web.browser.devtools import BrowserGone, Declined, DevTools, Fields

ATTACHING = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


class Popups:
    """Closes every page that another one opens, before it sends a request."""

    def __init__(self, devtools: DevTools) -> None:
        self._devtools = devtools
        self._tasks: set[asyncio.Task[None]] = set()

    async def keep_out(self) -> None:
        """Start blocking."""
        self._devtools.set_listener("", self._handle_event)
        await self._devtools.call("Target.setAutoAttach", **ATTACHING)

    def _handle_event(self, _: str, method: str, fields: Fields) -> None:
        if method == "Target.attachedToTarget" and fields["waitingForDebugger"]:
            task = asyncio.create_task(self._close_or_resume(fields["sessionId"], fields["targetInfo"]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _close_or_resume(self, session: str, target: Fields) -> None:
        call = self._devtools.call
        try:
            if "openerId" in target:
                # A popup that never runs would block its opener; this one runs, with all its requests held.
                await call("Fetch.enable", session)
                await call("Runtime.runIfWaitingForDebugger", session)
                await call("Target.closeTarget", targetId=target["targetId"])
            else:
                await call("Runtime.runIfWaitingForDebugger", session)
        except (BrowserGone, Declined):
            return
