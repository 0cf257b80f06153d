"""Routes and services are notified of a shutdown, and cannot delay it."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually

PATIENCE = 10
SOURCE = """
import asyncio
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from stringd.plugin import *

@hookimpl
def stringd_routes(runtime):
    async def deaf(request):
        async def chunks():
            yield "begun"
            await asyncio.Event().wait()
        return StreamingResponse(chunks())
    async def silent(request):
        print("silent has begun", flush=True)
        await asyncio.Event().wait()
    async def socket(socket):
        await socket.accept()
        await socket.send_text("begun")
        await asyncio.Event().wait()
    async def attentive(request):
        print("attentive has begun", flush=True)
        await runtime.stopping()
        return PlainTextResponse("stopping")
    async def leave(request): raise SystemExit(request.path_params["word"])
    routes = [Route(f"/{it.__name__}", it) for it in (deaf, silent, attentive)]
    return [*routes, WebSocketRoute("/socket", socket), Route("/leave/{word}", leave)]

@hookimpl
def stringd_services(runtime):
    async def watch():
        await runtime.stopping()
        print("service: stopping", flush=True)
        try:
            await asyncio.Event().wait()
        finally:
            print("service: cancelled", flush=True)
    return [Service(name="watch", run=watch)]
"""


@pytest.fixture
def daemon(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    points = {"stringd.plugins": {"deaf": "deaf"}}
    folder = write_distribution(tmp_path / "deaf", "deaf", "1.0", points, {"deaf": SOURCE})
    return start_daemon("--plugins", "deaf", pythonpath=[folder])


@contextmanager
def begin(daemon: DaemonProcess, path: str) -> Iterator[http.client.HTTPConnection]:
    """Send a request whose answer may take for ever."""
    with closing(http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        yield connection


def test_endless_routes_do_not_delay_shutdown(daemon: DaemonProcess) -> None:
    url = f"ws://127.0.0.1:{daemon.port}/socket"
    with (
        begin(daemon, "/deaf") as deaf,
        closing(deaf.getresponse()) as stream,
        begin(daemon, "/silent"),
        connect(url, open_timeout=PATIENCE) as socket,
    ):
        assert stream.read(5) == b"begun"
        assert socket.recv(PATIENCE) == "begun"
        eventually(lambda: "silent has begun" in daemon.stderr())
        assert daemon.stop() == 0
        with pytest.raises(ConnectionClosed):
            socket.recv(PATIENCE)
    log = daemon.stderr()
    assert log.index("service: stopping") < log.index("service: cancelled")
    # Neither was waited for until the end of the time for answers, nor until that of the whole shutdown.
    assert "timeout graceful shutdown exceeded" not in log
    assert "shutdown did not finish" not in log
    assert "Traceback" not in log


def test_route_may_answer_during_shutdown(daemon: DaemonProcess) -> None:
    with begin(daemon, "/attentive") as connection:
        eventually(lambda: "attentive has begun" in daemon.stderr())
        assert daemon.stop() == 0
        assert connection.getresponse().read() == b"stopping"


def test_route_raising_system_exit_fails(daemon: DaemonProcess) -> None:
    answer = daemon.request("GET", "/leave/now")
    assert (answer.status, answer.json()["error"]) == (500, "INTERNAL_ERROR")
    assert "SystemExit: now" in daemon.stderr()
    assert daemon.request("GET", "/health").status == 200
