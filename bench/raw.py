"""The minimal reference: an ASGI app without a framework that sends a recorded response."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench.answer import load_answer
from bench.serve import ADDED, serve

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from bench.answer import Answer


def app(recorded: Answer) -> ASGIApp:
    """Read the body and send the recorded response to any request."""
    kept = {name: value for name, value in recorded.headers.items() if name not in ADDED}
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in kept.items()]

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": recorded.body})

    return answer


if __name__ == "__main__":
    answer = load_answer(Path(sys.argv[1]))
    serve(app(answer), "raw", server_header="server" in answer.headers, lifespan="off")
