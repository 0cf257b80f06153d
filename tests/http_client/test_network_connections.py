"""Connections whose TLS fails are closed, and those nobody reads hold their peer back."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from typing import Any

import httpcore
import pytest
import uvloop

from stringd.http_client.network_connections import NetworkConnections

SECONDS = 10

Run = Callable[[Coroutine[Any, Any, None]], None]
Server = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]

on_each_loop = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])


def say(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example ready\r\n")


def end(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write_eof()


def stall(*_: object) -> None:
    """Leave the client without an answer."""


@pytest.mark.requirement("web.tls")
@on_each_loop
@pytest.mark.parametrize("has_arrived", [True, False], ids=["before", "during"])
@pytest.mark.parametrize("behave", [say, end])
def test_a_server_without_tls_is_left(run: Run, behave: Server, has_arrived: bool) -> None:
    """What the server does is seen before TLS starts, or while it starts."""

    async def connect(port: int) -> None:
        connection = await NetworkConnections().connect_tcp("127.0.0.1", port)
        while has_arrived and not connection.get_extra_info("is_readable"):
            await asyncio.sleep(0)
        with pytest.raises((httpcore.ConnectError, ssl.SSLError)):
            await connection.start_tls(ssl.create_default_context(), "site.example")

    run(_is_left(behave, connect))


@pytest.mark.requirement("web.tls")
@on_each_loop
@pytest.mark.parametrize("seconds", [0, 0.1])
def test_a_server_that_does_not_answer_is_left(run: Run, seconds: float) -> None:
    async def connect(port: int) -> None:
        connection = await NetworkConnections().connect_tcp("127.0.0.1", port)
        with pytest.raises(httpcore.ConnectTimeout):
            await connection.start_tls(ssl.create_default_context(), "site.example", timeout=seconds)

    run(_is_left(stall, connect))


@pytest.mark.requirement("web.tls")
@on_each_loop
@pytest.mark.parametrize("turns", range(4))
def test_a_cancelled_handshake_leaves_the_server(run: Run, turns: int) -> None:
    async def connect(port: int) -> None:
        connection = await NetworkConnections().connect_tcp("127.0.0.1", port)
        starting = asyncio.create_task(connection.start_tls(ssl.create_default_context(), "site.example"))
        for _ in range(turns + 1):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting

    run(_is_left(stall, connect))


@pytest.mark.requirement("web.failed")
@on_each_loop
def test_what_is_not_read_stays_with_the_server(run: Run) -> None:
    async def connect() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            connection = await NetworkConnections().connect_tcp("127.0.0.1", listener.getsockname()[1])
            with pytest.raises(TimeoutError):
                await asyncio.to_thread(_flood, listener)
            await connection.aclose()

    run(connect())


def _flood(listener: socket.socket) -> None:
    """Send more than all buffers of the system hold."""
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(0.5)
        connection.sendall(bytes(64 * 1024 * 1024))


async def _is_left(behave: Server, connect: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    """Require that a server sees the end of the connection while the client goes on."""
    has_ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behave(reader, writer)
        try:
            await reader.read()
        except ConnectionResetError:
            pass
        finally:
            writer.close()
            has_ended.set()

    async with asyncio.timeout(SECONDS), await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        await connect(server.sockets[0].getsockname()[1])
        await has_ended.wait()
