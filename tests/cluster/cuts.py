"""TCP proxies on loopback that fail as networks do."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from enum import Enum, auto
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

T = TypeVar("T")
_CALL_SECONDS = 10.0
_CHUNK = 65536
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)

Target = Path | tuple[str, int]


class Direction(Enum):
    """The way of what is cut off: to the target, or back from it."""

    THERE = auto()
    BACK = auto()


BOTH = (Direction.THERE, Direction.BACK)


class Cut:
    """A proxy in front of a server, whose connections can be cut.

    What was sent into a silent cut arrives after it, as it does when TCP sends it again; connections that
    were opened during it are only made then.
    """

    def __init__(self, target: Target | None = None, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._target = target
        self._delay = 0.0
        self._refuses = False
        self._hides_ends = False
        self.hidden_ends = 0
        """How often a connection has ended which the other side has not heard."""
        self._open: dict[Direction, asyncio.Event] = {}
        self._awaited: Callable[[bytes], bool] | None = None
        self._sockets: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener = socket.create_server((host, port), backlog=512)
        # Accepted connections inherit it; asyncio sets it only where the protocol is named.
        self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._listener.getsockname()[1]
        self.address = f"{host}:{self.port}"
        self._server = _in_loop(self._serve())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def connections(self) -> int:
        """The number of connections that were made through it and are open."""
        return _in_loop(self._count()) // 2

    def lead_to(self, target: Target) -> None:
        """Lead new connections to another server."""
        self._target = target

    def drop(self, *directions: Direction) -> None:
        """Let everything vanish on these ways, both by default, while connections stay."""
        _call(self._drop, directions or BOTH)

    def drop_at(self, found: Callable[[bytes], bool]) -> None:
        """Let everything to the target vanish once something is sent to it that is what is looked for."""
        self._awaited = found

    def hide_ends(self) -> None:
        """Let everything pass but the ends of connections, as if their last packets were lost."""
        self._hides_ends = True

    def delay(self, seconds: float) -> None:
        """Delay everything."""
        self._delay = seconds

    def reset(self) -> None:
        """Reset the connections that are open."""
        _call(self._reset)

    def refuse(self) -> None:
        """Reset the connections that are open, and each that is opened, until healed."""
        self._refuses = True
        self.reset()

    def heal(self) -> None:
        """Let everything pass again."""
        self._delay, self._refuses, self._hides_ends, self._awaited = 0.0, False, False, None
        _call(self._heal)

    def close(self) -> None:
        """End it and all its connections."""
        _in_loop(self._end())

    async def _serve(self) -> asyncio.Server:
        self._open = {it: asyncio.Event() for it in Direction}
        self._heal()
        return await asyncio.start_server(self._accepted, sock=self._listener)

    async def _end(self) -> None:
        self._server.close()
        self._reset()
        for it in self._tasks:
            it.cancel()

    async def _count(self) -> int:
        return len(self._sockets)

    def _drop(self, directions: tuple[Direction, ...]) -> None:
        for it in directions:
            self._open[it].clear()

    def _heal(self) -> None:
        for it in self._open.values():
            it.set()

    def _reset(self) -> None:
        for it in self._sockets:
            _abort(it)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._carry(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection to its end."""
        opened = [writer]
        self._sockets.add(writer)
        try:
            await self._passes(Direction.THERE)
            target_reader, target_writer = await self._connect()
            opened.append(target_writer)
            self._sockets.add(target_writer)
            await asyncio.gather(
                self._pump(reader, target_writer, Direction.THERE),
                self._pump(target_reader, writer, Direction.BACK),
            )
        except OSError:
            for it in opened:
                _abort(it)
        finally:
            for it in opened:
                self._sockets.discard(it)
                it.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._refuses or self._target is None:
            raise ConnectionRefusedError
        if isinstance(self._target, Path):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection(*self._target)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: Direction
    ) -> None:
        """Carry what is sent one way, its end included."""
        while data := await reader.read(_CHUNK):
            if direction is Direction.THERE and self._awaited and self._awaited(data):
                self._awaited = None
                self._drop((Direction.THERE,))
            await self._passes(direction)
            writer.write(data)
            await writer.drain()
        await self._passes(direction)
        if self._hides_ends:
            self.hidden_ends += 1
        elif not writer.is_closing():
            writer.write_eof()

    async def _passes(self, direction: Direction) -> None:
        """Wait until something may pass."""
        if self._delay:
            await asyncio.sleep(self._delay)
        await self._open[direction].wait()


def _abort(writer: asyncio.StreamWriter) -> None:
    """Close a connection such that the other side sees a reset."""
    with suppress(OSError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    writer.transport.abort()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all proxies, which runs in a thread."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="cuts", daemon=True).start()
    return loop


def _in_loop(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result(_CALL_SECONDS)


def _call(change: Callable[..., None], *arguments: object) -> None:
    async def run() -> None:
        change(*arguments)

    _in_loop(run())
