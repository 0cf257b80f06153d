"""A plugin whose `/ws` plays a script: what it sends for each type of message that it gets."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from stringd.plugin import hookimpl

SCRIPT = Path(os.environ["STAGE"])


def read_script() -> dict[str, list[dict[str, Any]]]:
    """What is sent for each type of message; a test may have changed it since."""
    script: dict[str, list[dict[str, Any]]] = json.loads(SCRIPT.read_text(encoding="utf-8"))
    return script


def note(received: dict[str, Any]) -> None:
    """Append a message to a file for the test."""
    with SCRIPT.with_suffix(".received").open("a", encoding="utf-8") as log:
        log.write(f"{json.dumps(received)}\n")


async def play(socket: WebSocket) -> None:
    """Answer each message with those of the script; `{"wait": seconds}` waits."""
    await socket.accept()
    script = read_script()
    try:
        while True:
            received = await socket.receive_json()
            note(received)
            for message in script.get(received["type"], ()):
                if "wait" in message:
                    await asyncio.sleep(message["wait"])
                elif "close" in message:
                    await socket.close(message["close"])
                else:
                    await socket.send_json(message)
    except WebSocketDisconnect:
        return


@hookimpl
def stringd_routes() -> Iterable[BaseRoute]:
    """Add the route."""
    return [WebSocketRoute("/ws", play)]
