"""HTTP actions: a request of an author's with a caller's values, and the answer to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from stringd.actions.answers import Answer, read_json
from stringd.actions.environment import Environment
from stringd.actions.placeholders import Filling
from stringd.actions.redirects import next_request
from stringd.actions.request import Prepared, build_request
from stringd.actions.values import Value
from stringd.contracts.http import HttpClient, HttpRequest, HttpResponse
from stringd.documents.actions import Action
from stringd.documents.page import Page
from stringd.errors import HttpFailed, Refusal
from stringd.http.redirects import MOST_REDIRECTS

TOTAL_SECONDS = 60.0
BODY_LIMIT = 10 * 1024 * 1024
MOST_SHOWN = 500
FIRST_FAILURE = 400
_UNREADABLE = "\ufffd"


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
) -> Answer:
    """Send the request and return the answer; refuse with `ACTION_FAILED` where there is no good one."""
    declared = {it.name: values.get(it.name) for it in action.parameters}
    filling = Filling({**variables, **declared}, environment.secrets, read_file)
    prepared = build_request(action, values, filling, reach=page.zone.reach(confirmed=confirmed))
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            request, response = await _exchange(prepared, client)
    except TimeoutError:
        raise Refusal("ACTION_FAILED", f"act.{action.id}: no answer within {TOTAL_SECONDS:g} s") from None
    if response.status >= FIRST_FAILURE:
        raise _failure(action, response)
    return _answer(request.request.url, response)


async def _exchange(prepared: Prepared, client: HttpClient) -> tuple[Prepared, HttpResponse]:
    for _ in range(MOST_REDIRECTS + 1):
        response = await _sent(prepared.request, client)
        following = next_request(prepared, response)
        if following is None:
            return prepared, response
        prepared = following
    raise Refusal("ACTION_FAILED", f"More than {MOST_REDIRECTS} redirects")


async def _sent(request: HttpRequest, client: HttpClient) -> HttpResponse:
    try:
        return await client.exchange(request, limit=BODY_LIMIT)
    except HttpFailed as failure:
        host = request.origin.rpartition("@")[2].rpartition("/")[2]
        raise Refusal("ACTION_FAILED", f"No usable answer from {host}: {failure}") from failure


def _failure(action: Action, response: HttpResponse) -> Refusal:
    status = f"{response.status} {response.reason}".rstrip()
    told = _text(response).strip()[:MOST_SHOWN]
    return Refusal("ACTION_FAILED", f"act.{action.id}: {status}", *([told] if told else []))


def _answer(uri: str, response: HttpResponse) -> Answer:
    text = _text(response)
    media_type = response.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
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
