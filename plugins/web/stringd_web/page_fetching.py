"""Loading a web page over HTTP, through redirects and refreshes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from stringd.plugin import (
    BodySink,
    ErrorCode,
    HttpClient,
    HttpFailed,
    HttpRequest,
    HttpResponse,
    LoadedBytes,
    LoadRequest,
    Refusal,
)
from stringd.plugin.events import current_output
from stringd.plugin.http import (
    MAX_REDIRECTS,
    Redirect,
    RedirectFailed,
    TooManyRedirects,
    follow_redirects,
)
from stringd.plugin.text import WebUrl
from stringd_web.browsing_state import BrowsingState
from stringd_web.error_excerpts import error_excerpt
from stringd_web.meta_refresh import refresh_target
from stringd_web.response_page import page_from_response, redirect_note

REDIRECT = "redirect"
_REFERRER_HEADERS = frozenset({"origin", "referer"})
ACCEPT = "text/markdown, text/html;q=0.9, application/json;q=0.8, text/plain;q=0.7, */*;q=0.1"


async def fetch_page(
    client: HttpClient, state: BrowsingState, wanted: LoadRequest, sink: BodySink | None = None
) -> LoadedBytes:
    """Load the requested page, following redirects and refreshes; refusals name what was asked for.

    With a sink, the page goes there, and no refreshes are followed.
    """
    try:
        request, response = await follow_redirects(
            _first_request(wanted),
            partial(_send, client, state, wanted, sink),
            carry=partial(_carry, wanted),
            refresh=None if sink else refresh_target,
        )
    except TooManyRedirects as failure:
        message = f"More than {MAX_REDIRECTS} redirects: {wanted.uri}"
        raise Refusal(ErrorCode.LOAD_ERROR, message, f"the last one leads to {failure.url}") from failure
    except RedirectFailed as failure:
        raise _failed(failure, failure.url, wanted.uri) from failure
    shown = error_excerpt(response, wanted.options.hidden)
    return page_from_response(response, WebUrl.read(request.url), wanted.uri, shown)


async def _send(
    client: HttpClient, state: BrowsingState, wanted: LoadRequest, sink: BodySink | None, request: HttpRequest
) -> HttpResponse:
    """Send one of the requests for a page; refusals name what was asked for."""
    url = WebUrl.read(request.url)
    try:
        return await state.exchange(
            client,
            url,
            request,
            fresh=wanted.options.fresh,
            site=read_url(wanted.part_of).origin if wanted.part_of else None,
            # What a page includes is fetched at the same time, and would be taken for the page.
            on_progress=None if wanted.part_of else current_output().report,
            sink=sink,
        )
    except HttpFailed as failure:
        raise _failed(failure, url, wanted.uri) from failure
    except Refusal as refusal:
        context = (*redirect_note(url, wanted.uri), *refusal.context)
        raise Refusal(refusal.code, refusal.message, *context) from refusal


def _failed(failure: HttpFailed, url: WebUrl, requested: str) -> Refusal:
    reason = str(failure)
    return Refusal(
        ErrorCode.LOAD_ERROR, f"{reason[0].upper()}{reason[1:]}: {requested}", *redirect_note(url, requested)
    )


def _carry(wanted: LoadRequest, redirect: Redirect) -> HttpRequest:
    """Return the following request; the headers that name a form's page stay within its origin.

    A body with a secret does so, too.
    """
    current_output().write(f"redirected to {redirect.target}\n", REDIRECT)
    request = redirect.request
    is_within = redirect.target.origin == redirect.source.origin
    if request.method != "GET" and is_within:
        return request
    if request.body is not None and wanted.options.secrets:
        message = f"The site redirects to {redirect.target.origin}, which would be sent a form with a $NAME."
        raise Refusal(ErrorCode.NOT_TRUSTED, message, "Only the origin that the form is sent to gets it.")
    headers = {name: text for name, text in request.headers.items() if name not in _REFERRER_HEADERS}
    return replace(request, headers=headers)


def _first_request(wanted: LoadRequest) -> HttpRequest:
    url, submission = read_url(wanted.uri), wanted.options.submission
    headers = {"accept": "*/*" if wanted.save else ACCEPT}
    if submission:
        headers |= {"content-type": submission.media_type, **_referrer_headers(submission.page, url)}
    return HttpRequest(
        method=submission.method if submission else "GET",
        origin=url.origin,
        target=url.target,
        headers=headers,
        body=submission.body if submission else None,
        nearest_zone=wanted.options.nearest_zone,
    )


def _referrer_headers(page: str, url: WebUrl) -> Mapping[str, str]:
    """Return Origin and Referer as browsers send them; other sites see only the origin."""
    try:
        origin = WebUrl.read(page).origin
    except ValueError:
        return {}
    return {"origin": origin, "referer": page if origin == url.origin else f"{origin}/"}


def read_url(uri: str) -> WebUrl:
    """Parse a URI that was typed or linked, or refuse."""
    try:
        url = WebUrl.read(uri)
    except ValueError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a URL of the web: {uri}", str(error)) from None
    if url.credentials:
        message = f"A URL with a user name in it is not opened: it would be shown and kept. Open {url}"
        raise Refusal(ErrorCode.INVALID_TARGET, message)
    return url
