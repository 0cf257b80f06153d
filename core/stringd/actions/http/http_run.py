"""Run HTTP actions: send the request, follow redirects, and return the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from stringd.actions.answers import Answer, read_json
from stringd.actions.environment.action_environment import Environment
from stringd.actions.http.action_request import PreparedRequest, build_request
from stringd.actions.http.redirected_request import send_following_redirects
from stringd.actions.values.placeholders import PlaceholderFiller
from stringd.actions.values.secret_taint import Taint, taint_of
from stringd.actions.values.typed_values import Value
from stringd.api.http import RESPONSE_LIMIT, HttpClient, HttpRequest, HttpResponse
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.errors import ErrorCode, HttpFailed, Refusal
from stringd.events.output_feed import current_output
from stringd.text.media_types import parse_media_type
from stringd.text.web_urls import origin_of

TOTAL_SECONDS = 60.0
ERROR_BODY_CHARACTERS = 500
FIRST_FAILURE = 400
_UNREADABLE = "\ufffd"
# Headers that a document from the network may not set; with another `Host` it could reach another site.
_RESERVED_HEADERS = frozenset({"host", "user-agent"})


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
    """Send the request and return the answer; refuse with `ACTION_FAILED` if it fails.

    An `unasked` request may only be a GET on the page's own origin.
    """
    declared = {it.name: values.get(it.name) for it in action.parameters}
    taint = taint or taint_of(action, environment.secret_values)
    filling = PlaceholderFiller({**variables, **declared}, environment.secrets, read_file, taint)
    nearest_zone = page.zone.nearest_allowed(confirmed=confirmed)
    prepared = build_request(action, values, filling, nearest_zone=nearest_zone, own=environment.own)
    if not environment.trusted:
        prepared = _without_reserved_headers(prepared)
    policy = _SameOriginPolicy(action=action.id, origin=origin_of(page.uri)) if unasked else None
    check = policy.check if policy else None
    request, response = await send_prepared(prepared, client, action=action.id, check=check)
    if response.status >= FIRST_FAILURE:
        raise _failure(action, response, environment)
    return response_answer(request.url, response)


async def send_prepared(
    prepared: PreparedRequest,
    client: HttpClient,
    *,
    action: str,
    check: Callable[[HttpRequest], None] | None = None,
) -> tuple[HttpRequest, HttpResponse]:
    """Send the request of an action, follow redirects, and return the last request with its response.

    `check` may refuse a request before it is sent. Raises a `Refusal` if there is no usable response; one
    with a status of failure is usable.
    """
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            return await _exchange(prepared, client, check)
    except TimeoutError:
        message = f"act.{action}: no answer within {TOTAL_SECONDS:g} s"
        raise Refusal(ErrorCode.ACTION_FAILED, message) from None


def _without_reserved_headers(prepared: PreparedRequest) -> PreparedRequest:
    """Return the request with the client's own `Host` and `User-Agent` instead of the document's."""
    headers = {name: text for name, text in prepared.request.headers.items() if name not in _RESERVED_HEADERS}
    return replace(prepared, request=replace(prepared.request, headers=headers))


class _SameOriginPolicy(Struct, frozen=True, kw_only=True):
    """The policy for unasked requests of pages from the network: only GET, only to the page's own origin."""

    action: str
    origin: str | None

    def check(self, request: HttpRequest) -> None:
        """Refuse a request that violates the policy, and name the command that sends it."""
        origin = origin_of(request.url)
        if origin is None or (request.method, origin) != ("GET", self.origin):
            message = (
                "Without a command, a page from the network may only GET from its own origin, "
                f"not {request.method} at {origin}; /act.{self.action} sends it"
            )
            raise Refusal(ErrorCode.NOT_TRUSTED, message)


async def _exchange(
    prepared: PreparedRequest, client: HttpClient, check: Callable[[HttpRequest], None] | None
) -> tuple[HttpRequest, HttpResponse]:
    async def send(request: HttpRequest) -> HttpResponse:
        if check:
            check(request)
        return await _send(request, client)

    return await send_following_redirects(prepared, send)


async def _send(request: HttpRequest, client: HttpClient) -> HttpResponse:
    try:
        return await client.exchange(request, limit=RESPONSE_LIMIT, on_progress=current_output().report)
    except HttpFailed as failure:
        host = request.origin.rpartition("@")[2].rpartition("/")[2]
        raise Refusal(ErrorCode.ACTION_FAILED, f"No usable answer from {host}: {failure}") from failure


def _failure(action: Action, response: HttpResponse, environment: Environment) -> Refusal:
    status = f"{response.status} {response.reason}".rstrip()
    # Masking must come before shortening, which could leave the start of a secret.
    excerpt = environment.mask_beginning(_text(response).strip(), ERROR_BODY_CHARACTERS)
    return Refusal(ErrorCode.ACTION_FAILED, f"act.{action.id}: {status}", *([excerpt] if excerpt else []))


def response_answer(uri: str, response: HttpResponse) -> Answer:
    """Return the answer that a response from a URI is, whatever its status."""
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
