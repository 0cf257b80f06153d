"""The limit of requests per second of each user, at the node that owns the user's home."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from stringd_cluster.access.access_refusals import RateLimited
from stringd_cluster.access.request_rate import RequestRate

CHANNEL = "stringd_users"
_LIMIT = "SELECT requests_per_second FROM stringd.users WHERE id = $1"


class Rows(Protocol):
    """A pool of connections, as far as it is needed here."""

    async def fetch(self, statement: str, *values: object) -> Sequence[Any]:
        """Return the rows of a statement, or raise `StorageFailed`."""


class Listening(Protocol):
    """The notifications of the database, as far as they are needed here."""

    def listen(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call back with each payload of a channel, and with `""` when some may have been missed."""


class RateLimits:
    """Counts the requests of users: `default` requests per second, 0 for no limit, unless theirs is set.

    A second's worth of requests may come at once. Each request that arrives at the owner counts, refused ones
    excepted; a stream or WebSocket counts once.
    """

    def __init__(
        self,
        rows: Rows,
        notifications: Listening,
        default: float,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rows = rows
        self._default = default
        self._clock = clock
        self._rates: dict[str, RequestRate] = {}
        self.unlimited: set[str] = set()
        """The users that are known to have no limit."""
        notifications.listen(CHANNEL, self._changed)

    async def admit(self, user_id: str) -> None:
        """Count a request, or raise `RateLimited`."""
        if user_id in self.unlimited:
            return
        rate = self._rates.get(user_id) or await self._read(user_id)
        if rate and (wait := rate.take(self._clock())):
            raise RateLimited("Too many requests of this user.", wait)

    async def _read(self, user_id: str) -> RequestRate | None:
        rows = await self._rows.fetch(_LIMIT, user_id)
        own = rows[0]["requests_per_second"] if rows else None
        per_second = self._default if own is None else own
        if per_second <= 0:
            self.unlimited.add(user_id)
            return None
        # Requests that were waiting together share the first one's.
        return self._rates.setdefault(user_id, RequestRate(per_second, per_second))

    def _changed(self, user_id: str) -> None:
        if user_id:
            self._rates.pop(user_id, None)
            self.unlimited.discard(user_id)
        else:
            self._rates.clear()
            self.unlimited.clear()
