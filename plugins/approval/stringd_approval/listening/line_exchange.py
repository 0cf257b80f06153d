"""Exchange one line for another with a connected client, within limits of time and size."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable

LARGEST_LINE = 1_048_576
"""The most bytes of a request, with its newline."""
ARRIVAL_SECONDS = 10
WRITE_SECONDS = 10.0
_PIECE = 64 * 1024
_LINGER_SECONDS = 1.0
_IDLE_SECONDS = 0.05


class LineRefused(Exception):
    """What a client sent is not a line; the text says why, for the client."""


async def read_line(client: socket.socket) -> bytes | None:
    """Return the first line without its newline; None if the client has sent nothing and is gone.

    Raises `LineRefused` for a line that is too long, not in time, or has no end.
    """
    data = bytearray()
    try:
        async with asyncio.timeout(ARRIVAL_SECONDS):
            while (end := await _receive(client, data)) < 0:
                pass
    except TimeoutError:
        raise LineRefused(f"deadline: no newline within {ARRIVAL_SECONDS} s of connecting") from None
    except ConnectionError:
        return None
    if not end and not data:
        return None
    return bytes(data[:end])


async def send_line(client: socket.socket, pieces: Iterable[bytes]) -> None:
    """Send a line in pieces, and close; a client that reads too slowly, or not at all, misses the rest."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(WRITE_SECONDS):
            for it in pieces:
                await loop.sock_sendall(client, it)
        client.shutdown(socket.SHUT_WR)
        await _linger(client)
    except (TimeoutError, OSError):
        return


async def _receive(client: socket.socket, data: bytearray) -> int:
    """Receive a piece; return the position of the newline, or -1 until there is one."""
    piece = await asyncio.get_running_loop().sock_recv(client, min(_PIECE, LARGEST_LINE + 1 - len(data)))
    newline = piece.find(b"\n")
    before = len(data)
    data += piece
    if newline >= 0 and before + newline < LARGEST_LINE:
        return before + newline
    if len(data) > LARGEST_LINE:
        raise LineRefused(f"the request exceeds maximum size: {LARGEST_LINE} bytes with its newline")
    if not piece and data:
        raise LineRefused("missing trailing newline: a request is one line that ends with \\n")
    return -1 if piece else 0


async def _linger(client: socket.socket) -> None:
    """Read what the client still sends: if unread bytes were left, it would get an error before the reply."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(_LINGER_SECONDS):
        while True:
            async with asyncio.timeout(_IDLE_SECONDS):
                if not await loop.sock_recv(client, _PIECE):
                    return
