"""The tokens that requests come with, looked up in the database and remembered for seconds."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from stringd.plugin import StorageFailed
from stringd_cluster.access.access_refusals import TokenInvalid, TokensUnchecked
from stringd_cluster.access.failed_attempts import FailedAttempts
from stringd_cluster.access.open_streams import OLDEST, VALID, OpenStreams
from stringd_cluster.access.rate_limit import Listening, Rows
from stringd_cluster.access.request_rate import RequestRate
from stringd_cluster.access.tokens import Principal, digest_of, is_token, known_scopes
from stringd_cluster.membership.boot_clock import boot_time

CHANNEL = "stringd_tokens"
_READ_AGAIN = 2.0
_PATIENCE = 4.0
_PAUSE = 0.5
_MOST_WAITING = 1000
_MOST_WRONG = 4096
_MOST_REPEATED = 3
_BY_DIGEST = f"""
    SELECT digest, id, user_id, scopes, extract(epoch FROM expires - clock_timestamp())::float8 AS seconds
    FROM stringd.tokens WHERE digest = ANY($1::bytea[]) AND {VALID}"""  # noqa: S608 - constants only
_UNREACHABLE = (StorageFailed, TimeoutError)


class _Entry(Struct, frozen=True, kw_only=True):
    principal: Principal
    read_at: float
    expires_at: float


class TokenTable:
    """Knows who a token belongs to, and forgets it within seconds after it was revoked.

    Reads are batched, one at a time, and at most a thousand tokens wait for the next one: random tokens cost
    the database no more than that.
    """

    def __init__(
        self, rows: Rows, notifications: Listening, *, clock: Callable[[], float] = boot_time
    ) -> None:
        self._rows = rows
        self._clock = clock
        self._known: dict[bytes, _Entry] = {}
        self._wrong: OrderedDict[bytes, float] = OrderedDict()
        self._waiting: dict[bytes, asyncio.Future[_Entry | TokensUnchecked | None]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._changes = 0
        self._failed_at = self._swept_at = -OLDEST
        self._attempts = FailedAttempts(clock)
        self._streams = OpenStreams(self._fetch, clock)
        notifications.listen(CHANNEL, self._changed)

    def known(self, token: str | bytes) -> Principal | None:
        """Return whose token this is, if that is known without the database."""
        return self.known_by_digest(digest_of(token))

    def known_by_digest(self, digest: bytes) -> Principal | None:
        """Return likewise whose token has a digest; the same object until the token was read again."""
        entry = self._known.get(digest)
        if entry is None:
            return None
        now = self._clock()
        age = now - entry.read_at
        if age > OLDEST or now >= entry.expires_at:
            return None
        if age > _READ_AGAIN and now - self._failed_at > _PAUSE:
            self._enqueue(digest)
        return entry.principal

    async def principal(self, token: str, peer: str) -> Principal:
        """Return whose token a request from an address comes with, or raise `AccessRefused`."""
        if known := self.known(token):
            return known
        digest = digest_of(token)
        # Whoever sends a token that is being read makes no new attempt: it may be valid.
        attempt = None if digest in self._waiting else self._attempts.begin(peer)
        if not is_token(token) or self._is_wrong(digest):
            raise TokenInvalid
        try:
            entry = await self._read(digest)
        except TokensUnchecked:
            _give_back(attempt)
            raise
        if entry is None:
            raise TokenInvalid
        _give_back(attempt)
        return entry.principal

    async def ended(self, principal: Principal) -> None:
        """Return when a token is revoked or has expired; for streams, which outlive their request."""
        found = (it.read_at for it in self._known.values() if it.principal is principal)
        await self._streams.ended(principal.token_id, next(found, self._clock()))

    async def close(self) -> None:
        """End the reads that still run."""
        tasks = [it for it in (self._reading, self._streams.watching) if it and not it.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_wrong(self, digest: bytes) -> bool:
        read_at = self._wrong.get(digest)
        return read_at is not None and self._clock() - read_at < OLDEST

    async def _read(self, digest: bytes) -> _Entry | None:
        if len(self._waiting) >= _MOST_WAITING and digest not in self._waiting:
            raise TokensUnchecked
        future = self._enqueue(digest)
        # Others may wait for the same token: whoever disconnects must not end their wait.
        done, _ = await asyncio.wait((future,), timeout=_PATIENCE)
        found = future.result() if done else TokensUnchecked()
        if isinstance(found, TokensUnchecked):
            raise found
        return found

    def _enqueue(self, digest: bytes) -> asyncio.Future[_Entry | TokensUnchecked | None]:
        future = self._waiting.get(digest)
        if future is None:
            future = self._waiting[digest] = asyncio.get_running_loop().create_future()
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_waiting())
        return future

    async def _read_waiting(self) -> None:
        repeated = 0
        while asked := tuple(self._waiting):
            changes, read_at = self._changes, self._clock()
            try:
                rows = await self._fetch(_BY_DIGEST, asked, _PATIENCE)
            except _UNREACHABLE:
                self._failed_at = self._clock()
                self._answer(asked, dict.fromkeys(asked, TokensUnchecked()))
                continue
            if changes != self._changes and repeated < _MOST_REPEATED:
                # A token was revoked meanwhile; it may be among those that were read.
                repeated += 1
                continue
            repeated = 0
            self._learn(asked, {row["digest"]: _entry(row, read_at) for row in rows}, read_at)

    async def _fetch(self, query: str, wanted: Sequence[object], patience: float) -> Sequence[Any]:
        """Fetch rows, or give up after a while; nothing waits for the end of a query on a dead connection."""
        query_task = asyncio.ensure_future(self._rows.fetch(query, list(wanted)))
        done, _ = await asyncio.wait((query_task,), timeout=patience)
        if not done:
            query_task.cancel()
            raise TimeoutError
        return query_task.result()

    def _learn(self, asked: Sequence[bytes], found: Mapping[bytes, _Entry], read_at: float) -> None:
        for digest in asked:
            self._known.pop(digest, None)
            if digest not in found:
                self._wrong[digest] = read_at
        self._known |= found
        self._answer(asked, found)
        if read_at - self._swept_at > OLDEST:
            self._swept_at = read_at
            old = [it for it, entry in self._known.items() if read_at - entry.read_at > OLDEST]
            for digest in old:
                del self._known[digest]
        while len(self._wrong) > _MOST_WRONG:
            self._wrong.popitem(last=False)

    def _answer(self, asked: Iterable[bytes], found: Mapping[bytes, _Entry | TokensUnchecked]) -> None:
        for digest in asked:
            future = self._waiting.pop(digest)
            if not future.done():
                future.set_result(found.get(digest))

    def _changed(self, token_id: str) -> None:
        """Forget a token that has changed, or all after a time without notifications."""
        self._changes += 1
        self._wrong.clear()
        self._known = {
            digest: it for digest, it in self._known.items() if token_id and it.principal.token_id != token_id
        }
        self._streams.look()


def _give_back(attempt: RequestRate | None) -> None:
    if attempt:
        attempt.give_back()


def _entry(row: Mapping[str, Any], read_at: float) -> _Entry:
    seconds = row["seconds"]
    principal = Principal(token_id=row["id"], user_id=row["user_id"], scopes=known_scopes(row["scopes"]))
    expires_at = float("inf") if seconds is None else read_at + seconds
    return _Entry(principal=principal, read_at=read_at, expires_at=expires_at)
