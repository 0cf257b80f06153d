"""What may become a page, or a frame in it: decided before anything is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.plugin import HttpFailed, Refusal
from stringd.plugin.text import WebUrl
from stringd_web.browser.network_policy import NetworkPolicy, Origin

MOST_STEPS = 10
_OF_THE_PAGE = frozenset({"about", "blob", "data"})


@dataclass(slots=True, kw_only=True)
class NavigationGuard:
    """Lets a page go where its border lets it, and not for ever."""

    border: NetworkPolicy
    refusal: Refusal | None = None
    _origin: Origin = ("", 0)
    _steps: int = 0

    async def page(self, uri: str) -> None:
        """Admit what is to be the page, by a redirect or by its own doing, or refuse."""
        try:
            self._count()
            self._origin = _origin(uri)
            await self.border.enter(*self._origin)
        except HttpFailed as failure:
            self.refusal = failed(str(failure), uri)
            raise self.refusal from failure
        except Refusal as refusal:
            self.refusal = refusal
            raise

    async def frame(self, uri: str) -> None:
        """Admit what is to be shown in a frame, or refuse."""
        if uri.partition(":")[0] not in _OF_THE_PAGE:
            await self.border.embed(*_origin(uri))

    def fault(self) -> str | None:
        """Why nothing came from where the page was last led to, if nothing did."""
        return self.border.faults.get(self._origin)

    def _count(self) -> None:
        if self._steps > MOST_STEPS:
            raise Refusal("LOAD_ERROR", f"The page leads on and on: more than {MOST_STEPS} times.")
        self._steps += 1


def failed(reason: str, uri: str) -> Refusal:
    """Return the refusal that says why there is nothing of a URI."""
    return Refusal("LOAD_ERROR", f"{reason[0].upper()}{reason[1:]}: {uri}")


def _origin(uri: str) -> Origin:
    try:
        url = WebUrl.read(uri)
    except ValueError as error:
        raise Refusal("INVALID_TARGET", f"Not a URL of the web: {uri[:200]}", str(error)) from None
    return url.host, url.port
