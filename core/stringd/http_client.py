"""The daemon's HTTP client: connections are kept, cookies are not, redirects are left to the caller."""

from __future__ import annotations

from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING

from stringd import __version__
from stringd.contracts.http import HttpRequest, HttpResponse
from stringd.errors import Refusal

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
MOST_CONNECTIONS = 100


class SharedHttpClient:
    """One client for all topics. What it takes to make one is spent when the first request is sent."""

    async def exchange(self, request: HttpRequest, *, limit: int) -> HttpResponse:
        """Send a request and read the answer; see `HttpClient.exchange`."""
        import httpx

        try:
            made = self._request(request)
            response = await self._client.send(made, stream=True)
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
        if "_client" in vars(self):
            await self._client.aclose()

    @cached_property
    def _client(self) -> httpx.AsyncClient:
        import httpx

        return httpx.AsyncClient(
            headers={"user-agent": f"stringd/{__version__}"},
            # Whoever shares the client must not share what services know them by.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=())),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=MOST_CONNECTIONS),
        )

    def _request(self, request: HttpRequest) -> httpx.Request:
        import httpx

        url = httpx.URL(request.origin)
        headers = {name.encode(): text.encode() for name, text in request.headers.items()}
        extensions = {"target": request.target.encode()}
        if request.address:
            headers = {b"host": url.netloc, **headers}
            extensions["sni_hostname"] = url.host.encode()
            url = url.copy_with(host=request.address)
        # The target goes out as it was written: no library may sort, decode or encode it again.
        return self._client.build_request(
            request.method, url, headers=headers, content=request.body, extensions=extensions
        )


async def _read(response: httpx.Response, limit: int) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > limit:
            raise Refusal("ACTION_FAILED", f"The answer is larger than {limit // 1024**2} MiB.")
    return bytes(body)
