"""`/garden`: HTTP and WebSocket routes that run commands through the daemon they were given."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket

from stringd.plugin import Daemon, TopicName, hookimpl


async def run(daemon: Daemon, topic: TopicName, cmd: str) -> dict[str, str | None]:
    outcome = await daemon.execute("default", topic, cmd)
    reply = outcome.reply
    return {"system": reply.system, "content": reply.content, "code": reply.code}


async def run_one(daemon: Daemon, request: Request) -> Response:
    topic = daemon.topic_name(request.path_params["topic"])
    return JSONResponse(await run(daemon, topic, (await request.body()).decode()))


async def run_many(daemon: Daemon, socket: WebSocket) -> None:
    topic = daemon.topic_name(socket.path_params["topic"])
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_json(await run(daemon, topic, text))


async def describe(daemon: Daemon, _: Request) -> Response:
    user = daemon.user("default")
    return JSONResponse(
        {
            "home": str(user.home),
            "commands": list(daemon.commands("file")),
            "sessions": [it.topic for it in daemon.sessions("default")],
        }
    )


async def collapse(_: Request) -> Response:
    raise RuntimeError("a secret of the garden")


@hookimpl
def stringd_routes(daemon: Daemon) -> Iterable[BaseRoute]:
    return [
        Route("/garden", partial(describe, daemon)),
        Route("/garden/collapse", collapse),
        Route("/garden/run/{topic}", partial(run_one, daemon), methods=["POST"]),
        Mount("/garden/shed", PlainTextResponse("a spade")),
        WebSocketRoute("/garden/live/{topic}", partial(run_many, daemon)),
    ]
