"""Pages that pages open: there are none."""

from __future__ import annotations

import asyncio

from stringd_web.browser.devtools import BrowserGone, Declined, DevTools, Fields

ATTACHING = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


class Popups:
    """Closes every page that another one has opened, before it asks for anything."""

    def __init__(self, devtools: DevTools) -> None:
        self._devtools = devtools
        self._tasks: set[asyncio.Task[None]] = set()

    async def keep_out(self) -> None:
        """Begin to close them."""
        self._devtools.listen("", self._hear)
        await self._devtools.call("Target.setAutoAttach", **ATTACHING)

    def _hear(self, _: str, method: str, fields: Fields) -> None:
        if method == "Target.attachedToTarget" and fields["waitingForDebugger"]:
            task = asyncio.create_task(self._judge(fields["sessionId"], fields["targetInfo"]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _judge(self, session: str, target: Fields) -> None:
        call = self._devtools.call
        try:
            if "openerId" in target:
                # What never runs keeps the page waiting that has opened it; this runs and gets no answer.
                await call("Fetch.enable", session)
                await call("Runtime.runIfWaitingForDebugger", session)
                await call("Target.closeTarget", targetId=target["targetId"])
            else:
                await call("Runtime.runIfWaitingForDebugger", session)
        except (BrowserGone, Declined):
            return
