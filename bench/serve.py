"""Serve a reference app with the settings of the daemon."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Literal

import uvicorn

if TYPE_CHECKING:
    from starlette.types import ASGIApp


# The server adds these to every answer by itself.
ADDED = frozenset({"date", "server"})


def serve(
    app: ASGIApp, name: str, *, server_header: bool = True, lifespan: Literal["auto", "off"] = "auto"
) -> None:
    """Serve until SIGTERM on a free port of loopback, which is printed to stderr as the daemon does."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    port = listener.getsockname()[1]
    print(f"{name} listening on http://127.0.0.1:{port}", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=server_header,
        lifespan=lifespan,
    )
    uvicorn.Server(config).run(sockets=[listener])
