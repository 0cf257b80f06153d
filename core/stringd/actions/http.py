"""HTTP actions: a request of an author's with a caller's values, and the answer to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from stringd.actions.answers import Answer, read_json
from stringd.actions.environment import Environment
from stringd.actions.placeholders import Filling
from stringd.actions.reach import within_reach
from stringd.actions.redirects import next_request
from stringd.actions.request import Prepared, build_request
from stringd.actions.values import Value
from stringd.contracts.http import HttpClient, HttpResponse
from stringd.documents.actions import Action
from stringd.documents.page import Page
from stringd.errors import Refusal

TOTAL_SECONDS = 60.0
BODY_LIMIT = 10 * 1024 * 1024
MOST_REDIRECTS = 10
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
) -> Answer:
    """Send the request and return the answer; refuse with `ACTION_FAILED` where there is no good one."""
    declared = {it.name: values.get(it.name) for it in action.parameters}
    filling = Filling({**variables, **declared}, environment.secrets, read_file)
    prepared = build_request(action, values, filling)
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            request, response = await _exchange(prepared, environment, page, client)
    except TimeoutError:
        raise Refusal("ACTION_FAILED", f"act.{action.id}: no answer within {TOTAL_SECONDS:g} s") from None
    if response.status >= FIRST_FAILURE:
        raise _failure(action, response)
    return _answer(request.request.url, response, private=page.reach)


async def _exchange(
    prepared: Prepared, environment: Environment, page: Page, client: HttpClient
) -> tuple[Prepared, HttpResponse]:
    for _ in range(MOST_REDIRECTS + 1):
        request = prepared.request
        if not environment.trusted:
            request = await within_reach(request, private=page.reach)
        response = await client.exchange(request, limit=BODY_LIMIT)
        following = next_request(prepared, response)
        if following is None:
            return prepared, response
        prepared = following
    raise Refusal("ACTION_FAILED", f"More than {MOST_REDIRECTS} redirects")


def _failure(action: Action, response: HttpResponse) -> Refusal:
    status = f"{response.status} {response.reason}".rstrip()
    told = _text(response).strip()[:MOST_SHOWN]
    return Refusal("ACTION_FAILED", f"act.{action.id}: {status}", *([told] if told else []))


def _answer(uri: str, response: HttpResponse, *, private: bool) -> Answer:
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
        private=private,
    )


def _text(response: HttpResponse) -> str:
    try:
        text = response.body.decode(response.charset or "utf-8", errors="replace")
    except LookupError:
        text = response.body.decode(errors="replace")
    return text.removeprefix("\ufeff")
