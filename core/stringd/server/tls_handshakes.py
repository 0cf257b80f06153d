"""TLS handshakes of clients: each has a deadline, and only so many are under way at a time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from ssl import SSLContext

from msgspec import Struct

from stringd.server.client_timeouts import ClientTimeouts, Wait

MOST_AT_ONCE = 256
# A client that has got everything, but does not confirm the end, is waited for no longer.
_END_SECONDS = 3.0


class _Handshake(Struct, frozen=True, eq=False):
    """A client whose handshake is under way; it gives way to others as any client does."""

    task: asyncio.Task[None] | None

    @property
    def unread(self) -> int:
        """Nothing: no answer has been sent to it."""
        return 0

    def time_out(self, wait: Wait) -> None:
        """End an overdue handshake."""
        self.make_room()

    def make_room(self) -> None:
        """Close without an answer: the client could not read it."""
        if self.task:
            self.task.cancel()


class TlsHandshakes:
    """Connects clients by TLS; a client too many ends the handshake that has lasted longest."""

    def __init__(self, context: SSLContext, timeouts: ClientTimeouts) -> None:
        self._context = context
        self._timeouts = timeouts
        self._under_way: dict[_Handshake, None] = {}

    async def connect(self, make: Callable[[], asyncio.Protocol], client: socket.socket) -> None:
        """Shake hands; the connection begins when that has succeeded."""
        handshake = self._begin()
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                make,
                client,
                ssl=self._context,
                # The deadline is that of the other waits, whose clock stands still while the loop is blocked.
                ssl_handshake_timeout=2 * self._timeouts.limits.seconds[Wait.HANDSHAKE],
                ssl_shutdown_timeout=_END_SECONDS,
            )
        finally:
            del self._under_way[handshake]
            self._timeouts.forget(handshake, Wait.HANDSHAKE)

    def _begin(self) -> _Handshake:
        if len(self._under_way) >= MOST_AT_ONCE:
            next(iter(self._under_way)).make_room()
        handshake = _Handshake(asyncio.current_task())
        self._under_way[handshake] = None
        self._timeouts.expect(handshake, Wait.HANDSHAKE)
        return handshake
