"""The route to which a service sends the browser of a person who has consented."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stringd.plugin import OpenQuestion, Refusal, RequestRefused, Runtime

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PATH = "/openapi/callback"
_DONE = "stringd has what it needs. You can close this page."
_UNKNOWN = "Nobody waits for this consent any more. Call the operation again."


class ConsentRequests:
    """The open questions for consent, by the `state` that only their browser page knows."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._questions: dict[str, str] = {}

    @contextmanager
    def waiting(self, state: str) -> Iterator[ConsentRequests]:
        """Accept an answer with this state until the end of the block."""
        try:
            yield self
        finally:
            self._questions.pop(state, None)

    def opened(self, state: str, question: OpenQuestion) -> None:
        """Note that the question for a state is open."""
        self._questions[state] = question.id

    async def endpoint(self, request: Request) -> Response:
        """Answer the question that a redirected browser belongs to."""
        from starlette.responses import PlainTextResponse

        question = self._questions.get(request.query_params.get("state", ""))
        if question is None:
            return PlainTextResponse(_UNKNOWN, 404)
        try:
            address = f"http://127.0.0.1{request.url.path}?{request.url.query}"
            self._runtime.questions.answer(question, address, by="operator", through="browser")
        except (Refusal, RequestRefused) as refusal:
            return PlainTextResponse(str(refusal), 400)
        return PlainTextResponse(_DONE)


_of_runtime: WeakKeyDictionary[Runtime, ConsentRequests] = WeakKeyDictionary()


def consent_requests(runtime: Runtime) -> ConsentRequests:
    """Return the consent requests of a daemon."""
    return _of_runtime.setdefault(runtime, ConsentRequests(runtime))
