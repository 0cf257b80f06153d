"""The reference with a goal: a Starlette app that sends a recorded response of the daemon."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from bench.answer import Answer, load_answer
from bench.serve import ADDED, serve

if TYPE_CHECKING:
    from starlette.requests import Request

# The response class counts the bytes itself.
_OMITTED = ADDED | {"content-length"}


def app(recorded: Answer) -> Starlette:
    """Return an app with one route that reads the body and sends the recorded response."""
    headers = {name: value for name, value in recorded.headers.items() if name not in _OMITTED}

    async def answer(request: Request) -> Response:
        await request.body()
        return Response(recorded.body, headers=headers)

    return Starlette(routes=[Route("/exec", answer, methods=["POST"])])


if __name__ == "__main__":
    answer = load_answer(Path(sys.argv[1]))
    serve(app(answer), "bare", server_header="server" in answer.headers)
