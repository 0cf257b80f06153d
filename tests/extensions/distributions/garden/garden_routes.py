"""`/garden`: HTTP and WebSocket routes that run commands through the daemon they were given."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket

from stringd.plugin import Runtime, TopicName, hookimpl


async def run(runtime: Runtime, topic: TopicName, cmd: str) -> dict[str, str | None]:
    outcome = await runtime.execute("default", topic, cmd)
    reply = outcome.reply
    return {"system": reply.system, "content": reply.content, "code": reply.code}


async def run_one(runtime: Runtime, request: Request) -> Response:
    topic = runtime.topic_name(request.path_params["topic"])
    return JSONResponse(await run(runtime, topic, (await request.body()).decode()))


async def run_many(runtime: Runtime, socket: WebSocket) -> None:
    topic = runtime.topic_name(socket.path_params["topic"])
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_json(await run(runtime, topic, text))


async def describe(runtime: Runtime, _: Request) -> Response:
    user = runtime.user("default")
    return JSONResponse(
        {
            "home": str(user.home),
            "commands": list(runtime.commands("file")),
            "sessions": [it.topic for it in runtime.sessions("default")],
        }
    )


async def collapse(_: Request) -> Response:
    raise RuntimeError("a secret of the garden")


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    return [
        Route("/garden", partial(describe, runtime)),
        Route("/garden/collapse", collapse),
        Route("/garden/run/{topic}", partial(run_one, runtime), methods=["POST"]),
        Mount("/garden/shed", PlainTextResponse("a spade")),
        WebSocketRoute("/garden/live/{topic}", partial(run_many, runtime)),
    ]
