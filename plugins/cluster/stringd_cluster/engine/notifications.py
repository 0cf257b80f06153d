"""What other nodes announce through the database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from stringd_cluster.engine.database_pool import FAILURES, connect

log = logging.getLogger(__name__)

_CHECK_SECONDS = 5.0
_RETRY_SECONDS = 0.5
Notified = Callable[[str], None]


class Notifications:
    """Listens to channels on a connection of its own, which is opened again when it is lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._callbacks: dict[str, list[Notified]] = {}
        self._connection: Any = None

    def listen(self, channel: str, callback: Notified) -> None:
        """Call back with each payload of a channel, and with `""` whenever some may have been missed.

        To be called before `run`.
        """
        self._callbacks.setdefault(channel, []).append(callback)

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except FAILURES as error:
                log.warning("notifications of the cluster are interrupted: %s", error)
            finally:
                self._drop()
            await asyncio.sleep(_RETRY_SECONDS)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def _listen(self) -> None:
        self._connection = await connect(self._url, "notifications")
        for channel in self._callbacks:
            await self._connection.add_listener(channel, self._notify)
        for channel in self._callbacks:
            self._notify(None, 0, channel, "")
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            # A connection that was cut silently would never tell.
            check = asyncio.ensure_future(self._connection.execute("SELECT 1"))
            done, _ = await asyncio.wait((check,), timeout=_CHECK_SECONDS)
            if not done:
                self._drop()
                with suppress(*FAILURES):
                    await check
                raise TimeoutError("the connection has been cut")
            check.result()

    def _notify(self, _connection: object, _pid: int, channel: str, payload: str) -> None:
        for callback in self._callbacks[channel]:
            try:
                callback(payload)
            except Exception:
                log.exception("a notification of %s can't be handled", channel)
