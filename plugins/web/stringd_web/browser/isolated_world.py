"""Evaluation of our scripts in a document, isolated from the page's own scripts."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from stringd_web.browser.devtools import Declined, DevTools

_NAME = "stringd"
_SCRIPTS = [
    files("stringd_web.browser").joinpath(it).read_text(encoding="utf-8")
    for it in ("reader.js", "elements.js")
]


class IsolatedWorld:
    """A JavaScript world that shares the page's document but not its globals."""

    def __init__(self, devtools: DevTools, session: str, frame: str, check: Callable[[], None]) -> None:
        self._devtools = devtools
        self._session = session
        self._frame = frame
        self._check = check
        self._context: int | None = None

    def reset(self) -> None:
        """Forget the context after a navigation."""
        self._context = None

    async def evaluate(self, expression: str) -> Any:
        """Evaluate an expression; raise `Declined` if the page navigated meanwhile."""
        if self._context is None:
            self._context = await self._create()
        try:
            return await self._evaluate(expression, self._context)
        except Declined:
            self._context = None
            raise

    async def _create(self) -> int:
        created = await self._devtools.call(
            "Page.createIsolatedWorld", self._session, frameId=self._frame, worldName=_NAME
        )
        context: int = created["executionContextId"]
        for script in _SCRIPTS:
            await self._evaluate(script, context)
        return context

    async def _evaluate(self, expression: str, context: int) -> Any:
        self._check()
        answer = await self._devtools.call(
            "Runtime.evaluate", self._session, expression=expression, contextId=context, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise Declined(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")
