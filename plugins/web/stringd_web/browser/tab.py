"""One browser tab: navigate to a URI, wait until the page is idle, take a snapshot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from stringd.plugin import RESPONSE_LIMIT, Refusal
from stringd_web.browser.devtools import BrowserGone, Declined, DevTools, Fields
from stringd_web.browser.isolated_world import IsolatedWorld
from stringd_web.browser.load_progress import LoadProgress
from stringd_web.browser.navigation_guard import NavigationGuard, load_failure
from stringd_web.browser.popups import ATTACHING

_POLL_SECONDS = 0.1
_IDLE_SECONDS = 0.5
# Some pages keep a request pending forever, others never stop changing.
_PARTLY_IDLE_SECONDS = 4.0
_SCREEN = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
# A script that opens dialogs in a loop could not be stopped.
_NO_DIALOGS = "alert = print = () => undefined; confirm = () => false; prompt = () => null;"
_MAX_ATTEMPTS, _ATTEMPT_SECONDS = 4, 0.5
_FRAMES = frozenset({"iframe", "fencedframe"})
_DOCUMENTS = [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}]


class PageSnapshot(Struct, frozen=True, kw_only=True):
    """A page's HTML, None if it is too large, with the page's URI and media type."""

    html: str | None
    uri: str
    type: str


class Tab:
    """A tab with its frames, navigation guard and load progress."""

    def __init__(self, devtools: DevTools, target: str, session: str, guard: NavigationGuard) -> None:
        self.progress = LoadProgress(target)
        self._devtools = devtools
        self._target = target
        self._session = session
        self._sessions = {session}
        self._guard = guard
        self._world = IsolatedWorld(devtools, session, target, self.progress.check)
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, devtools: DevTools, context: str, guard: NavigationGuard) -> Tab:
        """Open an empty tab in a browser context."""
        created = await devtools.call("Target.createTarget", url="about:blank", browserContextId=context)
        target = created["targetId"]
        attached = await devtools.call("Target.attachToTarget", targetId=target, flatten=True)
        tab = cls(devtools, target, attached["sessionId"], guard)
        for method in ("Page.enable", "Network.enable", "Inspector.enable"):
            await tab._call(method)
        await tab._call("Network.setBypassServiceWorker", bypass=True)
        await tab._call("Page.addScriptToEvaluateOnNewDocument", source=_NO_DIALOGS)
        await tab._call("Emulation.setDeviceMetricsOverride", **_SCREEN)
        await tab._call("Emulation.setFocusEmulationEnabled", enabled=True)
        await tab._guard_session(attached["sessionId"])
        return tab

    def close(self) -> None:
        """Stop listening to events of the tab."""
        for session in self._sessions:
            self._devtools.remove_listener(session)
        for task in self._tasks:
            task.cancel()

    async def navigate(self, uri: str, deadline: float) -> None:
        """Navigate to a URI; refuse if that fails or takes longer than the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                answer = await self._call("Page.navigate", url=uri)
        except TimeoutError:
            raise load_failure("no answer in time", uri) from None
        if self._guard.refusal:
            raise self._guard.refusal
        if connection_failure := self._guard.connection_failure():
            raise load_failure(connection_failure, uri)
        if error := answer.get("errorText"):
            raise load_failure(f"the browser shows nothing, and says {error}", uri)
        if answer.get("isDownload"):
            raise load_failure("a browser would save it to a file", uri)

    async def wait_until_idle(self, deadline: float) -> bool:
        """Wait until the page is idle; return False if the deadline passes first."""
        try:
            async with asyncio.timeout_at(deadline):
                while True:
                    if await self._is_idle():
                        return True
                    await asyncio.sleep(_POLL_SECONDS)
        except TimeoutError:
            return False

    async def stop(self) -> None:
        """Stop all scripts of the page, even one in an endless loop."""
        for _ in range(_MAX_ATTEMPTS):
            self._start(self._call, "Emulation.setScriptExecutionDisabled", value=True)
            self._start(self._call, "Runtime.terminateExecution")
            self._start(self._call, "Page.stopLoading")
            try:
                async with asyncio.timeout(_ATTEMPT_SECONDS):
                    await self._call("Page.getLayoutMetrics")
                    return
            except TimeoutError:
                continue

    async def snapshot(self, notice: str) -> PageSnapshot:
        """Return a snapshot of the page, with an optional notice inserted at its start."""
        while True:
            try:
                return PageSnapshot(
                    **await self._world.evaluate(
                        f"stringd.serialized({RESPONSE_LIMIT}, {json.dumps(notice)})"
                    )
                )
            except Declined:
                await asyncio.sleep(_POLL_SECONDS)

    async def _is_idle(self) -> bool:
        self.progress.check()
        if not self.progress.parsed:
            return False
        try:
            document_idle = await self._world.evaluate("stringd.idleMilliseconds()") / 1000
        except Declined:
            return False
        network_idle = self.progress.network_idle_seconds()
        if self.progress.loaded and min(document_idle, network_idle) >= _IDLE_SECONDS:
            return True
        return bool(max(document_idle, network_idle) >= _PARTLY_IDLE_SECONDS)

    async def call(self, method: str, **params: object) -> Fields:
        """Call a method of the tab, and return its result."""
        return await self._call(method, **params)

    async def evaluate(self, expression: str) -> Any:
        """Evaluate an expression of ours in the page, isolated from its scripts."""
        return await self._world.evaluate(expression)

    async def _call(self, method: str, **params: object) -> Fields:
        return await self._devtools.call(method, self._session, **params)

    async def _guard_session(self, session: str) -> None:
        """Have the browser ask before it fetches documents, in this session and its child sessions."""
        self._sessions.add(session)
        self._devtools.set_listener(session, self._handle_event)
        call = self._devtools.call
        await call("Fetch.enable", session, patterns=_DOCUMENTS)
        await call("Target.setAutoAttach", session, **ATTACHING)
        await call("Runtime.runIfWaitingForDebugger", session)

    def _handle_event(self, session: str, method: str, fields: Fields) -> None:
        match method:
            case "Fetch.requestPaused":
                self._start(self._decide_request, session, fields)
            case "Target.attachedToTarget":
                self._start(self._attach, fields)
            case "Page.javascriptDialogOpening":
                accept = fields["type"] == "beforeunload"
                self._start(self._call, "Page.handleJavaScriptDialog", accept=accept)
            case _ if session == self._session:
                if method == "Page.frameNavigated" and "parentId" not in fields["frame"]:
                    self._world.reset()
                self.progress.handle_event(method, fields)

    async def _attach(self, fields: Fields) -> None:
        if fields["targetInfo"]["type"] in _FRAMES:
            await self._guard_session(fields["sessionId"])
        else:
            await self._devtools.call("Runtime.runIfWaitingForDebugger", fields["sessionId"])

    async def _decide_request(self, session: str, fields: Fields) -> None:
        is_main_frame, uri = fields["frameId"] == self._target, fields["request"]["url"]
        try:
            await (self._guard.admit_page(uri) if is_main_frame else self._guard.admit_frame(uri))
        except Refusal:
            method, params = "Fetch.failRequest", {"errorReason": "Aborted"}
        else:
            method, params = "Fetch.continueRequest", {}
        await self._devtools.call(method, session, requestId=fields["requestId"], **params)

    def _start(self, call: Callable[..., Awaitable[object]], *args: object, **params: object) -> None:
        task = asyncio.create_task(_ignore_page_errors(call, *args, **params))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _ignore_page_errors(
    call: Callable[..., Awaitable[object]], *args: object, **params: object
) -> None:
    """Await a call that may fail because the page has changed."""
    try:
        await call(*args, **params)
    except (BrowserGone, Declined):
        return
