"""One page in the browser: led to a URI, left alone until it has come to rest, and read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from stringd.plugin import Refusal
from stringd_web.browser.devtools import BrowserGone, Declined, DevTools, Fields
from stringd_web.browser.isolated_world import IsolatedWorld
from stringd_web.browser.load_progress import Progress
from stringd_web.browser.navigation_guard import NavigationGuard, failed
from stringd_web.browser.popups import ATTACHING

BODY_LIMIT = 10 * 1024**2
_LOOK_SECONDS = 0.1
_REST_SECONDS = 0.5
# Some pages wait for a server's word for ever, others never stop moving.
_RESTLESS_SECONDS = 4.0
_SCREEN = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
# A script that does nothing but open them could not be ended.
_NO_DIALOGS = "alert = print = () => undefined; confirm = () => false; prompt = () => null;"
_MOST_ATTEMPTS, _ATTEMPT_SECONDS = 4, 0.5
_FRAMES = frozenset({"iframe", "fencedframe"})
_DOCUMENTS = [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What stands in a page: its HTML, which is None if it is too much, the page's URI and its media type."""

    html: str | None
    uri: str
    type: str


class Tab:
    """The page, and everything that is known of it."""

    def __init__(self, devtools: DevTools, target: str, session: str, gate: NavigationGuard) -> None:
        self.progress = Progress(target)
        self._devtools = devtools
        self._target = target
        self._session = session
        self._sessions = {session}
        self._gate = gate
        self._world = IsolatedWorld(devtools, session, target, self.progress.check)
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, devtools: DevTools, context: str, gate: NavigationGuard) -> Tab:
        """Open an empty page in a browser's context."""
        created = await devtools.call("Target.createTarget", url="about:blank", browserContextId=context)
        target = created["targetId"]
        attached = await devtools.call("Target.attachToTarget", targetId=target, flatten=True)
        tab = cls(devtools, target, attached["sessionId"], gate)
        for method in ("Page.enable", "Network.enable", "Inspector.enable"):
            await tab._call(method)
        await tab._call("Network.setBypassServiceWorker", bypass=True)
        await tab._call("Page.addScriptToEvaluateOnNewDocument", source=_NO_DIALOGS)
        await tab._call("Emulation.setDeviceMetricsOverride", **_SCREEN)
        await tab._call("Emulation.setFocusEmulationEnabled", enabled=True)
        await tab._keep(attached["sessionId"])
        return tab

    def close(self) -> None:
        """Hear no more of it."""
        for session in self._sessions:
            self._devtools.leave(session)
        for task in self._tasks:
            task.cancel()

    async def go(self, uri: str, deadline: float) -> None:
        """Lead the page to a URI; refuse where nothing comes of it by a deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                answer = await self._call("Page.navigate", url=uri)
        except TimeoutError:
            raise failed("no answer in time", uri) from None
        if self._gate.refusal:
            raise self._gate.refusal
        if fault := self._gate.fault():
            raise failed(fault, uri)
        if error := answer.get("errorText"):
            raise failed(f"the browser shows nothing, and says {error}", uri)
        if answer.get("isDownload"):
            raise failed("a browser would save it to a file", uri)

    async def rest(self, deadline: float) -> bool:
        """Wait until the page has come to rest; False when it has not by then."""
        try:
            async with asyncio.timeout_at(deadline):
                while True:
                    if await self._rests():
                        return True
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            return False

    async def stop(self) -> None:
        """Let no script of the page's run any more, even if one runs that never ends."""
        for _ in range(_MOST_ATTEMPTS):
            self._begin(self._call, "Emulation.setScriptExecutionDisabled", value=True)
            self._begin(self._call, "Runtime.terminateExecution")
            self._begin(self._call, "Page.stopLoading")
            try:
                async with asyncio.timeout(_ATTEMPT_SECONDS):
                    await self._call("Page.getLayoutMetrics")
                    return
            except TimeoutError:
                continue

    async def read(self, word: str) -> Reading:
        """Return what stands in it, with a word before it if there is one to say."""
        while True:
            try:
                return Reading(
                    **await self._world.know(f"stringd.serialized({BODY_LIMIT}, {json.dumps(word)})")
                )
            except Declined:
                await asyncio.sleep(_LOOK_SECONDS)

    async def _rests(self) -> bool:
        self.progress.check()
        if not self.progress.parsed:
            return False
        try:
            still = await self._world.know("stringd.quiet()") / 1000
        except Declined:
            return False
        silent = self.progress.silence()
        if self.progress.loaded and min(still, silent) >= _REST_SECONDS:
            return True
        return bool(max(still, silent) >= _RESTLESS_SECONDS)

    async def _call(self, method: str, **params: object) -> Fields:
        return await self._devtools.call(method, self._session, **params)

    async def _keep(self, session: str) -> None:
        """Have the browser ask before it fetches a document, in this session and all that come of it."""
        self._sessions.add(session)
        self._devtools.listen(session, self._hear)
        call = self._devtools.call
        await call("Fetch.enable", session, patterns=_DOCUMENTS)
        await call("Target.setAutoAttach", session, **ATTACHING)
        await call("Runtime.runIfWaitingForDebugger", session)

    def _hear(self, session: str, method: str, fields: Fields) -> None:
        match method:
            case "Fetch.requestPaused":
                self._begin(self._decide, session, fields)
            case "Target.attachedToTarget":
                self._begin(self._take_in, fields)
            case "Page.javascriptDialogOpening":
                leaves = fields["type"] == "beforeunload"
                self._begin(self._call, "Page.handleJavaScriptDialog", accept=leaves)
            case _ if session == self._session:
                if method == "Page.frameNavigated" and "parentId" not in fields["frame"]:
                    self._world.leave()
                self.progress.hear(method, fields)

    async def _take_in(self, fields: Fields) -> None:
        if fields["targetInfo"]["type"] in _FRAMES:
            await self._keep(fields["sessionId"])
        else:
            await self._devtools.call("Runtime.runIfWaitingForDebugger", fields["sessionId"])

    async def _decide(self, session: str, fields: Fields) -> None:
        is_page, uri = fields["frameId"] == self._target, fields["request"]["url"]
        try:
            await (self._gate.page(uri) if is_page else self._gate.frame(uri))
        except Refusal:
            method, more = "Fetch.failRequest", {"errorReason": "Aborted"}
        else:
            method, more = "Fetch.continueRequest", {}
        await self._devtools.call(method, session, requestId=fields["requestId"], **more)

    def _begin(self, do: Callable[..., Awaitable[object]], *args: object, **more: object) -> None:
        task = asyncio.create_task(_try(do, *args, **more))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _try(do: Callable[..., Awaitable[object]], *args: object, **more: object) -> None:
    """Do what the page may have made pointless meanwhile."""
    try:
        await do(*args, **more)
    except (BrowserGone, Declined):
        return
