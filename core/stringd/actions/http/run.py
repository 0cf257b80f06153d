"""HTTP actions: a request of an author's with a caller's values, and the answer to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from stringd.actions.action_environment import Environment
from stringd.actions.answers import Answer, read_json
from stringd.actions.arguments.values import Value
from stringd.actions.http.redirected_request import send_following_redirects
from stringd.actions.http.request import Prepared, build_request
from stringd.actions.placeholders import Filling
from stringd.actions.secret_taint import taint_of
from stringd.actions.taint import Taint
from stringd.api.http import HttpClient, HttpRequest, HttpResponse
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.documents.syntax.forms import origin_of
from stringd.errors import HttpFailed, Refusal
from stringd.text.media_types import parse_media_type

TOTAL_SECONDS = 60.0
BODY_LIMIT = 10 * 1024 * 1024
MOST_SHOWN = 500
FIRST_FAILURE = 400
_UNREADABLE = "\ufffd"
# What a document of the network does not say of its requests; by another `Host` it would leave its origin.
_STRINGDS = frozenset({"host", "user-agent"})


async def run_http(
    action: Action,
    values: Mapping[str, Value],
    environment: Environment,
    variables: Mapping[str, str],
    *,
    page: Page,
    client: HttpClient,
    read_file: Callable[[str], bytes],
    confirmed: bool = False,
    unasked: bool = False,
    taint: Taint | None = None,
) -> Answer:
    """Send the request and return the answer; refuse with `ACTION_FAILED` where there is no good one.

    What is `unasked` does no more than to get something from where the page is from.
    """
    declared = {it.name: values.get(it.name) for it in action.parameters}
    taint = taint or taint_of(action, environment)
    filling = Filling({**variables, **declared}, environment.secrets, read_file, taint)
    prepared = build_request(action, values, filling, reach=page.zone.reach(confirmed=confirmed))
    if not environment.trusted:
        prepared = _as_stringd(prepared)
    within = _Within(action=action.id, origin=origin_of(page.uri)) if unasked else None
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            request, response = await _exchange(prepared, client, within)
    except TimeoutError:
        raise Refusal("ACTION_FAILED", f"act.{action.id}: no answer within {TOTAL_SECONDS:g} s") from None
    if response.status >= FIRST_FAILURE:
        raise _failure(action, response, environment)
    return _answer(request.url, response)


def _as_stringd(prepared: Prepared) -> Prepared:
    """Let a request of the network's say whose it is, and to whom: no other daemon or site serves it then."""
    headers = {name: text for name, text in prepared.request.headers.items() if name not in _STRINGDS}
    return replace(prepared, request=replace(prepared.request, headers=headers))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Within:
    """What a page from the network does by itself: it gets something from its own origin."""

    action: str
    origin: str | None

    def check(self, request: HttpRequest) -> None:
        """Refuse all else, and say how it is done nevertheless."""
        origin = origin_of(request.url)
        if origin is None or (request.method, origin) != ("GET", self.origin):
            message = "A page from the network does nothing by itself but GET from its own origin"
            told = f"{message}, no {request.method} at {origin}; it is done by /act.{self.action}"
            raise Refusal("NOT_TRUSTED", told)


async def _exchange(
    prepared: Prepared, client: HttpClient, within: _Within | None
) -> tuple[HttpRequest, HttpResponse]:
    async def send(request: HttpRequest) -> HttpResponse:
        if within:
            within.check(request)
        return await _sent(request, client)

    return await send_following_redirects(prepared, send)


async def _sent(request: HttpRequest, client: HttpClient) -> HttpResponse:
    try:
        return await client.exchange(request, limit=BODY_LIMIT)
    except HttpFailed as failure:
        host = request.origin.rpartition("@")[2].rpartition("/")[2]
        raise Refusal("ACTION_FAILED", f"No usable answer from {host}: {failure}") from failure


def _failure(action: Action, response: HttpResponse, environment: Environment) -> Refusal:
    status = f"{response.status} {response.reason}".rstrip()
    # Cut first, a secret would show how it begins.
    told = environment.hidden_beginning(_text(response).strip(), MOST_SHOWN)
    return Refusal("ACTION_FAILED", f"act.{action.id}: {status}", *([told] if told else []))


def _answer(uri: str, response: HttpResponse) -> Answer:
    text = _text(response)
    media_type = parse_media_type(response.headers.get("content-type", "text/plain")).type
    return Answer(
        status=response.status,
        headers=response.headers,
        body=read_json(text),
        text=text,
        data=response.body if _UNREADABLE in text else b"",
        media_type=media_type,
        uri=uri,
        zone=response.zone,
    )


def _text(response: HttpResponse) -> str:
    try:
        text = response.body.decode(response.charset or "utf-8", errors="replace")
    except LookupError:
        text = response.body.decode(errors="replace")
    return text.removeprefix("\ufeff")
