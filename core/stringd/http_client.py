"""The daemon's HTTP client: connections are kept, cookies are not, redirects are left to the caller."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from stringd import __version__
from stringd.contracts.http import HttpRequest, HttpResponse
from stringd.errors import Refusal

CONNECT_SECONDS = 10.0
MOST_CONNECTIONS = 100


class SharedHttpClient:
    """One client for all topics."""

    def __init__(self) -> None:
        self._client = httpx.AsyncClient(
            headers={"user-agent": f"stringd/{__version__}"},
            # Whoever shares the client must not share what services know them by.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=())),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=MOST_CONNECTIONS),
        )

    async def exchange(self, request: HttpRequest, *, limit: int) -> HttpResponse:
        """Send a request and read the answer; see `HttpClient.exchange`."""
        try:
            response = await self._client.send(self._made(request), stream=True)
            try:
                body = await _read(response, limit)
            finally:
                await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            host = request.origin.rpartition("@")[2].rpartition("/")[2]
            reason = str(error) or type(error).__name__
            raise Refusal("ACTION_FAILED", f"No answer from {host}: {reason}") from error
        return HttpResponse(
            status=response.status_code,
            reason=response.reason_phrase,
            headers=dict(response.headers),
            body=body,
            charset=response.charset_encoding,
        )

    async def aclose(self) -> None:
        """Close what connections are left."""
        await self._client.aclose()

    def _made(self, request: HttpRequest) -> httpx.Request:
        url = _ExactUrl(request.origin, request.target, request.address)
        headers = {name.encode(): text.encode() for name, text in request.headers.items()}
        extensions = {}
        if request.address:
            named = httpx.URL(request.origin)
            headers = {b"host": named.netloc, **headers}
            extensions["sni_hostname"] = named.host
        made = self._client.build_request(
            request.method, url, headers=headers, content=request.body, extensions=extensions
        )
        made.url = url
        return made


class _ExactUrl(httpx.URL):
    """A URL whose path and query go out as they are written: nothing sorts, decodes or encodes them again."""

    def __init__(self, origin: str, target: str, address: str | None) -> None:
        super().__init__(origin)
        if address:
            super().__init__(self, host=address)
        self._target = target.encode()

    @property
    def raw_path(self) -> bytes:
        return self._target


async def _read(response: httpx.Response, limit: int) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > limit:
            raise Refusal("ACTION_FAILED", f"The answer is larger than {limit // 1024**2} MiB.")
    return bytes(body)
