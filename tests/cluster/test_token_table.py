"""Tokens as the door looks them up, in a real database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from stringd.plugin import StorageFailed
from stringd_cluster.access.access_refusals import RateLimited, TokenInvalid, TokensUnchecked
from stringd_cluster.access.failed_attempts import BURST
from stringd_cluster.access.rate_limit import RateLimits
from stringd_cluster.access.scopes import Scope
from stringd_cluster.access.tokens import NewToken, digest_of
from tests.cluster.access_tables import Tables, listening, run, tables
from tests.cluster.engine import Engine

PEER = "192.0.2.1"


async def _until(probe: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not probe():
            await asyncio.sleep(0.01)


def _stranger() -> str:
    return NewToken(user_id="", scopes=frozenset()).token


@pytest.mark.requirement("cluster.tokens.known")
def test_a_token_is_read_once_and_known_for_five_seconds(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token("ann", Scope.READ, Scope.EXEC), it.table()
            assert table.known(token.token) is None
            found = await asyncio.gather(*(table.principal(token.token, PEER) for _ in range(50)))
            assert it.queries == 1
            assert {(p.token_id, p.user_id, p.scopes) for p in found} == {(token.id, "ann", token.scopes)}
            assert found[0].allows(Scope.READ)
            assert not found[0].allows(Scope.ADMIN)
            it.now += 1.9
            assert table.known(token.token) == found[0]
            it.now += 3.2
            assert table.known(token.token) is None
            assert await table.principal(token.token, PEER) == found[0]
            assert it.queries == 2
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.read_again")
def test_a_token_in_use_is_read_again_before_it_is_too_old(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(), it.table()
            await table.principal(token.token, PEER)
            for _ in range(10):
                it.now += 2.5
                assert table.known(token.token)
                assert table._waiting
                await _until(lambda: not table._waiting)
            assert it.queries == 11
            async with it.pool.transaction() as connection:
                await connection.execute("UPDATE tokens SET revoked = clock_timestamp()")
            it.now += 2.5
            assert table.known(token.token)
            await _until(lambda: table.known(token.token) is None)
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.revoked")
def test_a_revoked_token_is_refused_at_once(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, other, table = await it.token(), await it.token("bob"), it.table()
            async with listening(it.notifications):
                await table.principal(token.token, PEER)
                await table.principal(other.token, PEER)
                await it.revoke(token)
                await _until(lambda: table.known(token.token) is None)
                assert table.known(other.token)
                with pytest.raises(TokenInvalid):
                    await table.principal(token.token, PEER)
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.revoked")
def test_a_token_that_is_revoked_while_it_is_read_is_read_again(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(), it.table()
            fetch = it.fetch

            async def overtaken(statement: str, *values: object) -> object:
                rows = await fetch(statement, *values)
                if it.queries == 1:
                    await it.revoke(token)
                    table._changed(token.id)
                return rows

            it.fetch = overtaken  # type: ignore[method-assign]
            with pytest.raises(TokenInvalid):
                await table.principal(token.token, PEER)
            assert it.queries == 2
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.expiry")
def test_a_token_expires_by_the_clock_of_the_database(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(expiry=timedelta(seconds=3)), it.table()
            assert await table.principal(token.token, PEER)
            it.now += 2
            assert table.known(token.token)
            it.now += 1.01
            assert table.known(token.token) is None
            async with it.pool.transaction() as connection:
                await connection.execute("UPDATE tokens SET expires = clock_timestamp()")
            with pytest.raises(TokenInvalid):
                await table.principal(token.token, PEER)
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.alike")
def test_tokens_that_are_not_valid_are_refused_alike(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            revoked, expired, table = await it.token(), await it.token(), it.table()
            await it.revoke(revoked)
            async with it.pool.transaction() as connection:
                await connection.execute(
                    "UPDATE tokens SET expires = clock_timestamp() WHERE id = $1", expired.id
                )
            tokens = (revoked.token, expired.token, _stranger(), "", "strd_", "\udc80" * 48, "x" * 100_000)
            bodies = []
            for token in tokens:
                with pytest.raises(TokenInvalid) as refused:
                    await table.principal(token, PEER)
                bodies.append((refused.value.status, refused.value.body(), dict(refused.value.headers)))
            assert bodies == [bodies[0]] * len(tokens)
            assert bodies[0][0] == 401
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.flood")
def test_random_tokens_neither_fill_memory_nor_hammer_the_database(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(), it.table()
            held = asyncio.Event()
            fetch, most = it.fetch, 0

            async def slow(statement: str, *values: object) -> object:
                nonlocal most
                most = max(most, len(values[0]))  # type: ignore[arg-type]
                await held.wait()
                return await fetch(statement, *values)

            it.fetch = slow  # type: ignore[method-assign]
            tries = [
                asyncio.create_task(table.principal(_stranger(), f"10.0.{n >> 8}.{n & 255}"))
                for n in range(3000)
            ]
            await asyncio.sleep(0)
            held.set()
            done = await asyncio.gather(*tries, return_exceptions=True)
            kinds = [type(result) for result in done]
            assert set(kinds) == {TokenInvalid, TokensUnchecked}
            assert kinds.count(TokenInvalid) == 1000
            assert it.queries <= 3
            assert most <= 1000
            for n in range(6000):
                with pytest.raises(TokenInvalid):
                    await table.principal(_stranger(), f"10.1.{n >> 8}.{n & 255}")
                if n > 4200:
                    break
            assert len(table._wrong) <= 4096
            assert len(table._known) == 0
            assert await table.principal(token.token, PEER)
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.attempts")
def test_an_address_with_invalid_tokens_is_limited_but_not_those_that_are_known(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(), it.table()
            wrong = _stranger()
            await table.principal(token.token, PEER)
            for _ in range(int(BURST)):
                with pytest.raises(TokenInvalid):
                    await table.principal(wrong, PEER)
            queries = it.queries
            assert queries == 2
            with pytest.raises(RateLimited) as limited:
                await table.principal(_stranger(), PEER)
            assert limited.value.headers["Retry-After"] == "1"
            assert it.queries == queries
            assert await table.principal(token.token, PEER)
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.attempts")
def test_many_requests_with_a_valid_token_at_once_are_no_attempts(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(), it.table()
            requests = (table.principal(token.token, PEER) for _ in range(2 * int(BURST)))
            found = await asyncio.gather(*requests)
            assert {who.user_id for who in found} == {"ann"}
            assert it.queries == 1
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.attempts")
def test_tokens_that_can_not_be_checked_are_no_attempts(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(), it.table()
            it.is_reachable = False
            for _ in range(2 * int(BURST)):
                with pytest.raises(TokensUnchecked):
                    await table.principal(_stranger(), PEER)
            it.is_reachable = True
            assert await table.principal(token.token, PEER)
            await table.close()

    run(test)


@pytest.mark.long
@pytest.mark.requirement("cluster.tokens.unreachable")
def test_without_the_database_tokens_are_accepted_for_five_seconds(postgres: Engine) -> None:
    async def test() -> None:
        url = postgres.url(postgres.create_database())
        async with tables(url) as it:
            token, table = await it.token(), it.table()
            await table.principal(token.token, PEER)
            postgres.pause()
            try:
                it.now += 4.9
                assert table.known(token.token)
                it.now += 0.2
                assert table.known(token.token) is None
                with pytest.raises(TokensUnchecked) as refused:
                    await table.principal(token.token, PEER)
                assert refused.value.status == 503
            finally:
                postgres.resume()
            await _until(lambda: not table._waiting)
            assert await table.principal(token.token, PEER)
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.streams")
def test_a_stream_learns_of_the_end_of_its_token(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, other, table = await it.token(), await it.token(), it.table()
            async with listening(it.notifications):
                principals = [await table.principal(x.token, PEER) for x in (token, other)]
                ended, going_on = (asyncio.create_task(table.ended(p)) for p in principals)
                await asyncio.sleep(0)
                await it.revoke(token)
                await asyncio.wait_for(ended, 1.5)
                assert not going_on.done()
                going_on.cancel()
            expiring = await it.token(expiry=timedelta(seconds=1))
            await asyncio.wait_for(table.ended(await table.principal(expiring.token, PEER)), 5)
            await asyncio.gather(going_on, return_exceptions=True)
            assert table._streams._ends == {}
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.streams_unreachable")
def test_streams_end_when_their_tokens_can_not_be_looked_at(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token, table = await it.token(), it.table()
            ended = asyncio.create_task(table.ended(await table.principal(token.token, PEER)))
            await _until(lambda: it.queries == 2)

            async def unreachable(statement: str, *values: object) -> object:
                it.queries += 1
                raise StorageFailed("cut")

            it.fetch = unreachable  # type: ignore[method-assign]
            it.now += 4.9
            table._streams.look()
            await _until(lambda: it.queries == 3)
            assert not ended.done()
            it.now += 0.2
            await asyncio.wait_for(ended, 5)
            await table.close()

    run(test)


@pytest.mark.requirement("cluster.tokens.digest")
def test_only_digests_are_stored(database: str, postgres: Engine) -> None:
    async def test() -> None:
        async with tables(database) as it:
            token = await it.token()
            async with it.pool.transaction() as connection:
                row = await connection.fetchrow("SELECT * FROM tokens")
            assert row["digest"] == digest_of(token.token)
            assert token.token not in repr(dict(row))
            assert token.token not in repr(token)

    run(test)


async def _limit(it: Tables, user: str, limit: float | None) -> None:
    async with it.pool.transaction() as connection:
        await connection.execute(
            "INSERT INTO users VALUES ($1, '/', '{}', '', $2) "
            "ON CONFLICT (id) DO UPDATE SET requests_per_second = $2",
            user,
            limit,
        )
        await connection.execute("SELECT pg_notify('stringd_users', $1)", user)


@pytest.mark.requirement("cluster.limits.user")
def test_each_user_has_the_limit_of_the_settings_or_an_own_one(database: str) -> None:
    async def test() -> None:
        async with tables(database) as it:
            await _limit(it, "own", 5)
            await _limit(it, "free", 0)
            await _limit(it, "usual", None)
            limits = RateLimits(it.pool, it.notifications, 2, clock=lambda: it.now)
            async with listening(it.notifications):
                assert [await _admitted(limits, user) for user in ("own", "usual", "nobody")] == [5, 2, 2]
                assert await _admitted(limits, "free") == 50
                await _limit(it, "own", 9)
                await _until(lambda: "own" not in limits._rates)
                assert await _admitted(limits, "own") == 9
                it.now += 1
                assert await _admitted(limits, "own") == 9

    run(test)


async def _admitted(limits: RateLimits, user: str) -> int:
    for number in range(50):
        try:
            await limits.admit(user)
        except RateLimited:
            return number
    return 50
