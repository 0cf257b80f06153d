"""What only the daemon can ask of a document, where the page's scripts have no way in."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from stringd_web.browser.devtools import Declined, DevTools

_NAME = "stringd"
_READER = files("stringd_web.browser").joinpath("reader.js").read_text(encoding="utf-8")


class IsolatedWorld:
    """A world of JavaScript beside the page's own, which sees the same document."""

    def __init__(self, devtools: DevTools, session: str, frame: str, check: Callable[[], None]) -> None:
        self._devtools = devtools
        self._session = session
        self._frame = frame
        self._check = check
        self._context: int | None = None

    def leave(self) -> None:
        """Forget the document, which is another one now."""
        self._context = None

    async def know(self, expression: str) -> Any:
        """Return what an expression says; raise `Declined` where the document is another one meanwhile."""
        if self._context is None:
            self._context = await self._enter()
        try:
            return await self._evaluate(expression, self._context)
        except Declined:
            self._context = None
            raise

    async def _enter(self) -> int:
        entered = await self._devtools.call(
            "Page.createIsolatedWorld", self._session, frameId=self._frame, worldName=_NAME
        )
        context: int = entered["executionContextId"]
        await self._evaluate(_READER, context)
        return context

    async def _evaluate(self, expression: str, context: int) -> Any:
        self._check()
        answer = await self._devtools.call(
            "Runtime.evaluate", self._session, expression=expression, contextId=context, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise Declined(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")
