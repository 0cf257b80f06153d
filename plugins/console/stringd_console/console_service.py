"""The console of one daemon: serves its pages, their changes and their actions to signed-in browsers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property, partial
from importlib.resources import files
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from stringd.plugin import DaemonReady, EventFilter, Refusal, RequestRefused, Runtime
from stringd_console.access.access_routes import AccessRoutes
from stringd_console.access.checked_request import (
    KEY_HEADER,
    NotSignedIn,
    require_acting_browser,
    require_browser,
    signed_in_browser,
)
from stringd_console.access.operator_presence import OperatorPresence
from stringd_console.access.passed_requests import (
    OPERATOR_HEADER,
    PATH_HEADER,
    PassedRequest,
    home_left,
    passed_browser,
    user_of_form,
    user_of_path,
)
from stringd_console.access.signed_in_browsers import Browser, SignedInBrowsers
from stringd_console.console_page import ConsolePage, PageRequest, View
from stringd_console.live.live_page import LivePage
from stringd_console.live.page_stream import PageStream, either
from stringd_console.live.shared_views import SharedViews
from stringd_console.other_nodes import HERE_PATH
from stringd_console.page_frame import PageFrame
from stringd_console.page_responses import (
    file_response,
    html_response,
    json_response,
    protected_route,
    read_fields,
)
from stringd_console.topic_pages.journal_recording import begin_journal

ROOT = "/console"
_MEDIA_TYPES = {
    "command-input.js": "text/javascript",
    "console.css": "text/css",
    "console.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "icon-waiting.svg": "image/svg+xml",
    "screen.js": "text/javascript",
}


class NoSuchPage(RequestRefused):
    """The console has no such page, file or action."""

    status = 404
    code = "NOT_FOUND"


class ConsoleService:
    """Serves whatever pages plugins add."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._views = SharedViews()
        self._presence = OperatorPresence(runtime.questions)
        self.browsers = SignedInBrowsers(runtime.events.publish)
        self.access = AccessRoutes(runtime, self.browsers, ROOT)

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """The routes below `/console`."""
        return (
            protected_route("GET", ROOT, self._enter),
            *self.access.routes,
            protected_route("GET", f"{ROOT}/files/{{page}}/{{download}}", self._download),
            protected_route("GET", f"{ROOT}/files/{{page}}/{{download}}/{{path:path}}", self._download),
            protected_route("GET", f"{HERE_PATH}/{{page}}", self._here),
            protected_route("GET", f"{ROOT}/live", self._live),
            protected_route("GET", f"{ROOT}/static/{{name}}", self._static),
            protected_route("POST", f"{ROOT}/act/{{page}}/{{action}}", self._act),
            protected_route("GET", f"{ROOT}/{{path:path}}", self._page),
        )

    async def begin(self) -> None:
        """Keep the journal; show a link in the terminal where the daemon was started, once it listens."""
        begin_journal(self._runtime)
        with self._runtime.events.watch(EventFilter(kinds={DaemonReady.kind})) as events:
            async for _ in events:
                link = self.access.link()
                self._runtime.questions.tell_operator(f"stringd: the console, for one browser: {link}")
                return

    @cached_property
    def _frame(self) -> PageFrame:
        return PageFrame(self._runtime, self.browsers)

    async def _enter(self, request: Request) -> Response:
        if signed_in_browser(request, self.browsers) is None:
            return html_response(self._frame.sign_in_page(), 401)
        return RedirectResponse(f"{ROOT}/{self._frame.pages[0].name}", 303)

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _MEDIA_TYPES:
            raise NoSuchPage(f"There is no file {name}.")
        body = files("stringd_console").joinpath("static", name).read_bytes()
        return Response(body, media_type=_MEDIA_TYPES[name])

    async def _here(self, request: Request) -> Response:
        """Answer another node."""
        page = self._frame.find(request.path_params["page"])
        if passed_browser(request, self._runtime) is None or page is None or page.here is None:
            raise NoSuchPage("There is nothing to show to other nodes.")
        return json_response(page.here())

    async def _page(self, request: Request) -> ASGIApp:
        if KEY_HEADER not in request.headers and signed_in_browser(request, self.browsers):
            # Browsers navigate with the cookie only; the script of this page asks with the key, too.
            return html_response(self._frame.opening_page())
        try:
            browser = self._browser(request)
            path = request.path_params["path"]
            if passed := await self._passed(request, browser, self._user_of(path)):
                return passed
            page, view = await self._view(path, request.query_params)
        except NotSignedIn:
            return html_response(self._frame.sign_in_page(), 401)
        except RequestRefused as refused:
            return html_response(self._frame.error_page(refused.message), refused.status)
        return html_response(await self._frame.page(page, view, browser.id))

    async def _view(self, path: str, query: Mapping[str, str]) -> tuple[ConsolePage, View]:
        name, *below = path.split("/")
        page = self._frame.find(name)
        if page is None:
            raise NoSuchPage(f"The console has no page {name}.")
        try:
            return page, await page.view(PageRequest(path=tuple(below), query=dict(query)))
        except Refusal as refusal:
            raise NoSuchPage(refusal.message) from refusal

    def _user_of(self, path: str) -> str:
        name, *below = path.split("/")
        return user_of_path(self._frame.find(name), below)

    def _browser(self, request: Request) -> Browser:
        return passed_browser(request, self._runtime) or require_browser(request, self.browsers)

    async def _passed(self, request: Request, browser: Browser, user_id: str) -> PassedRequest | None:
        """Return what has another node answer a request about a user; None if this one does."""
        if not user_id or self._runtime.peers is None or OPERATOR_HEADER in request.headers:
            return None
        passage = await self._runtime.peers.passage(user_id)
        return passage and PassedRequest(passage, browser, browser.signed_out.wait, await request.body())

    async def _download(self, request: Request) -> ASGIApp:
        browser = self._browser(request)
        page = self._frame.find(request.path_params["page"])
        below = request.path_params.get("path", "").split("/")
        if passed := await self._passed(request, browser, user_of_path(page, below)):
            return passed
        fetch = page.downloads.get(request.path_params["download"]) if page else None
        if fetch is None:
            raise NoSuchPage("There is no such file.")
        path = request.path_params.get("path", "")
        below = tuple(path.split("/")) if path else ()
        try:
            return file_response(await fetch(PageRequest(path=below, query=dict(request.query_params))))
        except Refusal as refusal:
            raise NoSuchPage(refusal.message) from refusal

    async def _live(self, request: Request) -> ASGIApp:
        browser = self._browser(request)
        query = dict(request.query_params)
        path = unquote(query.pop("path", "")).removeprefix(f"{ROOT}/")
        user_id = self._user_of(path)
        if passed := await self._passed(request, browser, user_id):
            return passed
        known = query.pop("known", "").split(",")
        _, view = await self._view(path, query)
        followed = partial(self._followed, f"{path}?{json.dumps(query, sort_keys=True)}", view)
        return PageStream(followed, known, partial(self._ended, browser, user_id))

    async def _ended(self, browser: Browser, user_id: str) -> None:
        """Wait for the end of what a browser follows: it signs out, or the user's home leaves this node."""
        if user_id and self._runtime.peers:
            await either(browser.signed_out.wait(), home_left(self._runtime, user_id))
        else:
            await browser.signed_out.wait()

    @asynccontextmanager
    async def _followed(self, key: str, view: View) -> AsyncIterator[Sequence[LivePage]]:
        """Follow a page and the frame; whoever looks at a page counts as an attached operator."""
        async with AsyncExitStack() as stack:
            stack.enter_context(self._presence.shows_page())
            frame = await stack.enter_async_context(self._views.follow("", self._frame.view))
            followed = [frame]
            for number, part in enumerate((view, *view.parts)):
                followed.append(await stack.enter_async_context(self._views.follow(f"{number}{key}", part)))
            yield followed

    async def _act(self, request: Request) -> ASGIApp:
        browser = passed_browser(request, self._runtime) or require_acting_browser(request, self.browsers)
        page = self._frame.find(request.path_params["page"])
        act = page.actions.get(request.path_params["action"]) if page else None
        if act is None:
            raise NoSuchPage("There is no such action.")
        fields = await read_fields(request)
        user_id = user_of_form(page, fields, unquote(request.headers.get(PATH_HEADER, "")))
        try:
            if passed := await self._passed(request, browser, user_id):
                return passed
            result = await act(fields)
        except RequestRefused as refused:
            return json_response({"error": refused.message, "code": refused.code}, 422)
        except Refusal as refusal:
            context = "\n".join(refusal.context)
            return json_response({"error": refusal.message, "code": refusal.code, "context": context}, 422)
        return json_response({"notice": result.notice, "go": result.go, "data": result.data})


_services: WeakKeyDictionary[Runtime, ConsoleService] = WeakKeyDictionary()


def console_service(runtime: Runtime) -> ConsoleService:
    """Return the one service of a daemon."""
    service = _services.get(runtime)
    if service is None:
        service = _services[runtime] = ConsoleService(runtime)
    return service
