"""The lease of this node: renewed on a connection of its own, and over at a deadline of the own clock."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from stringd.plugin.processes import clear_deadline, set_deadline
from stringd_cluster.engine.database_pool import FAILURES, connect, ended_in_use
from stringd_cluster.engine.engine_checks import UnfitEngine, check_engine
from stringd_cluster.membership.boot_clock import boot_time
from stringd_cluster.membership.live_nodes import Node, live_nodes, renew
from stringd_cluster.unsafe_modes import LEASE_CHECKS, is_switched_off

log = logging.getLogger(__name__)

_RENEWALS = 4
_TRUSTED_SHARE = 0.9
_RETRY_SECONDS = 0.05
OnRenewed = Callable[[Mapping[str, Node]], None]


class LeaseLost(Exception):
    """The lease is over: everything that it permitted must have ended."""


class Lease:
    """Whether this node may act for its homes.

    The database counts the time from when it gets a renewal; this node, from before it sends it, and only
    nine tenths of it. So it stops before another node may begin, however long the renewal took.
    """

    def __init__(self, url: str, node_id: str, seconds: float, renewed: OnRenewed) -> None:
        self.node_id = node_id
        self.seconds = seconds
        self._url = url
        self._renewed = renewed
        self._deadline = -math.inf
        self._connection: Any = None

    def is_valid(self) -> bool:
        """Return whether the lease can't have expired."""
        return boot_time() < self._deadline or is_switched_off(LEASE_CHECKS)

    @property
    def left(self) -> float:
        """The seconds until the deadline."""
        return self._deadline - boot_time()

    def begin(self, sent: float) -> None:
        """Begin the lease that was asked for at a time of the boot clock."""
        self._extend(sent)

    def end(self) -> None:
        """Let nothing be done under this lease any more."""
        self._deadline = -math.inf
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def hold(self) -> None:
        """Renew the lease until it is lost, which raises `LeaseLost` at the deadline at the latest."""
        renewing = asyncio.ensure_future(self._renew_until_lost())
        try:
            while not renewing.done() and self.left > 0:
                await asyncio.wait((renewing,), timeout=max(self.left, 0))
        finally:
            renewing.cancel()
            (failure,) = await asyncio.gather(renewing, return_exceptions=True)
        self.end()
        if isinstance(failure, Exception):
            raise failure
        raise LeaseLost("its renewal did not reach the database in time")

    async def _renew_until_lost(self) -> None:
        while True:
            await asyncio.sleep(self.seconds / _RENEWALS)
            try:
                with ended_in_use():
                    await self._renew()
            except (*FAILURES, UnfitEngine) as error:
                log.warning("the lease can't be renewed: %s", error)
                self._drop_connection()
                await asyncio.sleep(_RETRY_SECONDS)

    async def _renew(self) -> None:
        is_new = self._connection is None
        if is_new:
            self._connection = await connect(self._url, f"{self.node_id} lease")
        connection = self._connection
        # A cut connection must not hold up the next attempt: terminating it ends what waits for it.
        cutting = asyncio.get_running_loop().call_later(self.seconds / _RENEWALS, self._drop_connection)
        try:
            if is_new:
                # Another server may have taken over.
                await check_engine(connection)
            sent = boot_time()
            if not await renew(connection, self.node_id, self.seconds):
                raise LeaseLost("the database has let it expire")
            self._extend(sent)
            self._renewed(await live_nodes(connection))
        finally:
            cutting.cancel()

    def _extend(self, sent: float) -> None:
        self._deadline = sent + _TRUSTED_SHARE * self.seconds
        if is_switched_off(LEASE_CHECKS):
            clear_deadline()
        else:
            set_deadline(self._deadline)

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
