"""Decides which navigations of a page and its frames are allowed, before any request is sent."""

from __future__ import annotations

from msgspec import Struct

from stringd.plugin import ErrorCode, HttpFailed, Refusal
from stringd.plugin.text import WebUrl
from stringd_web.browser.network_policy import NetworkPolicy, Origin

MAX_NAVIGATIONS = 10
_LOCAL_SCHEMES = frozenset({"about", "blob", "data"})


class NavigationGuard(Struct, kw_only=True):
    """Admits navigations by the network policy, up to a maximum number."""

    policy: NetworkPolicy
    refusal: Refusal | None = None
    _origin: Origin = ("", 0)
    _navigations: int = 0

    def begin_command(self) -> None:
        """Allow the page the navigations and the traffic of another command."""
        self.refusal, self._navigations = None, 0
        self.policy.allow_bytes()

    async def admit_page(self, uri: str) -> None:
        """Admit a navigation of the page, by a redirect or by script, or refuse."""
        try:
            self._count()
            self._origin = _origin(uri)
            await self.policy.enter(*self._origin)
        except HttpFailed as failure:
            self.refusal = load_failure(str(failure), uri)
            raise self.refusal from failure
        except Refusal as refusal:
            self.refusal = refusal
            raise

    async def admit_frame(self, uri: str) -> None:
        """Admit a navigation of a frame, or refuse."""
        if uri.partition(":")[0] not in _LOCAL_SCHEMES:
            await self.policy.embed(*_origin(uri))

    def connection_failure(self) -> str | None:
        """Return why connecting to the page's last origin failed, if it did."""
        return self.policy.failures.get(self._origin)

    def _count(self) -> None:
        if self._navigations > MAX_NAVIGATIONS:
            raise Refusal(ErrorCode.LOAD_ERROR, f"The page navigated more than {MAX_NAVIGATIONS} times.")
        self._navigations += 1


def load_failure(reason: str, uri: str) -> Refusal:
    """Return the refusal for a URI that can't be loaded, with the reason."""
    return Refusal(ErrorCode.LOAD_ERROR, f"{reason[0].upper()}{reason[1:]}: {uri}")


def _origin(uri: str) -> Origin:
    try:
        url = WebUrl.read(uri)
    except ValueError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a URL of the web: {uri[:200]}", str(error)) from None
    return url.host, url.port
